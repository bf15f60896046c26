package link_test

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/octopus-framework/octopus/compiler/report"
	"github.com/octopus-framework/octopus/internal/compiler/describe"
	"github.com/octopus-framework/octopus/internal/compiler/link"
	"github.com/octopus-framework/octopus/internal/compiler/syntax"
)

// FuzzLink describes and links two files of any text, one of which the other may import, and looks
// up the place of everything: there is no panic, and what is said is inside the files.
func FuzzLink(f *testing.F) {
	archives, err := filepath.Glob(filepath.Join("testdata", "*", "*.txtar"))
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range append(archives, filepath.Join("testdata", "places.txtar")) {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		files := txtar.Parse(data).Files
		for i := range files {
			f.Add(string(files[i].Data), string(files[(i+1)%len(files)].Data))
		}
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		var files []*describe.File
		broken := map[string]bool{}
		for i, text := range []string{a, b} {
			path := []string{"a.proto", "b.proto"}[i]
			tree, found := syntax.Parse(path, text)
			broken[path] = found.Errors() > 0
			d, more := describe.Describe(tree)
			check(t, text, more)
			files = append(files, d)
			if !broken[path] {
				for _, l := range d.SourceInfo().Location {
					if len(l.Span) != 3 && len(l.Span) != 4 {
						t.Fatalf("span %v", l.Span)
					}
				}
			}
			places(t, d)
			d.Complete()
		}
		pool := link.NewPool()
		linked, found := pool.Link(files, link.Options{
			Broken: func(path string) bool { return broken[path] }, Parallel: 1})
		for _, d := range found {
			check(t, map[string]string{"a.proto": a, "b.proto": b}[d.File], report.List{d})
		}
		for _, f := range linked {
			f.Unused()
		}
		pool.Drop("a.proto", "b.proto")
		for _, f := range files {
			if s := pool.Find(f.Proto.GetPackage() + ".M"); s.Kind > link.Package {
				t.Fatalf("%s is still there", s.FullName())
			}
		}
	})
}

// check looks whether diagnostics are inside of a text.
func check(t *testing.T, text string, found report.List) {
	t.Helper()
	places := report.NewPlaces(text)
	lines, _ := places.Position(len(text))
	for _, d := range found {
		if d.Line < 1 || d.Line > lines || d.Message == "" {
			t.Fatalf("%v", d)
		}
	}
}

// places asks for the place of each part of each element of a file.
func places(t *testing.T, f *describe.File) {
	t.Helper()
	for _, m := range f.Proto.MessageType {
		for part := describe.Whole; part <= describe.Header; part++ {
			if s := f.Span(m, part); s.End <= s.Start || int(s.End) > len(f.Tree.Text) {
				t.Fatalf("part %d of %s is at %v", part, m.GetName(), s)
			}
			for _, field := range m.Field {
				if s := f.Span(field, part); s.End <= s.Start {
					t.Fatalf("part %d of %s is at %v", part, field.GetName(), s)
				}
			}
		}
		for i := range m.ReservedName {
			f.ReservedName(m, i)
		}
	}
}
