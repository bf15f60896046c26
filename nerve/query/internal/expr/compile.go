package expr

import (
	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/types"

	"github.com/octopus-framework/octopus/nerve/query/column"
	"github.com/octopus-framework/octopus/nerve/query/internal/project"
)

// Expr is a checked expression. It does not change, see Program.
type Expr struct {
	Text string
	Type column.Type
	env  *Env
	ast  *cel.Ast
	slow *ast.AST // the expression as the interpreter takes it
	// Columns says that it runs as a column program; otherwise the interpreter
	// evaluates each row.
	Columns bool
	times   bool // it asks for times
}

// Compile parses and checks an expression. The error is an *Error.
func (e *Env) Compile(text string) (*Expr, error) {
	if len(text) > MaxText {
		return nil, &Error{Text: text[:100], Message: "the expression is longer than 16 KiB"}
	}
	parsed, iss := e.cel.Parse(text)
	if iss.Err() != nil {
		return nil, e.compileError(text, iss)
	}
	err := e.nameEnums(text, parsed.NativeRep())
	if err != nil {
		return nil, err
	}
	checked, iss := e.cel.Check(parsed)
	for iss.Err() != nil && widen(parsed.NativeRep(), iss) {
		checked, iss = e.cel.Check(parsed)
	}
	if iss.Err() != nil {
		return nil, e.compileError(text, iss)
	}
	x := &Expr{Text: text, env: e, ast: checked}
	out := checked.OutputType()
	x.Type = column.Type{Kind: kindOf(out), Width: 64}
	if x.slow, err = e.guarded(text, checked.NativeRep()); err != nil {
		return nil, err
	}
	if _, err := e.cel.PlanProgram(x.slow, cel.EvalOptions(cel.OptOptimize)); err != nil {
		return nil, &Error{Text: text, Message: err.Error()}
	}
	b := builder{env: e, ast: checked.NativeRep()}
	before := len(e.paths)
	n := b.build(checked.NativeRep().Expr())
	if x.Columns = n != nil && n.kind() == x.Type.Kind; !x.Columns {
		e.forget(before)
	}
	x.times = b.times
	return x, nil
}

// forget takes back paths that a program asked for which is not used.
func (e *Env) forget(n int) {
	for _, p := range e.paths[n:] {
		delete(e.index, p.String())
	}
	e.paths = e.paths[:n]
}

// Program evaluates an expression. It is not safe for concurrent use; each goroutine makes its own.
type Program struct {
	expr *Expr
	node node        // nil: the interpreter
	prog cel.Program // the interpreter's program, made when it is needed
	slow Vec
	row  row
	made int64 // bytes of values for the row
}

// Program makes a Program.
func (x *Expr) Program() *Program {
	p := &Program{expr: x}
	if x.Columns {
		b := builder{env: x.env, ast: x.ast.NativeRep()}
		p.node = b.build(x.ast.NativeRep().Expr())
	}
	return p
}

// Eval evaluates the expression for all rows. The result is valid until the next call. The error is
// that of the context, or a *LimitError about all records.
func (p *Program) Eval(in *Input) (v *Vec, err error) {
	in.failed = nil
	if p.node != nil && !(in.Wide && p.expr.times) {
		v = p.node.eval(in)
	} else if err = p.plan(); err == nil {
		v = p.interpret(in)
	}
	if err == nil {
		err = in.failed
	}
	return v, err
}

// builder makes column programs. It gives up with nil where the interpreter is needed.
type builder struct {
	env   *Env
	ast   *ast.AST
	times bool
}

func (b *builder) build(e ast.Expr) node {
	if n := b.constant(e); n != nil {
		return n
	}
	switch e.Kind() {
	case ast.IdentKind, ast.SelectKind:
		return b.path(e)
	case ast.CallKind:
		return b.call(e)
	}
	return nil
}

// constant evaluates what does not depend on the row.
func (b *builder) constant(e ast.Expr) node {
	if !b.isConstant(e) {
		return nil
	}
	v, err := b.env.evalConstant(b.ast, e)
	if err != nil {
		return nil
	}
	switch v := v.(type) {
	case types.Bool:
		return constBool(bool(v))
	case types.Int:
		return constInt(column.Int, int64(v))
	case types.Uint:
		return constInt(column.Uint, int64(v))
	case types.Double:
		return constFloat(float64(v))
	case types.String:
		return constString(column.String, string(v))
	case types.Bytes:
		return constString(column.Bytes, string(v))
	case types.Duration:
		return constInt(column.Duration, int64(v.Duration))
	case types.Timestamp:
		if n, fits := nanosOf(v.Time); fits {
			return constInt(column.Time, n)
		}
	}
	return nil
}

func (b *builder) isConstant(e ast.Expr) bool {
	switch e.Kind() {
	case ast.LiteralKind:
		return true
	case ast.IdentKind:
		ref := b.ast.ReferenceMap()[e.ID()]
		return ref != nil && ref.Value != nil || e.AsIdent() == "now"
	case ast.SelectKind:
		ref := b.ast.ReferenceMap()[e.ID()]
		return ref != nil && ref.Value != nil
	case ast.CallKind:
		c := e.AsCall()
		if c.IsMemberFunction() && !b.isConstant(c.Target()) {
			return false
		}
		for _, a := range c.Args() {
			if !b.isConstant(a) {
				return false
			}
		}
		return true
	}
	return false
}

// path makes a node of what a path of fields leads to.
func (b *builder) path(e ast.Expr) node {
	if m := b.meta(e); m != nil {
		b.times = b.times || m.kind() == column.Time
		return m
	}
	if e.Kind() == ast.IdentKind {
		if x, known := b.env.extra[e.AsIdent()]; known {
			return b.element(x)
		}
	}
	p, fine := b.env.pathOf(b.ast, e)
	if !fine {
		return nil
	}
	n := &pathNode{typ: column.Bool}
	if p.Want == project.Value {
		last := p.Steps[len(p.Steps)-1]
		f := last.Field
		if last.Select == project.Key {
			f = f.Value()
		}
		if f.List() && last.Select == project.One ||
			f.Message != nil && project.Wrapper(f.Message) {
			return nil
		}
		switch t := project.Type(f); t.Kind {
		case column.Message:
			return nil
		case column.Enum:
			n.typ = column.Int
		default:
			n.typ = t.Kind
		}
	}
	b.times = b.times || n.typ == column.Time || n.typ == column.Duration
	for i, s := range p.Steps {
		code := noSuchKey
		switch {
		case s.Select == project.Index:
			code = outOfBounds
		case s.Select != project.Key:
			continue
		}
		if p.Want == project.Presence && i == len(p.Steps)-1 {
			continue
		}
		there := project.Path{Steps: p.Steps[:i+1], Want: project.Presence}
		n.guards = append(n.guards, guard{col: b.env.Column(there), code: code})
	}
	n.col = b.env.Column(p)
	return n
}

// element is a name that stands for a column.
func (b *builder) element(x extra) node {
	k := x.typ.Kind
	switch {
	case k == column.Enum:
		k = column.Int
	case k == column.Message || k == column.List || k == column.Null:
		return nil
	}
	b.times = b.times || k == column.Time || k == column.Duration
	return &elementNode{pathNode{col: x.col, typ: k}}
}

// meta is record.id and the like.
func (b *builder) meta(e ast.Expr) node {
	if e.Kind() != ast.SelectKind || e.AsSelect().IsTestOnly() || b.env.Root == nil {
		return nil
	}
	of := e.AsSelect().Operand()
	if of.Kind() != ast.IdentKind || of.AsIdent() != b.env.Record() {
		return nil
	}
	return &meta{name: e.AsSelect().FieldName()}
}
