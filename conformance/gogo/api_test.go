package gogo_test

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/printer"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// compareAPI compares what two packages of the scratch module export: objects, types, fields,
// methods. Methods whose name starts with Gremlin are ours alone.
func compareAPI(t *testing.T, dir, name string) {
	t.Helper()
	exports := map[string]string{}
	for line := range strings.Lines(run(t, dir, "list", "-deps", "-export", "-f",
		"{{.ImportPath}} {{.Export}}", "./old/"+name, "./new/"+name)) {
		if f := strings.Fields(line); len(f) == 2 {
			exports[f[0]] = f[1]
		}
	}
	imp := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(exports[path])
	})
	load := func(path string) map[string]string {
		pkg, err := imp.Import(path)
		if err != nil {
			t.Fatal(err)
		}
		return exported(pkg)
	}
	old, ours := load(oldPath+name), load(newPath+name)
	for _, k := range slices.Sorted(maps.Keys(old)) {
		if old[k] != ours[k] {
			t.Errorf("%s: %s is %q, gogo's %q", name, k, ours[k], old[k])
		}
	}
	for _, k := range slices.Sorted(maps.Keys(ours)) {
		if _, ok := old[k]; !ok && !strings.Contains(k, ".Gremlin") {
			t.Errorf("%s: %s is not in gogo's API", name, k)
		}
	}
}

// exported describes the exported objects of a package, and the fields and methods of its types.
func exported(pkg *types.Package) map[string]string {
	out := map[string]string{}
	qualifier := func(p *types.Package) string {
		if p == pkg {
			return ""
		}
		return p.Path()
	}
	// Names of parameters are no part of a type.
	signature := func(s *types.Signature) string {
		plain := func(vars *types.Tuple) *types.Tuple {
			var list []*types.Var
			for v := range vars.Variables() {
				list = append(list, types.NewParam(0, nil, "", v.Type()))
			}
			return types.NewTuple(list...)
		}
		return types.TypeString(types.NewSignatureType(nil, nil, nil, plain(s.Params()),
			plain(s.Results()), s.Variadic()), qualifier)
	}
	for _, name := range pkg.Scope().Names() {
		o := pkg.Scope().Lookup(name)
		if !o.Exported() {
			continue
		}
		kind := fmt.Sprintf("%T ", o)
		switch o := o.(type) {
		case *types.TypeName:
			out[name] = kind + types.TypeString(o.Type().Underlying(), qualifier)
			set := types.NewMethodSet(types.NewPointer(o.Type()))
			for m := range set.Methods() {
				if m.Obj().Exported() {
					receiver := "*"
					if types.NewMethodSet(o.Type()).Lookup(pkg, m.Obj().Name()) != nil {
						receiver = ""
					}
					out[name+"."+m.Obj().Name()] = receiver + signature(m.Type().(*types.Signature))
				}
			}
		case *types.Func:
			out[name] = kind + signature(o.Type().(*types.Signature))
		case *types.Const:
			out[name] = kind + types.TypeString(o.Type(), qualifier) + " " + o.Val().ExactString()
		default:
			out[name] = kind + types.TypeString(o.Type(), qualifier)
		}
	}
	return out
}

// helper is a function of a generated file that hand-written code of the same package calls.
var helper = regexp.MustCompile(
	`(?m)^func ((?:encodeVarint|sov|soz|skip|valueToString|valueToGoString|extensionToGoString|randField|randString|randUnrecognized|randUTF8Rune|encodeVarintPopulate)[A-Z]\w*)\(`)

// compareHelpers finds unexported functions of gogo's that ours do not have.
func compareHelpers(t *testing.T, name, old, ours string) {
	t.Helper()
	for _, m := range helper.FindAllStringSubmatch(old, -1) {
		if !strings.Contains(ours, "func "+m[1]+"(") {
			t.Errorf("%s: no function %s", name, m[1])
		}
	}
}

const services = `syntax = "proto3";
package stubs;
option go_package = "example.com/stubs";
message In { string q = 1; }
message Out { string a = 1; }
// Search searches.
service Search {
  // Once asks once.
  rpc Once(In) returns (Out);
  rpc more_answers(In) returns (stream Out);
  rpc Questions(stream In) returns (Out);
  rpc Talk(stream In) returns (stream Out) { option deprecated = true; }
}
service nothing { option deprecated = true; }
`

// TestStubs compares the declarations of gRPC stubs: types, functions and their bodies.
func TestStubs(t *testing.T) {
	gogoFolder(t)
	dir := t.TempDir()
	write(t, dir, map[string]string{"stubs.proto": services})
	req := request(t, []string{dir}, "plugins=grpc,paths=source_relative", "stubs.proto")
	old := declarations(t, gogos(t, "gogofaster", req)["stubs.pb.go"])
	files := ours(t, "gogofaster", req)
	ours := declarations(t, files["stubs_grpc.pb.go"])
	if len(ours) < 30 {
		t.Errorf("only %d declarations", len(ours))
	}
	for name, text := range ours {
		if old[name] == "" {
			t.Errorf("gogo's stubs have no %s", name)
		} else if strings.HasPrefix(name, "type ") && text != old[name] ||
			strings.HasPrefix(name, "func ") && head(text) != head(old[name]) {
			t.Errorf("%s is\n%s, gogo's\n%s", name, text, old[name])
		}
	}
	for name := range old {
		if strings.ContainsAny(name, "SN") &&
			(strings.Contains(name, "Search") || strings.Contains(name, "Nothing") ||
				strings.Contains(name, "search")) && ours[name] == "" {
			t.Errorf("no %s", name)
		}
	}
}

func head(s string) string { s, _, _ = strings.Cut(s, "\n"); return s }

// declarations returns the declarations of a file without comments, by kind and name.
func declarations(t *testing.T, text string) map[string]string {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "x.go", text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	show := func(n any) string {
		var b strings.Builder
		if err := printer.Fprint(&b, fset, n); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			name := "func " + d.Name.Name
			if d.Recv != nil {
				name = "func (" + show(d.Recv.List[0].Type) + ") " + d.Name.Name
			}
			d.Doc = nil
			out[name] = show(d)
		case *ast.GenDecl:
			for _, s := range d.Specs {
				if s, ok := s.(*ast.TypeSpec); ok {
					s.Doc = nil
					ast.Inspect(s, func(n ast.Node) bool {
						if f, ok := n.(*ast.Field); ok {
							f.Doc = nil
						}
						return true
					})
					out["type "+s.Name.Name] = strings.NewReplacer(" { }", "{}",
						" {}", "{}").Replace(strings.Join(strings.Fields(show(s)), " "))
				}
			}
		}
	}
	return out
}
