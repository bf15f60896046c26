package link_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/octopus-framework/octopus/compiler/report"
	"github.com/octopus-framework/octopus/internal/compiler/describe"
	"github.com/octopus-framework/octopus/internal/compiler/link"
	"github.com/octopus-framework/octopus/internal/compiler/syntax"
)

var update = flag.Bool("update", false, "write the diagnostics into testdata/errors")

// TestErrors compares what is said about the files of testdata/errors, which have errors.
func TestErrors(t *testing.T) {
	names, err := filepath.Glob(filepath.Join("testdata", "errors", "*.txtar"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			var files []*describe.File
			var want []byte
			texts := map[string]string{}
			kept := archive.Files[:0]
			for _, f := range archive.Files {
				if f.Name == "want" {
					want = f.Data
					continue
				}
				kept = append(kept, f)
				texts[f.Name] = string(f.Data)
				tree, found := syntax.Parse(f.Name, string(f.Data))
				if found.Errors() > 0 {
					t.Fatal(found)
				}
				d, _ := describe.Describe(tree)
				files = append(files, d)
			}
			linked, found := link.NewPool().Link(files, link.Options{})
			if found.Errors() == 0 {
				for _, f := range linked {
					found = append(found, f.Unused()...)
				}
			}
			var b bytes.Buffer
			text := report.Text{Source: func(name string) (string, bool) {
				text, ok := texts[name]
				return text, ok
			}}
			if err := text.Write(&b, found.Sorted()); err != nil {
				t.Fatal(err)
			}
			for _, f := range linked {
				if f.Held() > 0 {
					b.WriteString("held back in " + f.Path + "\n")
				}
			}
			if *update {
				archive.Files = append(kept, txtar.File{Name: "want", Data: b.Bytes()})
				if err := os.WriteFile(name, txtar.Format(archive), 0o600); err != nil {
					t.Fatal(err)
				}
			} else if b.String() != string(want) {
				t.Errorf("got\n%s\nwant\n%s", b.String(), want)
			}
		})
	}
}
