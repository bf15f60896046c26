package expr

import (
	"math"
	"time"

	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
)

// Bounds is what a condition says about ids and times of records that may meet it.
type Bounds struct {
	FirstID, LastID     int64 // both included
	FirstTime, LastTime int64 // nanoseconds since 1970, both included
}

// Bounds returns what the condition, an expression of kind Bool, says about the records.
func (x *Expr) Bounds() Bounds {
	b := Bounds{FirstID: math.MinInt64, LastID: math.MaxInt64,
		FirstTime: math.MinInt64, LastTime: math.MaxInt64}
	if a := x.ast.NativeRep(); x.env.Root != nil {
		b.narrow(&builder{env: x.env, ast: a}, a.Expr())
	}
	return b
}

func (b *Bounds) narrow(bl *builder, e ast.Expr) {
	if e.Kind() != ast.CallKind {
		return
	}
	c := e.AsCall()
	if c.FunctionName() == operators.LogicalAnd {
		for _, a := range c.Args() {
			b.narrow(bl, a)
		}
		return
	}
	op, known := comparisons[c.FunctionName()]
	if !known || op == notEqual {
		return
	}
	l, r := c.Args()[0], c.Args()[1]
	m, isMeta := bl.meta(l).(*meta)
	if !isMeta {
		if m, isMeta = bl.meta(r).(*meta); !isMeta {
			return
		}
		r = l
		op = map[operator]operator{equal: equal, less: greater, lessEqual: greaterEqual,
			greater: less, greaterEqual: lessEqual}[op]
	}
	k, isConstant := bl.constant(r).(*constant)
	if !isConstant || k.kind() != m.kind() {
		return
	}
	v := k.eval(&Input{Rows: 1}).Ints[0]
	switch {
	case m.name == "id":
		limit(op, v, &b.FirstID, &b.LastID)
	case m.name == "time":
		limit(op, v, &b.FirstTime, &b.LastTime)
	}
}

func limit(op operator, v int64, first, last *int64) {
	if op == equal || op == greaterEqual {
		*first = max(*first, v)
	}
	if op == equal || op == lessEqual {
		*last = min(*last, v)
	}
	if op == greater && v < math.MaxInt64 {
		*first = max(*first, v+1)
	}
	if op == less && v > math.MinInt64 {
		*last = min(*last, v-1)
	}
}

// BucketWidth returns the duration of an expression bucket(record.time, a constant duration), and
// whether it is one.
func (x *Expr) BucketWidth() (time.Duration, bool) {
	a := x.ast.NativeRep()
	if x.env.Root == nil || a.Expr().Kind() != ast.CallKind ||
		a.Expr().AsCall().FunctionName() != "bucket" {
		return 0, false
	}
	b := &builder{env: x.env, ast: a}
	args := a.Expr().AsCall().Args()
	m, isMeta := b.meta(args[0]).(*meta)
	k, isConstant := b.constant(args[1]).(*constant)
	if !isMeta || m.name != "time" || !isConstant {
		return 0, false
	}
	return time.Duration(k.eval(&Input{Rows: 1}).Ints[0]), true
}
