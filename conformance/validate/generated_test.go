package validate

import (
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/octopus-framework/octopus/internal/compiler/driver"
	"github.com/octopus-framework/octopus/internal/compiler/golang"
	rules "github.com/octopus-framework/octopus/internal/compiler/validate"
)

// scratch is the module that the code for the messages of the suite is generated into.
const scratch = "example.com/scratch"

// TestGenerated runs the suite against the code that is generated for its messages.
func TestGenerated(t *testing.T) {
	if testing.Short() {
		t.Skip("the code of 900 messages takes most of a minute to build")
	}
	bin := t.TempDir()
	generate(t, bin)
	for _, kind := range []string{"message", "reader"} {
		// The part about standard rules. A few cases are about CEL: they are listed.
		t.Run(kind, func(t *testing.T) {
			run(t, bin, standardCases, "--suite", "^(standard_rules|groups|kitchen_sink)",
				"--expected_failures", "testdata/generated.yaml",
				filepath.Join(bin, "scratch"), kind)
		})
		// Everything, by package gremlincel, which leaves standard rules to the generated methods.
		// Nothing is known to fail.
		t.Run(kind+"-cel", func(t *testing.T) {
			run(t, bin, cases, filepath.Join(bin, "scratch"), kind+"-cel")
		})
	}
	// Other messages than the suite has: generated code finds what expressions find.
	t.Run("compare", func(t *testing.T) {
		build(t, ".", bin, "./descriptors")
		q := requests(t, dump(t, bin), max(*times, 10))
		want := ask(t, q, bin, "descriptors")
		compare(t, q, ask(t, q, bin, "scratch", "message-cel"), want)
		compare(t, q, ask(t, q, bin, "scratch", "reader-cel"), want)
	})
}

var validateMethod = regexp.MustCompile(`(?m)^func \((m|r) \*(\w+)\) Validate\(\) error`)

// generate generates the code of the suite's messages, with rules, and builds a testee with it.
func generate(t *testing.T, bin string) {
	t.Helper()
	protos := filepath.Join(module(t, "github.com/bufbuild/protovalidate", version), "proto")
	testing := filepath.Join(protos, "protovalidate-testing")
	in := driver.Input{IncludeImports: true,
		Roots: []string{testing, filepath.Join(protos, "protovalidate")},
		Files: []string{filepath.Join(testing, "buf/validate/conformance/cases")}}
	c := driver.Compile(t.Context(), in, nil)
	if c.Diagnostics.Errors() > 0 {
		t.Fatal(c.Diagnostics)
	}
	// Some messages of the suite have rules that are errors. The driver would generate nothing.
	facts, _ := rules.Read(c.Schema, c.Descriptors, nil)
	g, found := golang.New(c.Schema, golang.Options{Module: scratch, Validate: facts})
	if g == nil {
		t.Fatal(found)
	}
	dir := t.TempDir()
	packages, types := map[string]bool{}, map[string][]string{}
	for _, o := range g.Outputs() {
		text, err := g.Generate(o)
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, filepath.FromSlash(o.Path)), string(text))
		name := packageName(path.Dir(o.Path))
		for _, m := range validateMethod.FindAllStringSubmatch(string(text), -1) {
			packages[path.Dir(o.Path)] = true
			types[m[1]] = append(types[m[1]],
				fmt.Sprintf("func() harness.Rules { return new(%s.%s) }", name, m[2]))
		}
	}
	var imports strings.Builder
	for _, p := range slices.Sorted(maps.Keys(packages)) {
		fmt.Fprintf(&imports, "\t%s %q\n", packageName(p), scratch+"/"+p)
	}
	broken := slices.Sorted(maps.Keys(facts.Broken))
	write(t, filepath.Join(dir, "main.go"), fmt.Sprintf(testee, imports.String(),
		strings.Join(types["m"], ",\n"), strings.Join(types["r"], ",\n"), broken))
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.NewReplacer("module github.com/octopus-framework/octopus/conformance/validate",
		"module "+scratch+"\n\nrequire github.com/octopus-framework/octopus/conformance/validate "+
			"v0.0.0", "=> ../..", "=> "+root, "replace (",
		"replace (\n\tgithub.com/octopus-framework/octopus/conformance/validate => "+root+
			"/conformance/validate").Replace(string(mod))
	write(t, filepath.Join(dir, "go.mod"), text)
	sum, err := os.ReadFile("go.sum")
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "go.sum"), string(sum))
	t.Logf("%d messages, %d of them with rules that are errors", len(types["m"]), len(broken))
	build(t, dir, bin, ".")
}

// packageName is a name for the package in a folder.
func packageName(dir string) string {
	return "p" + regexp.MustCompile(`\W`).ReplaceAllString(dir, "_")
}

func write(t *testing.T, name, text string) {
	t.Helper()
	err := os.MkdirAll(filepath.Dir(name), 0o755)
	if err == nil {
		err = os.WriteFile(name, []byte(text), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

const testee = `package main

import (
	"log"
	"os"

	"github.com/octopus-framework/octopus/conformance/validate/harness"
%s)

func main() {
	g := harness.Generated{
		Messages: []func() harness.Rules{
			%s,
		},
		Readers: []func() harness.Rules{
			%s,
		},
		Broken: %#v,
	}
	if err := g.Run(os.Args[1]); err != nil {
		log.Fatal(err)
	}
}
`
