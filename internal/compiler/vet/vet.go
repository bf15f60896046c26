// Package vet has analyzers that find mistakes in the use of gremlin and nerve which the compiler
// accepts and which show late: what is kept longer than it is valid, what is opened again and
// again, and changes to copies. They are for everything that takes analyzers of
// golang.org/x/tools/go/analysis; "gremlin vet" runs them by way of go vet.
//
// They look at one function at a time and at what is written there in plain form. What goes through
// other functions they do not see: GREMLIN_GUARD=1 shows the rest at run time (package
// gremlin/guard).
package vet

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
)

// Analyzers returns all analyzers of this package.
func Analyzers() []*analysis.Analyzer { return []*analysis.Analyzer{Kept, Chain, Copy} }

// functions calls check for the body of each function of the package that is not generated, with
// the functions in it. Stack is what encloses a node.
func functions(pass *analysis.Pass, check func(body *ast.BlockStmt)) {
	for _, f := range pass.Files {
		if ast.IsGenerated(f) {
			continue
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
				check(fn.Body)
			}
		}
	}
}

// loopBody returns the body of a loop, nil for anything else.
func loopBody(n ast.Node) *ast.BlockStmt {
	switch n := n.(type) {
	case *ast.ForStmt:
		return n.Body
	case *ast.RangeStmt:
		return n.Body
	}
	return nil
}

// within tells whether pos lies in n.
func within(pos token.Pos, n ast.Node) bool { return n.Pos() <= pos && pos < n.End() }

// rootOf returns the variable at the start of an expression like a.b[i].c or (*a).b, nil if it
// starts with something else.
func rootOf(info *types.Info, e ast.Expr) *types.Var {
	for {
		switch x := e.(type) {
		case *ast.Ident:
			v, _ := info.ObjectOf(x).(*types.Var)
			return v
		case *ast.SelectorExpr:
			if info.Selections[x] == nil { // of a package
				v, _ := info.ObjectOf(x.Sel).(*types.Var)
				return v
			}
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.SliceExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.ParenExpr:
			e = x.X
		case *ast.UnaryExpr:
			e = x.X
		case *ast.TypeAssertExpr:
			e = x.X
		default:
			return nil
		}
	}
}

// method returns the method that a call calls and on what, nil if it calls none.
func method(info *types.Info, call *ast.CallExpr) (*types.Func, ast.Expr) {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok || info.Selections[sel] == nil {
		return nil, nil
	}
	f, _ := info.ObjectOf(sel.Sel).(*types.Func)
	if f == nil {
		return nil, nil
	}
	return f, sel.X
}

// function returns the function of a package that a call calls, nil if it calls none.
func function(info *types.Info, call *ast.CallExpr) *types.Func {
	fun := ast.Unparen(call.Fun)
	switch x := fun.(type) {
	case *ast.IndexExpr:
		fun = x.X
	case *ast.IndexListExpr:
		fun = x.X
	}
	var id *ast.Ident
	switch x := fun.(type) {
	case *ast.Ident:
		id = x
	case *ast.SelectorExpr:
		id = x.Sel
	default:
		return nil
	}
	f, _ := info.ObjectOf(id).(*types.Func)
	if f == nil || f.Signature().Recv() != nil {
		return nil
	}
	return f
}

// The packages whose types matter.
const (
	module    = "github.com/octopus-framework/octopus"
	nervePath = module + "/nerve"
	grpcPath  = module + "/gremlin/gremlingrpc"
)

// isNamed tells whether t, or what it points to, is a type of a package.
func isNamed(t types.Type, path string, names ...string) bool {
	n := named(t)
	return n != nil && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == path &&
		slices.Contains(names, n.Obj().Name())
}

// named returns the named type that t is or points to.
func named(t types.Type) *types.Named {
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	n, _ := t.(*types.Named)
	return n
}

// isReader tells whether t is a generated Reader or a pointer to one, isMessage the same of
// Messages.
func isReader(t types.Type) bool  { return hasMethods(t, "Raw", "Detach", "ToMessage") }
func isMessage(t types.Type) bool { return hasMethods(t, "GremlinTable", "MarshalAppend", "Reset") }

func hasMethods(t types.Type, names ...string) bool {
	n := named(t)
	if n == nil || types.IsInterface(n) {
		return false
	}
	set := types.NewMethodSet(types.NewPointer(n))
	for _, name := range names {
		if set.Lookup(n.Obj().Pkg(), name) == nil {
			return false
		}
	}
	return true
}
