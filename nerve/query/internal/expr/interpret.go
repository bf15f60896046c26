package expr

import (
	"context"
	"errors"
	"strings"
	"time"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/interpreter"

	"github.com/octopus-framework/octopus/nerve/query/column"
)

// evalConstant evaluates a part of a checked expression that does not depend on the row.
func (e *Env) evalConstant(a *ast.AST, x ast.Expr) (ref.Val, error) {
	part := ast.NewCheckedAST(ast.NewAST(x, a.SourceInfo()), a.TypeMap(), a.ReferenceMap())
	prog, err := e.cel.PlanProgram(part, cel.CostLimit(maxCost))
	if err != nil {
		return nil, err
	}
	v, _, err := prog.Eval(map[string]any{"now": types.Timestamp{Time: e.Now}})
	return v, err
}

// nanosOf returns t as nanoseconds since 1970, and whether they can express it.
func nanosOf(t time.Time) (int64, bool) {
	n := t.UnixNano()
	return n, time.Unix(0, n).Equal(t)
}

// interruptEvery is how many steps of a macro are made before the context is looked at.
const interruptEvery = 128

// plan makes the program of the interpreter.
func (p *Program) plan() (err error) {
	if p.prog == nil {
		p.prog, err = p.expr.env.cel.PlanProgram(p.expr.slow,
			cel.EvalOptions(cel.OptOptimize), cel.CostLimit(maxCost), cel.CostTracking(p),
			cel.InterruptCheckFrequency(interruptEvery))
	}
	return err
}

// interpret evaluates row by row.
func (p *Program) interpret(in *Input) *Vec {
	v := &p.slow
	*v = Vec{Kind: p.expr.Type.Kind, Errs: room(v.Errs, in.Rows), Valid: room(v.Valid, in.Rows),
		Bools: room(v.Bools, in.Rows), Ints: room(v.Ints, in.Rows),
		Floats: room(v.Floats, in.Rows), Strings: room(v.Strings, in.Rows)}
	clear(v.Errs)
	clear(v.Strings)
	failed, kept := false, int64(0)
	for i := range in.Rows {
		err := p.evalRow(in, i)
		if in.failed != nil {
			break
		}
		if kept += int64(len(v.Strings[i])); in.Meter != nil && in.Meter.Memory > 0 &&
			kept > in.Meter.Memory {
			in.failed = &LimitError{Bound: ResultMemory, Limit: in.Meter.Memory}
			break
		}
		if err == nil {
			continue
		}
		v.Ints[i], v.Floats[i], v.Strings[i], v.Bools[i], v.Valid[i] = 0, 0, "", false, false
		v.Errs[i] = codeOf(err)
		if p.expr.nullElement(in, i) {
			v.Errs[i] = NoElement
		}
		if v.Errs[i] == otherError && v.First == "" {
			v.First, v.FirstAt = err.Error(), i
		}
		failed = true
	}
	p.row = row{}
	if !failed {
		v.Errs = nil
	}
	return v
}

// evalRow evaluates row i into p.slow.
func (p *Program) evalRow(in *Input, i int) error {
	p.made = 0
	p.row = row{prog: p, env: p.expr.env, in: in, at: i}
	if in.Data != nil {
		p.row.id, p.row.size = in.IDs[i], int64(len(in.Data[i]))
		p.row.root = p.newMessage(p.expr.env.Root, in.Data[i], 0)
	}
	ctx := in.Ctx
	if ctx == nil {
		ctx = context.Background()
	}
	value, details, err := p.prog.ContextEval(ctx, &p.row)
	if err == nil {
		err = p.slow.set(i, value)
	}
	cost := uint64(1)
	if c := details.ActualCost(); c != nil {
		cost += *c
	}
	in.spend(min(cost, 4*maxCost)) // the last step was refused, or is paid at most so
	return err
}

var errKind = errors.New("the result has a type that a column cannot have")

// set makes a value of the interpreter row i.
func (v *Vec) set(i int, value ref.Val) error {
	v.Valid[i] = true
	v.Ints[i], v.Floats[i], v.Strings[i], v.Bools[i] = 0, 0, "", false
	switch x := value.(type) {
	case types.Null:
		v.Valid[i] = false
		return nil
	case types.Bool:
		v.Bools[i] = bool(x)
		return v.mustBe(column.Bool)
	case types.Int:
		v.Ints[i] = int64(x)
		return v.mustBe(column.Int)
	case types.Uint:
		v.Ints[i] = int64(x)
		return v.mustBe(column.Uint)
	case types.Double:
		v.Floats[i] = float64(x)
		return v.mustBe(column.Float)
	case types.String:
		v.Strings[i] = string(x)
		return v.mustBe(column.String)
	case types.Bytes:
		v.Strings[i] = string(x)
		return v.mustBe(column.Bytes)
	case types.Duration:
		v.Ints[i] = int64(x.Duration)
		return v.mustBe(column.Duration)
	case types.Timestamp:
		n, fits := nanosOf(x.Time)
		if v.Ints[i] = n; !fits {
			return errors.New("timestamp overflow")
		}
		return v.mustBe(column.Time)
	}
	return errKind
}

func (v *Vec) mustBe(k column.Kind) error {
	if v.Kind != k {
		return errKind
	}
	return nil
}

// nullElement tells whether a name beside the fields, which is in the text, has no value in a row.
func (x *Expr) nullElement(in *Input, i int) bool {
	for name, e := range x.env.extra {
		if strings.Contains(x.Text, name) && in.Cols[e.col].Null(i) {
			return true
		}
	}
	return false
}

// codeOf finds the code of an error of cel-go.
func codeOf(err error) Code {
	var cancelled interpreter.EvalCancelledError
	if errors.As(err, &cancelled) {
		if cancelled.Cause == interpreter.MemoryLimitExceeded {
			return overMemory
		}
		return overCost
	}
	text := err.Error()
	for c := intOverflow; c < otherError; c++ {
		if len(text) >= len(c.String()) && text[:len(c.String())] == c.String() {
			return c
		}
	}
	return otherError
}

// elementNode is a name's column, whose null is an error where a value is needed.
type elementNode struct{ pathNode }

func (n *elementNode) eval(in *Input) *Vec {
	v := n.pathNode.eval(in)
	c := &in.Cols[n.col]
	if c.Valid == nil {
		return v
	}
	for i, valid := range c.Valid {
		if !valid {
			v.Errs = n.errs.fresh(v.Errs, nil, in.Rows)
			v.Errs[i] = NoElement
		}
	}
	return v
}
