// Package oracle says what tests do without something that is not part of the repository: protoc, a
// browser, a database.
//
// A test that needs such a thing skips in one line where it is absent. The environment variable
// OCTOPUS_REQUIRE names what must be there, with commas between the names, or says "all": then the
// test fails instead. CI sets it.
//
// Names are those of the programs where there is one; the others are: shared (the folder ../shared
// beside the repository), generated (the code that make conformance-code writes), arrow (a command
// built with that tag), runner (the official conformance runner), modules (a module proxy), qemu.
package oracle

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// Variable is the environment variable that names what must be there.
const Variable = "OCTOPUS_REQUIRE"

// Required reports whether tests must not do without what has this name.
func Required(name string) bool {
	names := strings.FieldsFunc(os.Getenv(Variable), func(r rune) bool {
		return r == ',' || r == ' '
	})
	return slices.Contains(names, name) || slices.Contains(names, "all")
}

// Skip ends a test that cannot run without what has this name: the test is skipped, or fails where
// it is required. Why says what is missing and how to get it, in one line.
func Skip(t testing.TB, name, why string) {
	t.Helper()
	if Required(name) {
		t.Fatalf("%s: %s; %s asks for it", name, why, Variable)
	}
	t.Skipf("%s: %s", name, why)
}

// Missing notes that a test does less without what has this name, and fails it where it is
// required. The test goes on.
func Missing(t testing.TB, name, why string) {
	t.Helper()
	if Required(name) {
		t.Errorf("%s: %s; %s asks for it", name, why, Variable)
		return
	}
	t.Logf("%s: %s", name, why)
}
