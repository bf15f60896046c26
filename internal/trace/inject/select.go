package inject

import (
	"fmt"
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Select says which functions are instrumented. The zero value selects every function with a body
// outside of generated and test files.
type Select struct {
	// if any, the function's full name, "path/of/pkg.(*T).M", must match one
	Include   []*regexp.Regexp
	Exclude   []*regexp.Regexp // it must match none of these
	Exported  bool             // only exported functions, and exported methods of exported types
	MinLines  int              // only bodies of at least so many lines
	Generated bool             // generated files too
	Tests     bool             // test files too
}

// function is one function, method or function literal with a body.
type function struct {
	name     string // as the runtime names it, but for literals inside inlined functions
	typ      *ast.FuncType
	recv     *ast.FieldList
	body     *ast.BlockStmt
	exported bool
	bound    bool // has a directive that forbids calls, such as go:nosplit
}

// functions lists the functions of a file in the order of the source.
func functions(file *ast.File, pkgPath string) []function {
	var list []function
	for _, decl := range file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Body == nil {
				continue
			}
			f := function{
				name:     pkgPath + "." + d.Name.Name,
				typ:      d.Type,
				recv:     d.Recv,
				body:     d.Body,
				exported: d.Name.IsExported(),
				bound:    bound(d.Doc),
			}
			if d.Recv != nil && len(d.Recv.List) == 1 {
				recv, pointer := receiver(d.Recv.List[0].Type)
				f.exported = f.exported && ast.IsExported(recv)
				if pointer {
					recv = "(*" + recv + ")"
				}
				f.name = pkgPath + "." + recv + "." + d.Name.Name
			}
			if d.Type.TypeParams != nil {
				f.name += "[...]"
			}
			list = append(list, f)
			if !f.bound {
				list = append(list, literals(d.Body, f.name, ".func")...)
			}
		case *ast.GenDecl:
			list = append(list, literals(d, pkgPath+".init", ".func")...)
		}
	}
	return list
}

// literals lists the function literals in a node, numbered as the compiler does, outer before
// inner.
func literals(in ast.Node, outer, sep string) []function {
	var list []function
	count := 0
	ast.Inspect(in, func(n ast.Node) bool {
		lit, ok := n.(*ast.FuncLit)
		if !ok {
			return true
		}
		count++
		name := outer + sep + strconv.Itoa(count)
		list = append(list, function{name: name, typ: lit.Type, body: lit.Body})
		list = append(list, literals(lit.Body, name, ".")...)
		return false
	})
	return list
}

func receiver(t ast.Expr) (name string, pointer bool) {
	switch t := t.(type) {
	case *ast.ParenExpr:
		return receiver(t.X)
	case *ast.StarExpr:
		name, _ = receiver(t.X)
		return name, true
	case *ast.IndexExpr:
		name, _ = receiver(t.X)
		return name + "[...]", false
	case *ast.IndexListExpr:
		name, _ = receiver(t.X)
		return name + "[...]", false
	case *ast.Ident:
		return t.Name, false
	}
	return "?", false
}

// bound reports whether a function's directives forbid it to call anything that may grow the stack
// or block.
func bound(doc *ast.CommentGroup) bool {
	if doc == nil {
		return false
	}
	for _, c := range doc.List {
		for _, directive := range []string{"//go:nosplit", "//go:systemstack",
			"//go:nowritebarrier", "//go:yeswritebarrier"} {
			if strings.HasPrefix(c.Text, directive) {
				return true
			}
		}
	}
	return false
}

// takes reports whether the function is selected.
func (s *Select) takes(f function, fset *token.FileSet) bool {
	if f.bound || s.Exported && !f.exported || s.MinLines > 0 &&
		bodyLines(f.body, fset) < s.MinLines {
		return false
	}
	for _, re := range s.Exclude {
		if re.MatchString(f.name) {
			return false
		}
	}
	for _, re := range s.Include {
		if re.MatchString(f.name) {
			return true
		}
	}
	return len(s.Include) == 0
}

func bodyLines(b *ast.BlockStmt, fset *token.FileSet) int {
	lines := fset.PositionFor(b.Rbrace, false).Line - fset.PositionFor(b.Lbrace, false).Line - 1
	if lines < 1 {
		return min(1, len(b.List))
	}
	return lines
}

// usesCgo reports whether the file imports "C".
func usesCgo(file *ast.File) bool {
	for _, spec := range file.Imports {
		if spec.Path.Value == `"C"` {
			return true
		}
	}
	return false
}

func (s Select) describe() string {
	var parts []string
	for _, re := range s.Include {
		parts = append(parts, "include "+re.String())
	}
	for _, re := range s.Exclude {
		parts = append(parts, "exclude "+re.String())
	}
	if s.Exported {
		parts = append(parts, "exported only")
	}
	if s.MinLines > 0 {
		parts = append(parts, fmt.Sprintf("at least %d lines", s.MinLines))
	}
	if !s.Generated {
		parts = append(parts, "no generated files")
	}
	if !s.Tests {
		parts = append(parts, "no test files")
	}
	return strings.Join(parts, ", ")
}

// wantedPackages compiles import path patterns, in which "..." stands for any text.
func wantedPackages(patterns []string) (func(path string, main bool) bool, error) {
	if len(patterns) == 0 {
		return func(_ string, main bool) bool { return main }, nil
	}
	var res []*regexp.Regexp
	for _, p := range patterns {
		expr := strings.ReplaceAll(regexp.QuoteMeta(p), `\.\.\.`, `.*`)
		if strings.HasSuffix(expr, `/.*`) {
			expr = strings.TrimSuffix(expr, `/.*`) + `(/.*)?`
		}
		re, err := regexp.Compile("^" + expr + "$")
		if err != nil {
			return nil, err
		}
		res = append(res, re)
	}
	return func(path string, _ bool) bool {
		return slices.ContainsFunc(res, func(re *regexp.Regexp) bool {
			return re.MatchString(path)
		})
	}, nil
}
