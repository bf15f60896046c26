package golang_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"go/format"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/octopus-framework/octopus/compiler"
	"github.com/octopus-framework/octopus/compiler/report"
	"github.com/octopus-framework/octopus/compiler/source"
	"github.com/octopus-framework/octopus/internal/compiler/golang"
	"github.com/octopus-framework/octopus/internal/compiler/schema"
	"github.com/octopus-framework/octopus/internal/compiler/validate"
)

var update = flag.Bool("update", false, "rewrite the golden files; the run still fails")

// compile compiles the .proto files of an archive.
func compile(t *testing.T, files []txtar.File) *schema.Schema {
	t.Helper()
	return compileAll(t, files).Schema
}

// compileAll is compile with descriptors.
func compileAll(t *testing.T, files []txtar.File) *compiler.Result {
	t.Helper()
	dir := t.TempDir()
	var names []string
	for _, f := range files {
		if filepath.Ext(f.Name) != ".proto" {
			continue
		}
		path := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
		names = append(names, f.Name)
	}
	res := compiler.Compile(context.Background(),
		compiler.Options{Sources: source.New(dir), Files: names})
	if res.Schema == nil {
		t.Fatal(res.Diagnostics)
	}
	return res
}

// TestGolden compares what is generated for the .proto files of each archive in testdata with the
// .go files beside them, or the diagnostics with want.stderr.
func TestGolden(t *testing.T) {
	archives, _ := filepath.Glob("testdata/*.txtar")
	if len(archives) == 0 {
		t.Fatal("no archives")
	}
	for _, path := range archives {
		t.Run(filepath.Base(path), func(t *testing.T) {
			a, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			opts := golang.Options{Module: "example.com/gen",
				PointerLists:    strings.Contains(string(a.Comment), "pointer_lists"),
				JSON:            strings.HasPrefix(string(a.Comment), "json:"),
				GRPC:            strings.HasPrefix(string(a.Comment), "grpc"),
				GRPCMessages:    strings.HasPrefix(string(a.Comment), "grpc_in=message:"),
				Connect:         strings.Contains(string(a.Comment), "connect"),
				ConnectMessages: strings.HasPrefix(string(a.Comment), "connect_in=message:")}
			if strings.HasPrefix(string(a.Comment), "grpc_descriptors:") {
				opts.Descriptors = map[string][]byte{"a/b.proto": []byte(
					"\n\x09a/b.proto \"quoted\" \\ and more than a line of it: \xc3\xa9")}
			}
			if strings.HasPrefix(string(a.Comment), "json_hex:") {
				opts.JSON = true
				opts.Hex = func(name string) bool { return strings.HasSuffix(name, "_id") }
			}
			got := map[string][]byte{}
			res := compileAll(t, a.Files)
			var found report.List
			if strings.HasPrefix(string(a.Comment), "validate:") {
				opts.Validate, found = validate.Read(res.Schema, res.Descriptors, opts.Other)
			}
			if strings.Contains(string(a.Comment), "_std") {
				opts.Std = stdFields(res.Schema)
			}
			g, more := golang.New(res.Schema, opts)
			if found = append(found, more...); found.Errors() > 0 {
				g = nil
			}
			for _, d := range found {
				line := d.Error()
				if d.Hint != "" {
					line += "\n\thint: " + d.Hint
				}
				got["want.stderr"] = append(got["want.stderr"], line+"\n"...)
			}
			if g != nil {
				for _, out := range g.Outputs() {
					text, err := g.Generate(out)
					if err != nil {
						t.Fatal(err)
					}
					if want, err := format.Source(text); err != nil || !bytes.Equal(text, want) {
						t.Errorf("%s is not as gofmt would have it (%v):\n%s", out.Path,
							err, firstDifference(text, want))
					}
					got[out.Path] = text
				}
			}
			compareArchive(t, path, a, got)
		})
	}
}

// stdFields has the fields whose names end in _std.
func stdFields(s *schema.Schema) map[string]golang.StdField {
	std := map[string]golang.StdField{}
	for _, file := range s.Files {
		for m := range file.AllMessages() {
			for _, f := range m.Fields {
				if strings.HasSuffix(f.Name, "_std") {
					std[f.FullName] = golang.StdField{}
				}
			}
		}
	}
	return std
}

// firstDifference returns the first line that differs, as it is and as it should be.
func firstDifference(got, want []byte) string {
	g, w := bytes.Split(got, []byte("\n")), bytes.Split(want, []byte("\n"))
	for i := range min(len(g), len(w)) {
		if !bytes.Equal(g[i], w[i]) {
			return fmt.Sprintf("line %d is %q, not %q", i+1, g[i], w[i])
		}
	}
	return fmt.Sprintf("%d lines, not %d", len(g), len(w))
}

func compareArchive(t *testing.T, path string, a *txtar.Archive, got map[string][]byte) {
	var files []txtar.File
	seen := map[string]bool{}
	for _, f := range a.Files {
		if filepath.Ext(f.Name) == ".proto" {
			files = append(files, f)
			continue
		}
		seen[f.Name] = true
		if text, ok := got[f.Name]; ok {
			if !bytes.Equal(text, f.Data) {
				t.Errorf("%s differs (run with -update and look at the difference)", f.Name)
			}
			files = append(files, txtar.File{Name: f.Name, Data: text})
		} else {
			t.Errorf("%s was not generated", f.Name)
		}
	}
	for name, text := range got {
		if !seen[name] {
			t.Errorf("%s is not in the archive", name)
			files = append(files, txtar.File{Name: name, Data: text})
		}
	}
	if *update && t.Failed() {
		if err := os.WriteFile(path, txtar.Format(&txtar.Archive{Comment: a.Comment, Files: files}),
			0o666); err != nil {
			t.Fatal(err)
		}
	}
}
