package expr

import (
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"

	"github.com/octopus-framework/octopus/gremlin/dynamic"
	"github.com/octopus-framework/octopus/nerve/query/column"
	"github.com/octopus-framework/octopus/nerve/query/internal/project"
)

// nameEnums replaces names of values beside a field of an enum, `type == CARD`, by their numbers.
// It runs before names are resolved, so it leaves alone what an expression binds or a field is
// called.
func (e *Env) nameEnums(text string, a *ast.AST) error {
	factory := ast.NewExprFactory()
	var failed error
	bound := map[string]bool{}
	var visit func(x ast.Expr)
	each := func(list []ast.Expr) {
		for _, x := range list {
			visit(x)
		}
	}
	visit = func(x ast.Expr) {
		switch x.Kind() {
		case ast.SelectKind:
			visit(x.AsSelect().Operand())
		case ast.ListKind:
			each(x.AsList().Elements())
		case ast.ComprehensionKind:
			c := x.AsComprehension()
			visit(c.IterRange())
			before := bound[c.IterVar()]
			bound[c.IterVar()] = true
			each([]ast.Expr{c.AccuInit(), c.LoopCondition(), c.LoopStep(), c.Result()})
			bound[c.IterVar()] = before
		case ast.CallKind:
			c := x.AsCall()
			if c.IsMemberFunction() {
				visit(c.Target())
			}
			each(c.Args())
			if len(c.Args()) != 2 || comparisons[c.FunctionName()] == 0 &&
				c.FunctionName() != operators.Equals && c.FunctionName() != operators.In {
				return
			}
			l, r := c.Args()[0], c.Args()[1]
			for _, pair := range [][2]ast.Expr{{l, r}, {r, l}} {
				enum := e.enumOf(a, pair[0], bound)
				if enum == nil {
					continue
				}
				values := []ast.Expr{pair[1]}
				if pair[1].Kind() == ast.ListKind {
					values = pair[1].AsList().Elements()
				}
				for _, v := range values {
					err := e.nameEnum(text, a, enum, v, bound, factory)
					if failed == nil {
						failed = err
					}
				}
			}
		}
	}
	visit(a.Expr())
	return failed
}

// enumOf returns the enum of the field that an expression is.
func (e *Env) enumOf(a *ast.AST, x ast.Expr, bound map[string]bool) *dynamic.Enum {
	if x.Kind() == ast.IdentKind {
		if known, is := e.extra[x.AsIdent()]; is && known.typ.Kind == column.Enum {
			return known.typ.Enum
		}
		if bound[x.AsIdent()] {
			return nil
		}
	}
	p, fine := e.pathOf(a, x)
	if !fine || p.Want != project.Value {
		return nil
	}
	last := p.Steps[len(p.Steps)-1]
	if last.Select == project.Key {
		return last.Field.Value().Enum
	}
	return last.Field.Enum
}

func (e *Env) nameEnum(text string, a *ast.AST, enum *dynamic.Enum, x ast.Expr,
	bound map[string]bool, factory ast.ExprFactory) error {
	name := ""
	switch x.Kind() {
	case ast.IdentKind:
		name = x.AsIdent()
		if _, known := e.extra[name]; known || bound[name] || name == "now" ||
			e.Root != nil && e.Root.FieldNamed(name) != nil {
			return nil
		}
	case ast.LiteralKind:
		s, isText := x.AsLiteral().(types.String)
		if !isText {
			return nil
		}
		out := &Error{Text: text, Offset: e.offsetOf(text, a, x),
			Message: "an enum is compared with a string",
			Hint:    "its values are written as names without quotes"}
		if _, known := numberOf(enum, string(s)); known {
			out.Hint = "write " + string(s) + " without quotes"
		}
		return out
	default:
		return nil
	}
	if n, known := numberOf(enum, name); known {
		x.SetKindCase(factory.NewLiteral(x.ID(), types.Int(n)))
		return nil
	}
	if v, known := e.provider.values[name]; known && !v.ambiguous {
		return nil
	}
	var names []string
	for _, v := range enum.Values {
		short, _ := ShortName(enum, v.Number)
		names = append(names, short, v.Name)
	}
	return &Error{Text: text, Offset: e.offsetOf(text, a, x),
		Message: enum.Name + " has no value " + name, Hint: nearest(name, names)}
}

// offsetOf returns where an expression begins, in bytes.
func (e *Env) offsetOf(text string, a *ast.AST, x ast.Expr) int {
	at, _ := a.SourceInfo().GetOffsetRange(x.ID())
	n := int(at.Start)
	for i := range text {
		if n == 0 {
			return i
		}
		n--
	}
	return len(text)
}
