package expr

import (
	"math"
	"math/bits"

	"github.com/octopus-framework/octopus/nerve/query/column"
)

// arithmetic is an operator on two numbers of one kind, or on times and durations.
type arithmetic struct {
	op   byte // + - * / %
	a, b node
	to   column.Kind
	vec  Vec
	errs errs
}

func (n *arithmetic) kind() column.Kind { return n.to }

func (n *arithmetic) eval(in *Input) *Vec {
	a, b := n.a.eval(in), n.b.eval(in)
	v := &n.vec
	v.Kind, v.Errs = n.to, n.errs.join(a.Errs, b.Errs)
	if n.to == column.Float {
		v.Floats = room(v.Floats, in.Rows)
		floatArithmetic(v.Floats, n.op, a.Floats, b.Floats)
		return v
	}
	v.Ints = room(v.Ints, in.Rows)
	for i := range v.Ints {
		x, code := n.compute(a.Ints[i], b.Ints[i])
		if v.Ints[i] = x; code == ok {
			continue
		}
		v.Errs = n.errs.fresh(v.Errs, nil, in.Rows)
		if v.Errs[i] == ok {
			v.Errs[i] = code
		}
	}
	return v
}

func floatArithmetic(out []float64, op byte, a, b []float64) {
	for i := range out {
		switch op {
		case '+':
			out[i] = a[i] + b[i]
		case '-':
			out[i] = a[i] - b[i]
		case '*':
			out[i] = a[i] * b[i]
		default:
			out[i] = a[i] / b[i]
		}
	}
}

func (n *arithmetic) compute(x, y int64) (int64, Code) {
	switch n.to {
	case column.Uint:
		v, code := uintArithmetic(n.op, uint64(x), uint64(y))
		return int64(v), code
	case column.Int:
		return intArithmetic(n.op, x, y, intOverflow)
	}
	return intArithmetic(n.op, x, y, durationOverflow)
}

func intArithmetic(op byte, x, y int64, overflow Code) (int64, Code) {
	switch op {
	case '+':
		if s := x + y; (s > x) == (y > 0) {
			return s, ok
		}
	case '-':
		if d := x - y; (d < x) == (y > 0) {
			return d, ok
		}
	case '*':
		high, low := bits.Mul64(magnitude(x), magnitude(y))
		negative := (x < 0) != (y < 0)
		switch {
		case high != 0:
		case !negative && low <= math.MaxInt64, negative && low <= 1<<63:
			return x * y, ok
		}
	case '/':
		switch {
		case y == 0:
			return 0, divisionByZero
		case x != math.MinInt64 || y != -1:
			return x / y, ok
		}
	default:
		switch {
		case y == 0:
			return 0, modulusByZero
		case x != math.MinInt64 || y != -1:
			return x % y, ok
		}
	}
	return 0, overflow
}

func magnitude(x int64) uint64 {
	if x < 0 {
		return -uint64(x)
	}
	return uint64(x)
}

func uintArithmetic(op byte, x, y uint64) (uint64, Code) {
	switch op {
	case '+':
		if s, carry := bits.Add64(x, y, 0); carry == 0 {
			return s, ok
		}
	case '-':
		if x >= y {
			return x - y, ok
		}
	case '*':
		if high, low := bits.Mul64(x, y); high == 0 {
			return low, ok
		}
	case '/':
		if y == 0 {
			return 0, divisionByZero
		}
		return x / y, ok
	default:
		if y == 0 {
			return 0, modulusByZero
		}
		return x % y, ok
	}
	return 0, uintOverflow
}

// negation is -a.
type negation struct {
	a    node
	vec  Vec
	errs errs
}

func (n *negation) kind() column.Kind { return n.a.kind() }

func (n *negation) eval(in *Input) *Vec {
	a := n.a.eval(in)
	v := &n.vec
	v.Kind, v.Errs = a.Kind, a.Errs
	if a.Kind == column.Float {
		v.Floats = room(v.Floats, in.Rows)
		for i := range v.Floats {
			v.Floats[i] = -a.Floats[i]
		}
		return v
	}
	v.Ints = room(v.Ints, in.Rows)
	for i := range v.Ints {
		if v.Ints[i] = -a.Ints[i]; a.Ints[i] != math.MinInt64 {
			continue
		}
		v.Errs = n.errs.fresh(v.Errs, nil, in.Rows)
		if v.Errs[i] == ok {
			v.Errs[i] = intOverflow
		}
	}
	return v
}
