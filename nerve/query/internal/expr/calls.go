package expr

import (
	"strings"

	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"

	"github.com/octopus-framework/octopus/nerve/query/column"
	"github.com/octopus-framework/octopus/nerve/query/internal/project"
)

var comparisons = map[string]operator{
	operators.Equals: equal, operators.NotEquals: notEqual,
	operators.Less: less, operators.LessEquals: lessEqual,
	operators.Greater: greater, operators.GreaterEquals: greaterEqual,
}

var sums = map[string]byte{
	operators.Add: '+', operators.Subtract: '-', operators.Multiply: '*',
	operators.Divide: '/', operators.Modulo: '%',
}

var textTests = map[string]func(s, arg string) bool{
	"startsWith": strings.HasPrefix, "endsWith": strings.HasSuffix, "contains": strings.Contains,
}

// call makes a node of a function or operator.
func (b *builder) call(e ast.Expr) node {
	c := e.AsCall()
	name := c.FunctionName()
	operands := c.Args()
	if c.IsMemberFunction() {
		operands = append([]ast.Expr{c.Target()}, operands...)
	}
	switch name {
	case operators.Index:
		return b.path(e)
	case "size":
		return b.size(operands[0])
	case operators.In:
		return b.membership(operands[0], operands[1])
	}
	var n []node
	for _, o := range operands {
		x := b.build(o)
		if x == nil {
			return nil
		}
		n = append(n, x)
	}
	if op, known := comparisons[name]; known {
		return b.comparison(op, n[0], n[1])
	}
	if op, known := sums[name]; known {
		return b.arithmetic(op, n[0], n[1])
	}
	switch name {
	case operators.LogicalAnd, operators.LogicalOr:
		if n[0].kind() == column.Bool && n[1].kind() == column.Bool && len(n) == 2 {
			return &logical{or: name == operators.LogicalOr, a: n[0], b: n[1]}
		}
	case operators.LogicalNot:
		return &not{a: n[0]}
	case operators.Negate:
		return &negation{a: n[0]}
	case operators.Conditional:
		if n[1].kind() == n[2].kind() {
			return &conditional{c: n[0], a: n[1], b: n[2]}
		}
	case "bucket":
		return &bucket{a: n[0], width: n[1]}
	case "matches":
		return b.matches(n[0], operands[1])
	case "double":
		return b.double(n[0])
	}
	if test := textTests[name]; test != nil && len(n) == 2 && n[0].kind() == column.String {
		return &textTest{test: test, a: n[0], b: n[1]}
	}
	return nil
}

func numeric(k column.Kind) bool {
	return k == column.Int || k == column.Uint || k == column.Float
}

func (b *builder) comparison(op operator, x, y node) node {
	if x.kind() != y.kind() && !(numeric(x.kind()) && numeric(y.kind())) {
		return nil
	}
	return &comparison{op: op, a: x, b: y}
}

func (b *builder) arithmetic(op byte, x, y node) node {
	if x.kind() != y.kind() || !numeric(x.kind()) {
		return nil
	}
	return &arithmetic{op: op, a: x, b: y, to: x.kind()}
}

func (b *builder) matches(x node, pattern ast.Expr) node {
	if pattern.Kind() != ast.LiteralKind || x.kind() != column.String {
		return nil
	}
	text, isText := pattern.AsLiteral().(types.String)
	if !isText {
		return nil
	}
	re := b.env.patterns.get(string(text))
	if re.err != nil {
		return nil
	}
	return &matches{a: x, re: re}
}

func (b *builder) double(x node) node {
	switch x.kind() {
	case column.Float:
		return x
	case column.Int, column.Uint:
		return &toDouble{a: x}
	}
	return nil
}

// size is that of a text, or of a list that a path leads to.
func (b *builder) size(of ast.Expr) node {
	if p, fine := b.env.pathOf(b.ast, of); fine && p.Want == project.Value {
		last := p.Steps[len(p.Steps)-1]
		if last.Field.Repeated && last.Select == project.One {
			for _, s := range p.Steps {
				if s.Select != project.One {
					return nil
				}
			}
			p.Want = project.Size
			return &pathNode{col: b.env.Column(p), typ: column.Int}
		}
	}
	x := b.build(of)
	if x == nil || x.kind() != column.String && x.kind() != column.Bytes {
		return nil
	}
	return &length{a: x}
}

// membership is x in a list of constants of x's kind.
func (b *builder) membership(x, list ast.Expr) node {
	a := b.build(x)
	if a == nil || list.Kind() != ast.ListKind {
		return nil
	}
	m := &membership{a: a}
	for _, e := range list.AsList().Elements() {
		c, isConstant := b.constant(e).(*constant)
		if !isConstant || c.kind() != a.kind() {
			return nil
		}
		switch v := c.eval(&Input{Rows: 1}); c.kind() {
		case column.Int, column.Uint:
			if m.ints == nil {
				m.ints = map[int64]bool{}
			}
			m.ints[v.Ints[0]] = true
		case column.String:
			if m.strings == nil {
				m.strings = map[string]bool{}
			}
			m.strings[v.Strings[0]] = true
		default:
			return nil
		}
	}
	return m
}

// toDouble is double(a).
type toDouble struct {
	a   node
	vec Vec
}

func (d *toDouble) kind() column.Kind { return column.Float }

func (d *toDouble) eval(in *Input) *Vec {
	a := d.a.eval(in)
	out := room(d.vec.Floats, in.Rows)
	for i, x := range a.Ints[:in.Rows] {
		if a.Kind == column.Uint {
			out[i] = float64(uint64(x))
		} else {
			out[i] = float64(x)
		}
	}
	d.vec = Vec{Kind: column.Float, Floats: out, Errs: a.Errs}
	return &d.vec
}
