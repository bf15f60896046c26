package octopus_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// TestPublicNamesNoRuntime reads the signatures of packages for people: they name types of gremlin
// and gremlin/json, not those of the packages for generated code alone, which these stand for.
// Package wkt names the runtime's: programs that use generated code alone do not have gremlin.
func TestPublicNamesNoRuntime(t *testing.T) {
	said := publicPackages(t)
	for _, l := range layers {
		if !strings.HasPrefix(l.pkg, "/gremlin") || said[l.pkg] == forCode || !isPublic(l.pkg) ||
			l.pkg == "/gremlin/wkt" {
			continue
		}
		names, err := filepath.Glob(strings.TrimPrefix(l.pkg, "/") + "/*.go")
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") || strings.HasSuffix(name, ".gremlin.go") {
				continue
			}
			fset := token.NewFileSet()
			file, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			runtimes := runtimesOf(file, said)
			for _, typ := range exportedTypes(file) {
				ast.Inspect(typ, func(n ast.Node) bool {
					sel, ok := n.(*ast.SelectorExpr)
					if !ok {
						return true
					}
					if x, ok := sel.X.(*ast.Ident); ok && runtimes[x.Name] {
						t.Errorf("%s: a package for people names %s.%s", fset.Position(n.Pos()),
							x.Name, sel.Sel.Name)
					}
					return false
				})
			}
		}
	}
}

// runtimesOf returns the names under which a file imports packages for generated code alone.
func runtimesOf(file *ast.File, said map[string]string) map[string]bool {
	names := map[string]bool{}
	for _, imp := range file.Imports {
		path := strings.Trim(imp.Path.Value, `"`)
		if said[strings.TrimPrefix(path, module)] != forCode {
			continue
		}
		name := path[strings.LastIndexByte(path, '/')+1:]
		if imp.Name != nil {
			name = imp.Name.Name
		}
		names[name] = true
	}
	return names
}

// exportedTypes returns the types in the exported declarations of a file: signatures, fields and
// methods of interfaces. Aliases are left out, which say what they stand for, and so are methods
// for generated code, whose names start with Gremlin.
func exportedTypes(file *ast.File) (found []ast.Node) {
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if !d.Name.IsExported() || strings.HasPrefix(d.Name.Name, "Gremlin") {
				continue
			}
			if d.Recv == nil || isExportedType(d.Recv.List[0].Type) {
				found = append(found, d.Type)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.ValueSpec:
					if s.Type != nil && s.Names[0].IsExported() {
						found = append(found, s.Type)
					}
				case *ast.TypeSpec:
					if s.Name.IsExported() && !s.Assign.IsValid() {
						found = append(found, exportedParts(s.Type)...)
					}
				}
			}
		}
	}
	return found
}

// exportedParts returns a type, or of a struct or interface the types of what is exported.
func exportedParts(typ ast.Expr) (found []ast.Node) {
	var fields *ast.FieldList
	switch x := typ.(type) {
	case *ast.StructType:
		fields = x.Fields
	case *ast.InterfaceType:
		fields = x.Methods
	default:
		return []ast.Node{typ}
	}
	for _, f := range fields.List {
		if len(f.Names) == 0 || f.Names[0].IsExported() {
			found = append(found, f.Type)
		}
	}
	return found
}

// isExportedType tells whether a method of this receiver is one of an exported type.
func isExportedType(recv ast.Expr) bool {
	switch x := recv.(type) {
	case *ast.StarExpr:
		return isExportedType(x.X)
	case *ast.IndexExpr:
		return isExportedType(x.X)
	case *ast.IndexListExpr:
		return isExportedType(x.X)
	case *ast.Ident:
		return x.IsExported()
	}
	return false
}
