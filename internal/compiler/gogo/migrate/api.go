package migrate

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/octopus-framework/octopus/internal/compiler/gogo/migrate/sidebyside"
)

// compareAPI compares what the old and the new package export. Unexported names count where
// somebody uses them, which shows when the package and its tests are compiled.
func (t *Tree) compareAPI(ctx context.Context, flag, dir string) ([]sidebyside.Difference, error) {
	base := "./" + dir
	out, err := t.goTool(ctx, "list", flag, "-deps", "-export", "-f", "{{.ImportPath}} {{.Export}}",
		base, base+"/"+oldFolder)
	if err != nil {
		return nil, err
	}
	exports := map[string]string{}
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		if p, file, ok := strings.Cut(lines.Text(), " "); ok {
			exports[p] = file
		}
	}
	imp := importer.ForCompiler(token.NewFileSet(), "gc", func(p string) (io.ReadCloser, error) {
		return os.Open(exports[p])
	})
	ours, err := imp.Import(path.Join(t.Module, dir))
	if err != nil {
		return nil, err
	}
	old, err := imp.Import(path.Join(t.Module, dir, oldFolder))
	if err != nil {
		return nil, err
	}
	a, b := exported(old), exported(ours)
	var found []sidebyside.Difference
	for _, name := range slices.Sorted(maps.Keys(union(a, b))) {
		_, method, _ := strings.Cut(name, ".")
		if a[name] == b[name] || a[name] == "" && (ofUs(name) || ofUs(method)) {
			continue
		}
		show := func(s string) string {
			if s == "" {
				return "is not there"
			}
			return s
		}
		found = append(found, sidebyside.Difference{Package: dir, Message: name, Property: "API",
			Detail: fmt.Sprintf("old %s, new %s", show(a[name]), show(b[name]))})
	}
	return found, nil
}

func union(a, b map[string]string) map[string]string {
	out := maps.Clone(a)
	maps.Copy(out, b)
	return out
}

// exported describes the exported objects of a package, and the methods of its types.
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
		nameless := func(vars *types.Tuple) *types.Tuple {
			var list []*types.Var
			for v := range vars.Variables() {
				list = append(list, types.NewParam(0, nil, "", v.Type()))
			}
			return types.NewTuple(list...)
		}
		return types.TypeString(types.NewSignatureType(nil, nil, nil, nameless(s.Params()),
			nameless(s.Results()), s.Variadic()), qualifier)
	}
	for _, name := range pkg.Scope().Names() {
		o := pkg.Scope().Lookup(name)
		if !o.Exported() {
			continue
		}
		switch o := o.(type) {
		case *types.TypeName:
			out[name] = "type " + types.TypeString(o.Type().Underlying(), qualifier)
			for m := range types.NewMethodSet(types.NewPointer(o.Type())).Methods() {
				s, ok := m.Type().(*types.Signature)
				if !ok || !m.Obj().Exported() {
					continue
				}
				receiver := "*"
				if types.NewMethodSet(o.Type()).Lookup(pkg, m.Obj().Name()) != nil {
					receiver = ""
				}
				out[name+"."+m.Obj().Name()] = "method of " + receiver + "T: " + signature(s)
			}
		case *types.Func:
			if s, ok := o.Type().(*types.Signature); ok {
				out[name] = signature(s)
			}
		case *types.Const:
			out[name] = "const " + types.TypeString(o.Type(), qualifier) + " = " +
				o.Val().ExactString()
		default:
			out[name] = "var " + types.TypeString(o.Type(), qualifier)
		}
	}
	return out
}
