package expr

import (
	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
)

var wider = map[string]bool{operators.Add: true, operators.Subtract: true,
	operators.Multiply: true, operators.Divide: true}

// widen makes operands of + - * / that CEL does not take together the wider of their types: whole
// numbers beside a double are doubles, and of whole numbers of both kinds the unsigned one is an
// int, which is an error of the row where it does not fit. It tells whether it changed anything;
// what it may have made wrong, the next check says.
func widen(a *ast.AST, iss *cel.Issues) (changed bool) {
	at := map[int64]string{}
	for _, err := range iss.Errors() {
		if m := overload.FindStringSubmatch(err.Message); m != nil && wider[m[1]] {
			at[err.ExprID] = m[2]
		}
	}
	if len(at) == 0 {
		return false
	}
	factory := ast.NewExprFactory()
	next := ast.MaxID(a)
	ast.PostOrderVisit(a.Expr(), ast.NewExprVisitor(func(x ast.Expr) {
		if x.Kind() != ast.CallKind || at[x.ID()] == "" {
			return
		}
		c := x.AsCall()
		args := []ast.Expr{c.Args()[0], c.Args()[1]}
		wrap := func(i int, function string) {
			args[i] = factory.NewCall(next, function, args[i])
			next++
			x.SetKindCase(factory.NewCall(x.ID(), c.FunctionName(), args...))
			changed = true
		}
		switch at[x.ID()] {
		case "double, int", "double, uint":
			wrap(1, "double")
		case "int, double", "uint, double":
			wrap(0, "double")
		case "int, uint":
			wrap(1, "int")
		case "uint, int":
			wrap(0, "int")
		}
	}))
	return changed
}
