package compiler

import (
	"testing"

	"github.com/bufbuild/protocompile/experimental/source"
)

// TestHintsAreBounded asks for more types than get a hint: each hint looks at all types there are,
// so a tree with thousands of errors must not ask for thousands.
func TestHintsAreBounded(t *testing.T) {
	s := NewSources(t.TempDir())
	s.read["a.proto"] = source.NewFile("a.proto", "message Deposit {}\n")
	hints := 0
	for range 3 * maxHints {
		if s.similarType("Deposti", "b.proto") != "" {
			hints++
		}
	}
	if hints != maxHints {
		t.Errorf("%d hints, want %d", hints, maxHints)
	}
	if len(s.declared["a.proto"]) != 1 {
		t.Errorf("the types of a file are %q", s.declared["a.proto"])
	}
}
