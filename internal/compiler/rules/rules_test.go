package rules_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/octopus-framework/octopus/compiler/report"
	"github.com/octopus-framework/octopus/compiler/source"
	"github.com/octopus-framework/octopus/internal/compiler/describe"
	"github.com/octopus-framework/octopus/internal/compiler/link"
	"github.com/octopus-framework/octopus/internal/compiler/options"
	"github.com/octopus-framework/octopus/internal/compiler/rules"
	"github.com/octopus-framework/octopus/internal/compiler/syntax"
	"github.com/octopus-framework/octopus/internal/oracle"
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
// accepted. What protoc says is compared with the protoc of this machine, if there is one.
func TestRules(t *testing.T) {
	archives, err := filepath.Glob(filepath.Join("testdata", "*.txtar"))
	if err != nil || len(archives) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	protoc := findProtoc(t)
	for _, path := range archives {
		group := strings.TrimSuffix(filepath.Base(path), ".txtar")
		t.Run(group, func(t *testing.T) { testArchive(t, path, protoc) })
	}
}

func testArchive(t *testing.T, path, protoc string) {
	a, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	names, all := cases(a)
	out := &txtar.Archive{Comment: a.Comment}
	for _, name := range names {
		files := all[name]
		want := [2]string{files["want.protoc"], files["want.gremlin"]}
		delete(files, "want.protoc")
		delete(files, "want.gremlin")
		got := want
		t.Run(name, func(t *testing.T) {
			found := check(t, files)
			w := report.Text{Source: func(name string) (string, bool) {
				text, ok := files[name]
				return text, ok
			}}
			var text strings.Builder
			if err := w.Write(&text, found); err != nil {
				t.Fatal(err)
			}
			got[1] = text.String()
			refused := !strings.HasPrefix(name, "ok_")
			if (found.Errors() > 0) != refused {
				t.Errorf("refused: %v", found.Errors() > 0)
			}
			if protoc != "" {
				var wrong bool
				got[0], wrong = ask(t, protoc, files)
				if wrong != refused {
					t.Errorf("refused by protoc: %v", wrong)
				}
			}
			for i, who := range []string{"protoc", "gremlin"} {
				if got[i] != want[i] {
					t.Errorf("%s says\n%s\nwant\n%s", who, got[i], want[i])
				}
			}
		})
		for _, f := range slices.Sorted(maps.Keys(files)) {
			out.Files = append(out.Files, txtar.File{Name: name + "/" + f, Data: []byte(files[f])})
		}
		for i, f := range []string{"want.protoc", "want.gremlin"} {
			if got[i] != "" {
				file := txtar.File{Name: name + "/" + f, Data: []byte(got[i])}
				out.Files = append(out.Files, file)
			}
		}
	}
	if *update {
		if err := os.WriteFile(path, txtar.Format(out), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

var tools = filepath.Join("..", "..", "..", ".tools")

// findProtoc returns the protoc that "make tools" gets, or "".
func findProtoc(t *testing.T) string {
	t.Helper()
	path := filepath.Join(tools, "bin", "protoc")
	if _, err := os.Stat(path); err != nil {
		oracle.Missing(t, "protoc",
			path+" is not there (make tools); only the goldens are compared")
		return ""
	}
	return path
}

// ask returns what protoc says of files, and whether it refuses them.
func ask(t *testing.T, protoc string, files map[string]string) (said string, refused bool) {
	t.Helper()
	dir := t.TempDir()
	args := []string{"-I", dir, "-I", filepath.Join(tools, "include"), "-o", os.DevNull}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(files[name]), 0o666); err != nil {
			t.Fatal(err)
		}
		args = append(args, name)
	}
	out, err := exec.Command(protoc, args...).CombinedOutput()
	return strings.ReplaceAll(string(out), dir+"/", ""), err != nil
}

// check checks files by their names.
func check(t testing.TB, files map[string]string) report.List {
	linked, types, found := load(t, files)
	for _, f := range linked {
		_, asked := files[f.Path]
		found = append(found, rules.Declared(f.File, asked)...)
		found = append(found, rules.Resolved(f, types)...)
	}
	return found.Sorted()
}

// load does to files what is done before rules check them.
func load(t testing.TB, files map[string]string) ([]*link.File, *rules.Types, report.List) {
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
	for _, name := range slices.Sorted(maps.Keys(files)) {
		add(name)
	}
	pool := link.NewPool()
	linked, wrong := pool.Link(all, link.Options{})
	found = append(found, wrong...)
	found = append(found, options.Read(pool, linked, options.Options{})...)
	return linked, rules.NewTypes(pool), found
}

// TestNoAllocations checks files of which one has many more declarations than the other, all of
// them good: not more is allocated.
func TestNoAllocations(t *testing.T) {
	allocations := func(n int) float64 {
		var b strings.Builder
		b.WriteString("edition = \"2024\";\npackage p;\n")
		for i := range n {
			fmt.Fprintf(&b, "message M%d {\n", i)
			b.WriteString("  int32 b_a = 3;\n  string a = 2;\n  M0 m = 1;\n" +
				"  map<int32, M1> t = 9;\n" +
				"  repeated E0 d = 4;\n  oneof o {\n    E1 f = 8;\n  }\n  reserved 6, 5, 7;\n" +
				"  reserved g, h;\n  extensions 10 to 20;\n}\n")
			fmt.Fprintf(&b, "enum E%d {\n  E%[1]d_Z = 0;\n  E%[1]d_B = 3;\n  E%[1]d_A = 2;\n"+
				"  reserved 5, 4;\n}\n", i)
			fmt.Fprintf(&b, "extend M%d {\n  int32 x%[1]d = 10;\n}\n", i)
		}
		linked, types, found := load(t, map[string]string{"a.proto": b.String()})
		return testing.AllocsPerRun(5, func() {
			for _, f := range linked {
				found = append(found, rules.Declared(f.File, true)...)
				found = append(found, rules.Resolved(f, types)...)
			}
			if len(found) > 0 {
				t.Fatal(found)
			}
		})
	}
	few, many := allocations(10), allocations(1000)
	t.Logf("%v and %v", few, many)
	if many > few+40 { // lists that are not long enough
		t.Errorf("%v allocations for 10 messages, %v for 1000", few, many)
	}
}
