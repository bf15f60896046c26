package vet

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// Chain finds getters of Readers that are chained through nested messages inside of loops, where
// each call opens and indexes the nested message anew.
var Chain = &analysis.Analyzer{
	Name: "gremlinchain",
	Doc: "find getters that open the same nested message in every round of a loop\n\n" +
		"r.GetUser() indexes the nested message each time. Take it once: before the loop, or once in\n" +
		"a round.",
	URL: "https://pkg.go.dev/" + module + "/compiler/vet",
	Run: func(pass *analysis.Pass) (any, error) {
		functions(pass, func(body *ast.BlockStmt) {
			ast.Inspect(body, func(n ast.Node) bool {
				if loopBody(n) != nil {
					checkChains(pass, n)
				}
				return true
			})
		})
		return nil, nil
	},
}

// checkChains looks at the chains in a loop that are in no loop inside of it.
func checkChains(pass *analysis.Pass, loop ast.Node) {
	info := pass.TypesInfo
	seen := map[string]bool{}
	visit := func(n ast.Node) bool {
		if n == nil || n != loop && loopBody(n) != nil {
			return false
		}
		if _, ok := n.(*ast.FuncLit); ok {
			return false
		}
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		_, on := method(info, call)
		opened, ok := ast.Unparen(on).(*ast.CallExpr)
		if on == nil || !ok || !opens(info, opened) {
			return true
		}
		root, text := chainRoot(info, opened), types.ExprString(opened)
		switch {
		case root == nil:
		case !within(root.Pos(), loop) && !changes(info, loop, root):
			pass.ReportRangef(opened, "%s opens the nested message in every round: take it once, "+
				"before the loop", text)
		case within(root.Pos(), loop) && seen[text]:
			pass.ReportRangef(opened, "%s opens the nested message once more: take it once, into a "+
				"variable", text)
		default:
			seen[text] = true
			return true
		}
		return false
	}
	ast.Inspect(loopBody(loop), visit)
}

// opens tells whether a call is a getter of a Reader that opens a nested message.
func opens(info *types.Info, call *ast.CallExpr) bool {
	f, on := method(info, call)
	if f == nil || len(call.Args) != 0 || !strings.HasPrefix(f.Name(), "Get") {
		return false
	}
	return isReader(info.TypeOf(on)) && isReader(info.TypeOf(call))
}

// chainRoot returns the variable that a chain of getters begins with.
func chainRoot(info *types.Info, e ast.Expr) *types.Var {
	for {
		switch x := ast.Unparen(e).(type) {
		case *ast.CallExpr:
			if !opens(info, x) {
				return nil
			}
			_, e = method(info, x)
		case *ast.SelectorExpr:
			if info.Selections[x] == nil {
				return nil
			}
			e = x.X
		case *ast.Ident:
			v, _ := info.ObjectOf(x).(*types.Var)
			return v
		default:
			return nil
		}
	}
}

// changes tells whether a loop may put another message into v.
func changes(info *types.Info, loop ast.Node, v *types.Var) bool {
	found := false
	ast.Inspect(loop, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, e := range n.Lhs {
				found = found || rootOf(info, e) == v
			}
		case *ast.UnaryExpr:
			found = found || n.Op == token.AND && rootOf(info, n.X) == v
		case *ast.CallExpr:
			for _, e := range n.Args {
				id, ok := ast.Unparen(e).(*ast.Ident)
				found = found || ok && info.ObjectOf(id) == v
			}
			if f, on := method(info, n); f != nil && rootOf(info, on) == v {
				found = found || !strings.HasPrefix(f.Name(), "Get") &&
					!strings.HasPrefix(f.Name(), "Has") && !strings.HasPrefix(f.Name(), "Len")
			}
		}
		return !found
	})
	return found
}
