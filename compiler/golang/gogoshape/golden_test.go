package gogoshape_test

import (
	"context"
	"flag"
	"os"
	"regexp"
	"testing"

	"github.com/octopus-framework/octopus/compiler"
	"github.com/octopus-framework/octopus/compiler/gogo"
	"github.com/octopus-framework/octopus/compiler/golang/gogoshape"
)

var update = flag.Bool("update", false,
	"rewrite the golden; the run still fails, so that it is looked at")

// compressed is the descriptor, whose bytes are the compressor's.
var compressed = regexp.MustCompile(`(?s)\[\]byte\{.*?\n\}`)

// TestGolden compares generated code with what was looked at. conformance/gogo compares it with
// gogo's.
func TestGolden(t *testing.T) {
	res := compiler.Compile(context.Background(), compiler.Options{
		Sources: compiler.NewSources("testdata"), Files: []string{"deposit.proto"},
	})
	if res.Diagnostics.Errors() > 0 {
		t.Fatal(res.Diagnostics)
	}
	facts, found := gogo.Read(res.Descriptors.File, func(path string) string {
		if path == "deposit.proto" {
			return "gogofaster"
		}
		return ""
	})
	if found.Errors() > 0 {
		t.Fatal(found)
	}
	g, found := gogoshape.New(res.Schema, facts,
		gogoshape.Options{File: func(string) gogoshape.FileOptions {
			return gogoshape.FileOptions{Suffix: ".pb.go", Registry: gogoshape.RegistryGogo}
		}})
	if found.Errors() > 0 {
		t.Fatal(found)
	}
	outs := g.Outputs()
	if len(outs) != 2 {
		t.Fatalf("%d outputs", len(outs))
	}
	for _, o := range outs {
		text, err := g.Generate(o)
		if err != nil {
			t.Fatal(err)
		}
		text = compressed.ReplaceAll(text, []byte("[]byte{}"))
		name := "testdata/" + o.Path + ".golden"
		want, err := os.ReadFile(name)
		if err != nil && !*update {
			t.Fatal(err)
		}
		if string(want) != string(text) {
			t.Errorf("%s is\n%s", o.Path, text)
			if *update {
				if err := os.WriteFile(name, text, 0o644); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}
