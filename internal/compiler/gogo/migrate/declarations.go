package migrate

import (
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"slices"
	"strings"
)

// declarations returns what a generated file declares for others: types with their fields and
// tags, exported methods, functions, constants and variables. Bodies are left out, and so is what
// both generators have for themselves.
func declarations(f *ast.File, imports map[string]string) map[string]string {
	d := &declarer{imports: imports, out: map[string]string{}}
	for _, decl := range f.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			d.function(decl)
		case *ast.GenDecl:
			d.general(decl)
		}
	}
	maps.DeleteFunc(d.out, func(name, _ string) bool {
		_, method, _ := strings.Cut(name, ".")
		return ofUs(name) || ofUs(method)
	})
	return d.out
}

// ofUs tells whether a name is one that only our code has, for itself: gogo's users have none that
// starts like that.
func ofUs(name string) bool {
	return strings.HasPrefix(name, "gremlin") || strings.HasPrefix(name, "Gremlin")
}

type declarer struct {
	imports map[string]string
	out     map[string]string
}

func (d *declarer) function(f *ast.FuncDecl) {
	name := f.Name.Name
	if f.Recv != nil && len(f.Recv.List) == 1 {
		name = d.typ(f.Recv.List[0].Type) + "." + name
		name = strings.TrimPrefix(name, "*")
	}
	if !f.Name.IsExported() {
		return
	}
	star := ""
	if f.Recv != nil && strings.HasPrefix(d.typ(f.Recv.List[0].Type), "*") {
		star = "*"
	}
	d.out[name] = star + d.typ(f.Type)
}

func (d *declarer) general(g *ast.GenDecl) {
	for _, s := range g.Specs {
		switch s := s.(type) {
		case *ast.TypeSpec:
			d.out[s.Name.Name] = d.typ(s.Type)
			if st, ok := s.Type.(*ast.StructType); ok {
				delete(d.out, s.Name.Name)
				d.structOf(s.Name.Name, st)
			}
		case *ast.ValueSpec:
			for i, n := range s.Names {
				if !n.IsExported() {
					continue
				}
				value := ""
				if g.Tok == token.CONST && i < len(s.Values) {
					if b, ok := s.Values[i].(*ast.BasicLit); ok {
						value = " = " + b.Value
					}
				}
				d.out[n.Name] = g.Tok.String() + value
			}
		}
	}
}

// structOf notes a struct as a whole by the order of its fields, and each field.
func (d *declarer) structOf(name string, s *ast.StructType) {
	var order []string
	for _, f := range s.Fields.List {
		tag := ""
		if f.Tag != nil {
			tag = " " + f.Tag.Value
		}
		names := []string{d.typ(f.Type)}
		for i, n := range f.Names {
			if i == 0 {
				names = nil
			}
			names = append(names, n.Name)
		}
		for _, n := range names {
			order = append(order, n)
			d.out[name+" field "+n] = d.typ(f.Type) + tag
		}
	}
	d.out[name] = "struct {" + strings.Join(order, ", ") + "}"
}

// typ writes a type with import paths in place of the names that a file gives packages.
func (d *declarer) typ(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		if e.Name == "any" {
			return "interface{}"
		}
		return e.Name
	case *ast.SelectorExpr:
		if x, ok := e.X.(*ast.Ident); ok {
			if p, ok := d.imports[x.Name]; ok {
				return p + "." + e.Sel.Name
			}
		}
		return d.typ(e.X) + "." + e.Sel.Name
	case *ast.StarExpr:
		return "*" + d.typ(e.X)
	case *ast.ArrayType:
		if l, ok := e.Len.(*ast.BasicLit); ok {
			return "[" + l.Value + "]" + d.typ(e.Elt)
		}
		return "[]" + d.typ(e.Elt)
	case *ast.MapType:
		return "map[" + d.typ(e.Key) + "]" + d.typ(e.Value)
	case *ast.Ellipsis:
		return "..." + d.typ(e.Elt)
	case *ast.InterfaceType:
		var methods []string
		for _, m := range e.Methods.List {
			name := ""
			if len(m.Names) > 0 {
				name = m.Names[0].Name
			}
			methods = append(methods, name+d.typ(m.Type))
		}
		slices.Sort(methods)
		return "interface{" + strings.Join(methods, "; ") + "}"
	case *ast.FuncType:
		return "(" + d.fields(e.Params) + ") (" + d.fields(e.Results) + ")"
	case *ast.StructType:
		return "struct{" + d.fields(e.Fields) + "}"
	}
	return fmt.Sprintf("%T", e)
}

// fields writes the types of parameters or results; names are no part of them.
func (d *declarer) fields(list *ast.FieldList) string {
	if list == nil {
		return ""
	}
	var types []string
	for _, f := range list.List {
		for range max(1, len(f.Names)) {
			types = append(types, d.typ(f.Type))
		}
	}
	return strings.Join(types, ", ")
}

// differences names what two files declare differently, as a reader of the old one sees it.
func differences(old, ours map[string]string) (out []string) {
	for _, name := range slices.Sorted(maps.Keys(old)) {
		now, ok := ours[name]
		switch {
		case !ok:
			out = append(out, fmt.Sprintf("%s: %s is not generated", name, old[name]))
		case now != old[name]:
			out = append(out, fmt.Sprintf("%s is %s, generated %s", name, old[name], now))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(ours)) {
		if _, ok := old[name]; !ok {
			out = append(out, fmt.Sprintf("%s: %s is not there, and generated", name, ours[name]))
		}
	}
	return out
}
