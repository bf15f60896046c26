package octopus_test

import (
	"flag"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/octopus-framework/octopus/internal/oracle"
)

var update = flag.Bool("update", false,
	"write what generated code uses of the runtime to api.txt of the newest contract")

// contracts are what generated code uses, by the folders that have the numbered packages.
var contracts = []struct {
	folder string
	// called are packages of which api.txt lists what the generated code of this repository uses,
	// and whole those of which it lists all: no code that calls those is checked in.
	called, whole []string
}{
	{"gremlin/rt", []string{"/gremlin/rt", "/gremlin/json/rt", "/gremlin/validate/rt"},
		[]string{"/gremlin/std/field"}},
	{"gremlin/gogo", nil, []string{"/gremlin/gogo", "/gremlin/std"}},
	{"gremlin/gremlingrpc", []string{"/gremlin/gremlingrpc/rt"}, nil},
	{"gremlin/gremlinconnect", []string{"/gremlin/gremlinconnect/rt"}, nil},
}

// TestContractAPI holds the runtime to its contracts: what generated code uses is what the newest
// contract lists, and what the older ones list is still there. docs/compatibility.md says what to
// do when it fails.
func TestContractAPI(t *testing.T) {
	used, all := runtimeUse(t)
	for _, c := range contracts {
		t.Run(c.folder, func(t *testing.T) {
			var lines []string
			known := map[string]bool{}
			for _, pkg := range append(c.called, c.whole...) {
				if slices.Contains(c.whole, pkg) {
					lines = append(lines, all[module+pkg]...)
				} else {
					lines = append(lines, used[module+pkg]...)
				}
				for _, line := range all[module+pkg] {
					known[line] = true
				}
			}
			slices.Sort(lines)
			holdContracts(t, c.folder, lines, known)
		})
	}
}

// holdContracts compares the contracts of a folder with what generated code uses and what there is.
func holdContracts(t *testing.T, folder string, used []string, all map[string]bool) {
	t.Helper()
	folders, err := filepath.Glob(folder + "/contract[0-9]*")
	if err != nil || len(folders) == 0 {
		t.Fatalf("no contracts: %v", err)
	}
	if len(used) == 0 {
		t.Fatal("generated code uses nothing of it")
	}
	slices.SortFunc(folders, func(a, b string) int { // contract10 is newer than contract9
		if len(a) != len(b) {
			return len(a) - len(b)
		}
		return strings.Compare(a, b)
	})
	for i, folder := range folders {
		file := filepath.Join(folder, "api.txt")
		listed, err := os.ReadFile(file)
		if newest := i == len(folders)-1; newest {
			got := strings.Join(used, "\n") + "\n"
			if err == nil && string(listed) == got {
				continue
			}
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			t.Errorf(
				"generated code uses other parts of the runtime than %s lists: if that contract is in a release add a new one, "+
					"else run this test with -update. %s", file,
				difference(strings.Split(string(listed), "\n"), used))
			continue
		}
		if err != nil {
			continue // it was dropped: docs/compatibility.md
		}
		for line := range strings.Lines(string(listed)) {
			if line = strings.TrimSpace(line); !all[line] {
				t.Errorf("%s: the runtime has no %q any more", file, line)
			}
		}
	}
}

// difference returns the first lines that only one of two lists has.
func difference(listed, used []string) string {
	for _, line := range used {
		if !slices.Contains(listed, line) {
			return "New: " + line
		}
	}
	for _, line := range listed {
		if line != "" && !slices.Contains(used, line) {
			return "Not used any more: " + line
		}
	}
	return ""
}

// runtimeUse returns what the generated code of this repository uses of the packages of contracts,
// by package, a line each with its type, and all that they export.
func runtimeUse(t *testing.T) (used, all map[string][]string) {
	t.Helper()
	called := map[string]bool{}
	for _, c := range contracts {
		for _, pkg := range append(c.called, c.whole...) {
			called[module+pkg] = true
		}
	}
	if _, err := os.Stat("conformance/internal/gen"); err != nil {
		oracle.Skip(t, "generated", "conformance has no code: make conformance-code writes it")
	}
	exports := map[string]string{} // import path to the file with its exported types
	sources := map[string][]string{}
	for _, dir := range []string{"gremlin", "conformance", "conformance/otlp",
		"gremlin/gremlingrpc", "gremlin/gremlinconnect", "examples/deposits", "examples/signup",
		"examples/shop"} {
		cmd := exec.Command("go", "list", "-export", "-deps", "-f",
			"{{.ImportPath}}\t{{.Export}}\t{{.Dir}}\t{{join .GoFiles \" \"}}", "./...")
		cmd.Dir = dir
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("go list in %s: %v", dir, err)
		}
		for line := range strings.Lines(string(out)) {
			f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
			exports[f[0]] = f[1]
			for _, name := range strings.Fields(f[3]) {
				if strings.HasPrefix(f[0], module) && strings.HasSuffix(name, ".gremlin.go") {
					sources[f[0]] = append(sources[f[0]], filepath.Join(f[2], name))
				}
			}
		}
	}
	if len(sources) < 5 {
		t.Fatalf("only %d packages of generated code found", len(sources))
	}
	fset := token.NewFileSet()
	imp := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(exports[path])
	})
	// wkt has methods in files that are not generated
	config := types.Config{Importer: imp, Error: func(error) {}}
	uses := map[types.Object]bool{}
	for path, names := range sources {
		var files []*ast.File
		for _, name := range names {
			file, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, file)
		}
		info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
		if _, err := config.Check(path, fset, files, info); err != nil &&
			!strings.HasSuffix(path, "/wkt") {
			t.Fatal(err)
		}
		for _, obj := range info.Uses {
			if obj.Pkg() != nil && obj.Exported() && called[obj.Pkg().Path()] {
				uses[origin(obj)] = true
			}
		}
	}
	lines := map[types.Object]string{}
	used, all = map[string][]string{}, map[string][]string{}
	for path := range called {
		pkg, err := imp.Import(path)
		if err != nil {
			t.Fatal(err)
		}
		exported(pkg, func(obj types.Object, line string) {
			lines[obj], all[path] = line, append(all[path], line)
		})
	}
	for obj := range uses {
		if lines[obj] == "" {
			t.Errorf("generated code uses %v, which is not found in what the runtime exports", obj)
		}
		path := obj.Pkg().Path()
		used[path] = append(used[path], lines[obj])
	}
	return used, all
}

// origin returns the generic method or field that obj may be an instance of.
func origin(obj types.Object) types.Object {
	switch o := obj.(type) {
	case *types.Func:
		return o.Origin()
	case *types.Var:
		return o.Origin()
	}
	return obj
}

// exported calls yield for all that pkg exports, methods and fields of its types included, with a
// line for each that has its type, unless it is a type itself.
func exported(pkg *types.Package, yield func(types.Object, string)) {
	qualifier := func(p *types.Package) string {
		return strings.TrimPrefix(p.Path(), module+"/gremlin/")
	}
	scope := pkg.Scope()
	for _, name := range scope.Names() {
		obj := scope.Lookup(name)
		if !obj.Exported() {
			continue
		}
		typ, isType := obj.(*types.TypeName)
		if !isType {
			yield(obj, types.ObjectString(obj, qualifier))
			continue
		}
		full := qualifier(pkg) + "." + name
		yield(obj, "type "+full)
		if typ.IsAlias() {
			continue
		}
		for m := range typ.Type().(*types.Named).Methods() {
			yield(m, types.ObjectString(m, qualifier))
		}
		switch under := typ.Type().Underlying().(type) {
		case *types.Struct:
			for f := range under.Fields() {
				if f.Exported() {
					yield(f, "field "+full+"."+f.Name()+" "+types.TypeString(f.Type(), qualifier))
				}
			}
		case *types.Interface:
			for m := range under.Methods() {
				yield(m, types.ObjectString(m, qualifier))
			}
		}
	}
}
