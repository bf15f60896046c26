package vet

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"
)

// Copy finds loops over lists of Messages whose variable is changed: it is a copy of the element,
// and the change is lost.
var Copy = &analysis.Analyzer{
	Name: "gremlincopy",
	Doc: "find changes to the copies that a range over a list of Messages makes\n\n" +
		"Lists are []T: for _, it := range d.Items { it.Quantity++ } changes nothing.",
	URL: "https://pkg.go.dev/" + module + "/compiler/vet",
	Run: func(pass *analysis.Pass) (any, error) {
		functions(pass, func(body *ast.BlockStmt) {
			ast.Inspect(body, func(n ast.Node) bool {
				if r, ok := n.(*ast.RangeStmt); ok {
					checkCopy(pass, r)
				}
				return true
			})
		})
		return nil, nil
	},
}

func checkCopy(pass *analysis.Pass, r *ast.RangeStmt) {
	id, ok := r.Value.(*ast.Ident)
	if !ok {
		return
	}
	v, ok := pass.TypesInfo.Defs[id].(*types.Var)
	if !ok || !isMessage(v.Type()) {
		return
	}
	if _, pointer := types.Unalias(v.Type()).(*types.Pointer); pointer {
		return
	}
	switch types.Unalias(pass.TypesInfo.TypeOf(r.X)).Underlying().(type) {
	case *types.Slice, *types.Map, *types.Array:
	default:
		return
	}
	var changed ast.Expr
	whole := 0 // uses of the copy as a value: it is made to be changed
	change := func(e ast.Expr) {
		_, isVar := e.(*ast.Ident)
		if !isVar && changed == nil && reaches(pass.TypesInfo, e, v) {
			changed = e
		}
	}
	ast.Inspect(r.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, e := range n.Lhs {
				change(e)
			}
		case *ast.IncDecStmt:
			change(n.X)
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && pass.TypesInfo.Uses[x] == v {
				s := pass.TypesInfo.Selections[n]
				switch {
				case s == nil || s.Kind() != types.MethodVal:
				case !mutates(n.Sel.Name):
					whole++ // it may be marshaled, which shows the change
				case changed == nil:
					changed = n
				}
				return false
			}
		case *ast.Ident:
			if pass.TypesInfo.Uses[n] == v {
				whole++
			}
		}
		return true
	})
	if changed != nil && whole == 0 {
		pass.ReportRangef(changed, "this changes a copy of the element, which is lost: range over "+
			"the index and change the element")
	}
}

// reaches tells whether e is a part of v itself, not of something that v refers to.
func reaches(info *types.Info, e ast.Expr, v *types.Var) bool {
	for {
		switch x := e.(type) {
		case *ast.Ident:
			return info.Uses[x] == v
		case *ast.ParenExpr:
			e = x.X
		case *ast.SelectorExpr:
			if _, pointer := info.TypeOf(x.X).Underlying().(*types.Pointer); pointer {
				return false
			}
			e = x.X
		case *ast.UnaryExpr:
			if x.Op != token.AND {
				return false
			}
			e = x.X
		default:
			return false
		}
	}
}

// mutates tells whether a method of a Message changes it.
func mutates(name string) bool {
	switch name {
	case "Reset", "Unmarshal", "UnmarshalJSON", "UnmarshalText", "Merge", "UnmarshalMerge":
		return true
	}
	return false
}
