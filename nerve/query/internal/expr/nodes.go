package expr

import (
	"cmp"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/octopus-framework/octopus/nerve/query/column"
)

// node is a step of a column program. What eval returns is valid until the next eval.
type node interface {
	kind() column.Kind
	eval(in *Input) *Vec
}

// constant is a value that all rows have.
type constant struct {
	vec Vec
	set func(v *Vec, n int)
	n   int
}

func (c *constant) kind() column.Kind { return c.vec.Kind }

func (c *constant) eval(in *Input) *Vec {
	if in.Rows > c.n {
		c.n = max(in.Rows, 4096)
		c.set(&c.vec, c.n)
	}
	v := c.vec
	switch v.Kind {
	case column.Bool:
		v.Bools = v.Bools[:in.Rows]
	case column.Float:
		v.Floats = v.Floats[:in.Rows]
	case column.String, column.Bytes:
		v.Strings = v.Strings[:in.Rows]
	default:
		v.Ints = v.Ints[:in.Rows]
	}
	return &v
}

func fill[T any](v T, n int) []T {
	s := make([]T, n)
	for i := range s {
		s[i] = v
	}
	return s
}

func constInt(k column.Kind, x int64) *constant {
	return &constant{vec: Vec{Kind: k}, set: func(v *Vec, n int) { v.Ints = fill(x, n) }}
}

func constFloat(x float64) *constant {
	return &constant{vec: Vec{Kind: column.Float},
		set: func(v *Vec, n int) { v.Floats = fill(x, n) }}
}

func constString(k column.Kind, x string) *constant {
	return &constant{vec: Vec{Kind: k}, set: func(v *Vec, n int) { v.Strings = fill(x, n) }}
}

func constBool(x bool) *constant {
	return &constant{vec: Vec{Kind: column.Bool},
		set: func(v *Vec, n int) { v.Bools = fill(x, n) }}
}

// pathNode is the value that a path leads to. A guard is a column that says whether an element on
// the path is there, and what it is otherwise.
type pathNode struct {
	col    int
	typ    column.Kind
	guards []guard
	vec    Vec
	errs   errs
}

type guard struct {
	col  int
	code Code
}

func (p *pathNode) kind() column.Kind { return p.typ }

func (p *pathNode) eval(in *Input) *Vec {
	c := &in.Cols[p.col]
	v := &p.vec
	v.Kind, v.Ints, v.Floats, v.Strings, v.Errs = p.typ, c.Ints, c.Floats, c.Strings, nil
	if p.typ == column.Bool {
		v.Bools = room(v.Bools, in.Rows)
		for i, x := range c.Ints {
			v.Bools[i] = x != 0
		}
	}
	for _, g := range p.guards {
		there := in.Cols[g.col].Ints
		var e []Code
		for i, x := range there {
			if x == 0 {
				if e == nil {
					e = p.errs.fresh(v.Errs, nil, in.Rows)
				}
				if e[i] == ok {
					e[i] = g.code
				}
			}
		}
		if e != nil {
			v.Errs = e
		}
	}
	return v
}

// meta is what the log knows of a record.
type meta struct {
	name string // id, time or size
	vec  Vec
}

func (m *meta) kind() column.Kind {
	if m.name == "time" {
		return column.Time
	}
	return column.Int
}

func (m *meta) eval(in *Input) *Vec {
	m.vec.Kind = m.kind()
	switch m.name {
	case "id":
		m.vec.Ints = in.IDs
	case "time":
		m.vec.Ints = in.Times
	default:
		m.vec.Ints = room(m.vec.Ints, in.Rows)
		for i := range m.vec.Ints {
			m.vec.Ints[i] = int64(len(in.Data[i]))
		}
	}
	return &m.vec
}

// operator of a comparison.
type operator uint8

const (
	equal operator = iota
	notEqual
	less
	lessEqual
	greater
	greaterEqual
)

func (o operator) holds(c int) bool {
	switch o {
	case equal:
		return c == 0
	case notEqual:
		return c != 0
	case less:
		return c < 0
	case lessEqual:
		return c <= 0
	case greater:
		return c > 0
	}
	return c >= 0
}

// comparison compares values of kinds that CEL compares.
type comparison struct {
	op   operator
	a, b node
	vec  Vec
	errs errs
}

func (c *comparison) kind() column.Kind { return column.Bool }

func (c *comparison) eval(in *Input) *Vec {
	a, b := c.a.eval(in), c.b.eval(in)
	out := room(c.vec.Bools, in.Rows)
	c.vec = Vec{Kind: column.Bool, Bools: out, Errs: c.errs.join(a.Errs, b.Errs)}
	ak, bk := a.Kind, b.Kind
	switch {
	case ak == column.Bool:
		for i := range out {
			x, y := 0, 0
			if a.Bools[i] {
				x = 1
			}
			if b.Bools[i] {
				y = 1
			}
			out[i] = c.op.holds(x - y)
		}
	case ak == column.String || ak == column.Bytes:
		compareStrings(out, c.op, a.Strings, b.Strings)
	case ak == column.Float || bk == column.Float:
		compareFloats(out, c.op, a, b)
	case ak == column.Uint && bk == column.Uint:
		for i := range out {
			out[i] = c.op.holds(cmp.Compare(uint64(a.Ints[i]), uint64(b.Ints[i])))
		}
	case ak == column.Uint:
		for i := range out {
			out[i] = c.op.holds(-intWithUint(b.Ints[i], uint64(a.Ints[i])))
		}
	case bk == column.Uint:
		for i := range out {
			out[i] = c.op.holds(intWithUint(a.Ints[i], uint64(b.Ints[i])))
		}
	default:
		compareInts(out, c.op, a.Ints, b.Ints)
	}
	return &c.vec
}

func compareInts(out []bool, op operator, a, b []int64) {
	a, b = a[:len(out)], b[:len(out)]
	switch op {
	case equal:
		for i := range out {
			out[i] = a[i] == b[i]
		}
	case notEqual:
		for i := range out {
			out[i] = a[i] != b[i]
		}
	case less:
		for i := range out {
			out[i] = a[i] < b[i]
		}
	case lessEqual:
		for i := range out {
			out[i] = a[i] <= b[i]
		}
	case greater:
		for i := range out {
			out[i] = a[i] > b[i]
		}
	case greaterEqual:
		for i := range out {
			out[i] = a[i] >= b[i]
		}
	}
}

func compareStrings(out []bool, op operator, a, b []string) {
	if op <= notEqual {
		for i := range out {
			out[i] = (a[i] == b[i]) == (op == equal)
		}
		return
	}
	for i := range out {
		out[i] = op.holds(strings.Compare(a[i], b[i]))
	}
}

func intWithUint(a int64, b uint64) int {
	if a < 0 || b > math.MaxInt64 {
		return -1
	}
	return cmp.Compare(a, int64(b))
}

// compareFloats compares numbers of which one is a double. What is not a number differs from all,
// and has no order.
func compareFloats(out []bool, op operator, a, b *Vec) {
	for i := range out {
		order, number := compareNumbers(a, b, i)
		out[i] = op == notEqual
		if number {
			out[i] = op.holds(order)
		}
	}
}

func compareNumbers(a, b *Vec, i int) (order int, number bool) {
	switch {
	case a.Kind != column.Float:
		order, number = compareNumbers(b, a, i)
		return -order, number
	case b.Kind == column.Float:
		x, y := a.Floats[i], b.Floats[i]
		return order3(x, y), x == x && y == y
	}
	x := a.Floats[i]
	low, high, y := float64(math.MinInt64), float64(math.MaxInt64), float64(b.Ints[i])
	if b.Kind == column.Uint {
		low, high, y = 0, math.MaxUint64, float64(uint64(b.Ints[i]))
	}
	switch {
	case x < low:
		return -1, true
	case x > high:
		return 1, true
	}
	return order3(x, y), x == x
}

// order3 compares as cel-go does: what is not a number is equal to all, and told apart before.
func order3(x, y float64) int {
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

// logical is && and ||. The side that decides hides an error of the other.
type logical struct {
	or   bool
	a, b node
	vec  Vec
	errs errs
}

func (l *logical) kind() column.Kind { return column.Bool }

func (l *logical) eval(in *Input) *Vec {
	a, b := l.a.eval(in), l.b.eval(in)
	out := room(l.vec.Bools, in.Rows)
	l.vec = Vec{Kind: column.Bool, Bools: out}
	x, y := a.Bools[:len(out)], b.Bools[:len(out)]
	if l.or {
		for i := range out {
			out[i] = x[i] || y[i]
		}
	} else {
		for i := range out {
			out[i] = x[i] && y[i]
		}
	}
	if a.Errs == nil && b.Errs == nil {
		return &l.vec
	}
	errs := room(l.errs.own, in.Rows)
	l.errs.own = errs
	for i := range errs {
		ea, eb := a.at(i), b.at(i)
		decided := ea == ok && x[i] == l.or || eb == ok && y[i] == l.or
		switch {
		case decided:
			out[i], errs[i] = l.or, ok
		case ea != ok:
			errs[i] = ea
		default:
			errs[i] = eb
		}
	}
	l.vec.Errs = errs
	return &l.vec
}

func (v *Vec) at(i int) Code {
	if v.Errs == nil {
		return ok
	}
	return v.Errs[i]
}

// not is !a.
type not struct {
	a   node
	vec Vec
}

func (n *not) kind() column.Kind { return column.Bool }

func (n *not) eval(in *Input) *Vec {
	a := n.a.eval(in)
	out := room(n.vec.Bools, in.Rows)
	for i := range out {
		out[i] = !a.Bools[i]
	}
	n.vec = Vec{Kind: column.Bool, Bools: out, Errs: a.Errs}
	return &n.vec
}

// conditional is c ? a : b.
type conditional struct {
	c, a, b node
	vec     Vec
	errs    errs
}

func (n *conditional) kind() column.Kind { return n.a.kind() }

func (n *conditional) eval(in *Input) *Vec {
	c, a, b := n.c.eval(in), n.a.eval(in), n.b.eval(in)
	v := &n.vec
	v.Kind, v.Errs = a.Kind, nil
	switch a.Kind {
	case column.Bool:
		v.Bools = choose(v.Bools, c.Bools, a.Bools, b.Bools)
	case column.Float:
		v.Floats = choose(v.Floats, c.Bools, a.Floats, b.Floats)
	case column.String, column.Bytes:
		v.Strings = choose(v.Strings, c.Bools, a.Strings, b.Strings)
	default:
		v.Ints = choose(v.Ints, c.Bools, a.Ints, b.Ints)
	}
	if c.Errs == nil && a.Errs == nil && b.Errs == nil {
		return v
	}
	errs := room(n.errs.own, in.Rows)
	n.errs.own = errs
	for i := range errs {
		switch {
		case c.at(i) != ok:
			errs[i] = c.at(i)
		case c.Bools[i]:
			errs[i] = a.at(i)
		default:
			errs[i] = b.at(i)
		}
	}
	v.Errs = errs
	return v
}

func choose[T any](out []T, c []bool, a, b []T) []T {
	out = room(out, len(c))
	for i := range out {
		if c[i] {
			out[i] = a[i]
		} else {
			out[i] = b[i]
		}
	}
	return out
}

// membership is a in [constants].
type membership struct {
	a       node
	ints    map[int64]bool
	strings map[string]bool
	vec     Vec
}

func (m *membership) kind() column.Kind { return column.Bool }

func (m *membership) eval(in *Input) *Vec {
	a := m.a.eval(in)
	out := room(m.vec.Bools, in.Rows)
	m.vec = Vec{Kind: column.Bool, Bools: out, Errs: a.Errs}
	if m.strings != nil {
		for i := range out {
			out[i] = m.strings[a.Strings[i]]
		}
	} else {
		for i := range out {
			out[i] = m.ints[a.Ints[i]]
		}
	}
	return &m.vec
}

// textTest is startsWith and the like.
type textTest struct {
	test func(s, arg string) bool
	a, b node
	vec  Vec
	errs errs
}

func (t *textTest) kind() column.Kind { return column.Bool }

func (t *textTest) eval(in *Input) *Vec {
	a, b := t.a.eval(in), t.b.eval(in)
	out := room(t.vec.Bools, in.Rows)
	for i := range out {
		out[i] = t.test(a.Strings[i], b.Strings[i])
	}
	t.vec = Vec{Kind: column.Bool, Bools: out, Errs: t.errs.join(a.Errs, b.Errs)}
	return &t.vec
}

// matches is a.matches(constant).
type matches struct {
	a    node
	re   pattern
	vec  Vec
	errs errs
}

func (m *matches) kind() column.Kind { return column.Bool }

func (m *matches) eval(in *Input) *Vec {
	a := m.a.eval(in)
	out := room(m.vec.Bools, in.Rows)
	m.vec = Vec{Kind: column.Bool, Bools: out, Errs: a.Errs}
	for i, s := range a.Strings[:in.Rows] {
		cost := matchCost(len(s), m.re.size)
		switch {
		case cost > maxCost:
			m.vec.Errs = m.errs.fresh(m.vec.Errs, nil, in.Rows)
			if out[i] = false; m.vec.Errs[i] == ok {
				m.vec.Errs[i] = overCost
			}
		case !in.spend(cost):
			clear(out[i:])
			return &m.vec
		default:
			out[i] = m.re.MatchString(s)
		}
	}
	return &m.vec
}

// length is size of a string, in code points, or of bytes.
type length struct {
	a   node
	vec Vec
}

func (l *length) kind() column.Kind { return column.Int }

func (l *length) eval(in *Input) *Vec {
	a := l.a.eval(in)
	out := room(l.vec.Ints, in.Rows)
	for i, s := range a.Strings[:in.Rows] {
		if a.Kind == column.Bytes {
			out[i] = int64(len(s))
		} else {
			out[i] = int64(utf8.RuneCountInString(s))
		}
	}
	l.vec = Vec{Kind: column.Int, Ints: out, Errs: a.Errs}
	return &l.vec
}

// bucket rounds times down to multiples of a duration since 1970.
type bucket struct {
	a, width node
	vec      Vec
	errs     errs
}

func (b *bucket) kind() column.Kind { return column.Time }

func (b *bucket) eval(in *Input) *Vec {
	a, w := b.a.eval(in), b.width.eval(in)
	out := room(b.vec.Ints, in.Rows)
	b.vec = Vec{Kind: column.Time, Ints: out, Errs: b.errs.join(a.Errs, w.Errs)}
	for i := range out {
		if w.Ints[i] <= 0 {
			b.vec.Errs = b.errs.fresh(b.vec.Errs, nil, in.Rows)
			b.vec.Errs[i] = divisionByZero
			continue
		}
		out[i] = BucketOf(a.Ints[i], w.Ints[i])
	}
	return &b.vec
}

// BucketOf rounds a time down to a multiple of width.
func BucketOf(t, width int64) int64 {
	rest := t % width
	if rest < 0 {
		rest += width
	}
	return t - rest
}
