package rules_test

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/octopus-framework/octopus/compiler/describe"
	"github.com/octopus-framework/octopus/compiler/link"
	"github.com/octopus-framework/octopus/compiler/report"
	"github.com/octopus-framework/octopus/compiler/rules"
	"github.com/octopus-framework/octopus/compiler/source"
	"github.com/octopus-framework/octopus/compiler/syntax"
)

var update = flag.Bool("update", false, "write the goldens in testdata anew")

// cases returns the cases of an archive: files in folders, in which want.protoc and want.gremlin
// are what the two say.
func cases(a *txtar.Archive) (names []string, files map[string]map[string]string) {
	files = map[string]map[string]string{}
	for _, f := range a.Files {
		name, file, _ := strings.Cut(f.Name, "/")
		if files[name] == nil {
			files[name] = map[string]string{}
			names = append(names, name)
		}
		files[name][file] = string(f.Data)
	}
	return names, files
}

// TestRules checks the files in testdata: each error that protoc's descriptor builder has about
// what a .proto file declares, and what is just right. Those whose names start with ok_ are
// accepted.
func TestRules(t *testing.T) {
	archives, err := filepath.Glob(filepath.Join("testdata", "*.txtar"))
	if err != nil || len(archives) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, path := range archives {
		a, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		names, files := cases(a)
		out := &txtar.Archive{Comment: a.Comment}
		group := strings.TrimSuffix(filepath.Base(path), ".txtar")
		for _, name := range names {
			t.Run(group+"/"+name, func(t *testing.T) {
				in := files[name]
				want := in["want.gremlin"]
				delete(in, "want.gremlin")
				said := in["want.protoc"]
				delete(in, "want.protoc")
				found := check(t, in)
				var text strings.Builder
				w := report.Text{Source: func(name string) (string, bool) { s, ok := in[name]; return s, ok }}
				if err := w.Write(&text, found); err != nil {
					t.Fatal(err)
				}
				got := text.String()
				if got != want {
					t.Errorf("it says\n%s\nwant\n%s", got, want)
				}
				if refused := !strings.HasPrefix(name, "ok_"); (found.Errors() > 0) != refused {
					t.Errorf("accepted: %v, protoc says\n%s", found.Errors() == 0, said)
				}
				for _, f := range slices.Sorted(keys(in)) {
					out.Files = append(out.Files, txtar.File{Name: name + "/" + f, Data: []byte(in[f])})
				}
				for _, f := range [][2]string{{"want.protoc", said}, {"want.gremlin", got}} {
					if f[1] != "" {
						out.Files = append(out.Files, txtar.File{Name: name + "/" + f[0], Data: []byte(f[1])})
					}
				}
			})
		}
		if *update {
			if err := os.WriteFile(path, txtar.Format(out), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func keys(m map[string]string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// check checks files by their names.
func check(t *testing.T, files map[string]string) report.List {
	src := source.New(t.TempDir())
	for name, text := range files {
		src.Put(name, text)
	}
	var all []*describe.File
	var found report.List
	seen := map[string]bool{}
	var add func(path string)
	add = func(path string) {
		if seen[path] {
			return
		}
		seen[path] = true
		f, err := src.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		tree, wrong := syntax.Parse(path, f.Text)
		found = append(found, wrong...)
		d, wrong := describe.Describe(tree)
		found = append(found, wrong...)
		for _, imported := range slices.Concat(d.Proto.Dependency, d.Proto.OptionDependency) {
			add(imported)
		}
		all = append(all, d)
	}
	for _, name := range slices.Sorted(keys(files)) {
		add(name)
	}
	pool := link.NewPool()
	linked, wrong := pool.Link(all, link.Options{})
	found = append(found, wrong...)
	types := rules.NewTypes(pool, linked)
	for _, f := range linked {
		_, asked := files[f.Path]
		found = append(found, rules.Declared(f.File, asked)...)
		found = append(found, rules.Resolved(f, types)...)
	}
	return found.Sorted()
}

var _ = exec.Command
