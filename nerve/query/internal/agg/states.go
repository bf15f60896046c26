package agg

import (
	"math"
	"math/big"
	"math/bits"
	"slices"
	"strings"

	"github.com/octopus-framework/octopus/nerve/query/column"
)

// Func is an aggregate function.
type Func struct {
	Name string
	// Arg is what its argument is; Kind Null for count() without one.
	Arg column.Type
	P   float64 // the fraction of a quantile
	K   int     // the number of values of a top
}

// Names of the functions.
var Names = []string{"count", "sum", "min", "max", "avg", "first", "last", "distinct", "quantile",
	"top"}

// State is the aggregates of one function for all groups. It is not safe for concurrent use.
type State interface {
	// Grow makes sure that there are n groups.
	Grow(n int)
	// Add takes in row rows[i] of arg for group groups[i]. ids are those of the rows' records.
	Add(arg *column.Column, rows, groups []uint32, ids []int64)
	// Merge takes in another state, whose group i is to[i] here, and leaves it useless.
	Merge(other State, to []uint32)
	// Result returns the values of all groups, and how many overflowed; those are null.
	Result() (c *column.Column, overflows int)
	// Bytes is the memory of the state.
	Bytes() int64
}

// New returns a state of f, or what is wrong with the argument's type.
func New(f Func) (State, string) {
	k := f.Arg.Kind
	number := k == column.Int || k == column.Uint || k == column.Float || k == column.Duration
	switch f.Name {
	case "count":
		return &count{}, ""
	case "sum", "avg":
		switch {
		case !number:
			return nil, f.Name + " takes numbers, not " + k.String()
		case k == column.Float:
			return &floatSum{typ: f.Arg, avg: f.Name == "avg"}, ""
		}
		return &intSum{typ: f.Arg, avg: f.Name == "avg"}, ""
	case "min", "max", "first", "last":
		if k == column.List || k == column.Message && f.Name[0] == 'm' {
			return nil, f.Name + " does not take " + k.String()
		}
		return &pick{name: f.Name, out: column.Column{Type: f.Arg}}, ""
	case "distinct":
		if k == column.List || k == column.Message {
			return nil, "distinct does not take " + k.String()
		}
		return &distincts{}, ""
	case "quantile":
		if !number {
			return nil, "quantile takes numbers, not " + k.String()
		}
		return &quantileState{typ: f.Arg, p: f.P}, ""
	case "top":
		if k == column.List || k == column.Message {
			return nil, "top does not take " + k.String()
		}
		return &top{typ: f.Arg, k: f.K}, ""
	}
	return nil, "there is no aggregate " + f.Name
}

func grown[T any](s []T, n int) []T {
	if n <= len(s) {
		return s
	}
	return append(s, make([]T, n-len(s))...)
}

type count struct{ n []int64 }

func (c *count) Grow(n int) { c.n = grown(c.n, n) }

func (c *count) Add(arg *column.Column, rows, groups []uint32, _ []int64) {
	if arg == nil || arg.Valid == nil && arg.Kind != column.Null {
		for _, g := range groups {
			c.n[g]++
		}
		return
	}
	for i, r := range rows {
		if !arg.Null(int(r)) {
			c.n[groups[i]]++
		}
	}
}

func (c *count) Merge(other State, to []uint32) {
	for i, n := range other.(*count).n {
		c.n[to[i]] += n
	}
}

func (c *count) Result() (*column.Column, int) {
	return &column.Column{Type: column.Type{Kind: column.Int, Width: 64}, Ints: c.n}, 0
}

func (c *count) Bytes() int64 { return int64(cap(c.n)) * 8 }

// wide is a number of 128 bits in two's complement.
type wide struct{ high, low uint64 }

func (w *wide) add(high, low uint64) {
	var carry uint64
	w.low, carry = bits.Add64(w.low, low, 0)
	w.high += high + carry
}

func (w wide) float() float64 {
	n := new(big.Int).SetUint64(w.high)
	if int64(w.high) < 0 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), 64))
	}
	n.Lsh(n, 64).Add(n, new(big.Int).SetUint64(w.low))
	f, _ := new(big.Float).SetInt(n).Float64()
	return f
}

// intSum is sum and avg of whole numbers and durations.
type intSum struct {
	typ  column.Type
	avg  bool
	sums []wide
	n    []int64
}

func (s *intSum) Grow(n int) { s.sums, s.n = grown(s.sums, n), grown(s.n, n) }

func (s *intSum) Add(arg *column.Column, rows, groups []uint32, _ []int64) {
	for i, r := range rows {
		if arg.Valid != nil && !arg.Valid[r] {
			continue
		}
		v, high := arg.Ints[r], uint64(0)
		if s.typ.Kind != column.Uint {
			high = uint64(v >> 63)
		}
		g := groups[i]
		s.sums[g].add(high, uint64(v))
		s.n[g]++
	}
}

func (s *intSum) Merge(other State, to []uint32) {
	o := other.(*intSum)
	for i, w := range o.sums {
		s.sums[to[i]].add(w.high, w.low)
		s.n[to[i]] += o.n[i]
	}
}

func (s *intSum) Result() (*column.Column, int) {
	c := &column.Column{Type: column.Type{Kind: s.typ.Kind, Width: 64},
		Valid: make([]bool, len(s.n))}
	if s.avg && s.typ.Kind != column.Duration {
		c.Kind = column.Float
	}
	overflows := 0
	for i, w := range s.sums {
		c.Valid[i] = s.n[i] > 0
		if s.avg {
			mean := 0.0
			if s.n[i] > 0 {
				mean = w.float() / float64(s.n[i])
			}
			if c.Kind == column.Float {
				c.Floats = append(c.Floats, mean)
			} else {
				c.Ints = append(c.Ints, int64(mean))
			}
			continue
		}
		c.Ints = append(c.Ints, int64(w.low))
		fits := w.high == 0
		if s.typ.Kind != column.Uint {
			fits = w.high == uint64(int64(w.low)>>63)
		}
		if !fits {
			c.Valid[i] = false
			overflows++
		}
	}
	return c, overflows
}

func (s *intSum) Bytes() int64 { return int64(cap(s.sums))*16 + int64(cap(s.n))*8 }

// floatSum is sum and avg of doubles.
type floatSum struct {
	typ  column.Type
	avg  bool
	sums []exactSum
	n    []int64
}

func (s *floatSum) Grow(n int) { s.sums, s.n = grown(s.sums, n), grown(s.n, n) }

func (s *floatSum) Add(arg *column.Column, rows, groups []uint32, _ []int64) {
	for i, r := range rows {
		if arg.Valid == nil || arg.Valid[r] {
			s.sums[groups[i]].add(arg.Floats[r])
			s.n[groups[i]]++
		}
	}
}

func (s *floatSum) Merge(other State, to []uint32) {
	o := other.(*floatSum)
	for i := range o.sums {
		s.sums[to[i]].merge(&o.sums[i])
		s.n[to[i]] += o.n[i]
	}
}

func (s *floatSum) Result() (*column.Column, int) {
	c := &column.Column{Type: column.Type{Kind: column.Float, Width: 64},
		Valid: make([]bool, len(s.n))}
	for i := range s.sums {
		v := s.sums[i].value()
		if c.Valid[i] = s.n[i] > 0; s.avg && s.n[i] > 0 {
			v /= float64(s.n[i])
		}
		c.Floats = append(c.Floats, v)
	}
	return c, 0
}

func (s *floatSum) Bytes() int64 { return int64(cap(s.sums))*(40+40) + int64(cap(s.n))*8 }

// pick is min, max, first and last: the value of one row.
type pick struct {
	name string
	out  column.Column // a row for each group
	ids  []int64       // id of the record that has the value; 0 for none
	text int64         // bytes of copied strings
}

func (p *pick) Grow(n int) {
	p.ids, p.out.Valid = grown(p.ids, n), grown(p.out.Valid, n)
	switch p.out.Kind {
	case column.Float:
		p.out.Floats = grown(p.out.Floats, n)
	case column.String, column.Bytes, column.Message:
		p.out.Strings = grown(p.out.Strings, n)
	default:
		p.out.Ints = grown(p.out.Ints, n)
	}
}

func (p *pick) Add(arg *column.Column, rows, groups []uint32, ids []int64) {
	for i, r := range rows {
		if !arg.Null(int(r)) {
			p.offer(arg, int(r), groups[i], ids[r], true)
		}
	}
}

// offer takes row r of c if it is to be picked. Of one record's rows the later come later.
func (p *pick) offer(c *column.Column, r int, g uint32, id int64, clone bool) {
	if p.out.Valid[g] {
		better := false
		switch p.name {
		case "first":
			better = id < p.ids[g]
		case "last":
			better = id >= p.ids[g]
		default:
			x := compareAcross(c, r, &p.out, int(g))
			better = x < 0 && p.name == "min" || x > 0 && p.name == "max"
		}
		if !better {
			return
		}
	}
	p.out.Valid[g], p.ids[g] = true, id
	switch c.Kind {
	case column.Float:
		p.out.Floats[g] = c.Floats[r]
	case column.String, column.Bytes, column.Message:
		s := c.Strings[r]
		p.text += int64(len(s) - len(p.out.Strings[g]))
		if clone {
			s = strings.Clone(s)
		}
		p.out.Strings[g] = s
	default:
		p.out.Ints[g] = c.Ints[r]
	}
}

func compareAcross(a *column.Column, i int, b *column.Column, j int) int {
	switch a.Kind {
	case column.Float:
		return compareFloats(a.Floats[i], b.Floats[j])
	case column.String, column.Bytes:
		return strings.Compare(a.Strings[i], b.Strings[j])
	case column.Uint:
		return order(uint64(a.Ints[i]), uint64(b.Ints[j]))
	}
	return order(a.Ints[i], b.Ints[j])
}

func (p *pick) Merge(other State, to []uint32) {
	o := other.(*pick)
	for i, valid := range o.out.Valid {
		if valid {
			p.offer(&o.out, i, to[i], o.ids[i], false)
		}
	}
}

func (p *pick) Result() (*column.Column, int) { return &p.out, 0 }

func (p *pick) Bytes() int64 { return int64(cap(p.ids))*8*3 + p.text }

type distincts struct {
	groups []distinct
	bytes  int64
}

func (d *distincts) Grow(n int) { d.groups = grown(d.groups, n) }

func (d *distincts) Add(arg *column.Column, rows, groups []uint32, _ []int64) {
	for i, r := range rows {
		if arg.Null(int(r)) {
			continue
		}
		var h uint64
		switch arg.Kind {
		case column.Float:
			h = mix(math.Float64bits(arg.Floats[r] + 0))
		case column.String, column.Bytes:
			h = hashText(arg.Strings[r])
		default:
			h = mix(uint64(arg.Ints[r]) + 0x9e3779b97f4a7c15)
		}
		g := &d.groups[groups[i]]
		d.bytes -= g.bytes()
		g.add(h)
		d.bytes += g.bytes()
	}
}

func (d *distincts) Merge(other State, to []uint32) {
	o := other.(*distincts)
	for i := range o.groups {
		g := &d.groups[to[i]]
		d.bytes -= g.bytes()
		g.merge(&o.groups[i])
		d.bytes += g.bytes()
	}
}

func (d *distincts) Result() (*column.Column, int) {
	c := &column.Column{Type: column.Type{Kind: column.Int, Width: 64}}
	for i := range d.groups {
		c.Ints = append(c.Ints, d.groups[i].estimate())
	}
	return c, 0
}

func (d *distincts) Bytes() int64 { return int64(cap(d.groups))*48 + d.bytes }

type quantileState struct {
	typ    column.Type
	p      float64
	groups []quantiles
	bytes  int64
}

func (q *quantileState) Grow(n int) { q.groups = grown(q.groups, n) }

func (q *quantileState) Add(arg *column.Column, rows, groups []uint32, _ []int64) {
	for i, r := range rows {
		if arg.Null(int(r)) {
			continue
		}
		var x float64
		switch arg.Kind {
		case column.Float:
			x = arg.Floats[r]
		case column.Uint:
			x = float64(uint64(arg.Ints[r]))
		default:
			x = float64(arg.Ints[r])
		}
		g := &q.groups[groups[i]]
		q.bytes -= g.bytes()
		g.add(x)
		q.bytes += g.bytes()
	}
}

func (q *quantileState) Merge(other State, to []uint32) {
	o := other.(*quantileState)
	for i := range o.groups {
		g := &q.groups[to[i]]
		q.bytes -= g.bytes()
		g.merge(&o.groups[i])
		q.bytes += g.bytes()
	}
}

func (q *quantileState) Result() (*column.Column, int) {
	c := &column.Column{Type: column.Type{Kind: column.Float, Width: 64},
		Valid: make([]bool, len(q.groups))}
	if q.typ.Kind == column.Duration {
		c.Kind = column.Duration
	}
	for i := range q.groups {
		v, there := q.groups[i].at(q.p)
		c.Valid[i] = there
		if c.Kind == column.Duration {
			c.Ints = append(c.Ints, int64(v))
		} else {
			c.Floats = append(c.Floats, v)
		}
	}
	return c, 0
}

func (q *quantileState) Bytes() int64 { return int64(cap(q.groups))*80 + q.bytes }

// top counts the values of each group, and returns those that are there most often.
type top struct {
	typ    column.Type
	k      int
	groups []tally
	bytes  int64
}

type tally struct {
	values *Groups
	counts []int64
}

func (t *top) Grow(n int) { t.groups = grown(t.groups, n) }

const tallyBytes = 1536 // of an empty one

func (t *top) of(g uint32) *tally {
	y := &t.groups[g]
	if y.values == nil {
		y.values = NewGroups([]column.Type{t.typ})
		t.bytes += tallyBytes
	}
	return y
}

func (t *top) Add(arg *column.Column, rows, groups []uint32, _ []int64) {
	keys := []*column.Column{arg}
	var row, group [1]uint32
	for i, r := range rows {
		if arg.Null(int(r)) {
			continue
		}
		y := t.of(groups[i])
		before := y.values.Bytes()
		row[0] = r
		y.values.Find(keys, row[:], group[:])
		y.counts = grown(y.counts, y.values.Len())
		y.counts[group[0]]++
		t.bytes += y.values.Bytes() - before
	}
}

func (t *top) Merge(other State, to []uint32) {
	o := other.(*top)
	for i := range o.groups {
		from := &o.groups[i]
		if from.values == nil {
			continue
		}
		y := t.of(to[i])
		before := y.values.Bytes()
		for j, g := range y.values.Merge(from.values) {
			y.counts = grown(y.counts, y.values.Len())
			y.counts[g] += from.counts[j]
		}
		t.bytes += y.values.Bytes() - before
	}
}

func (t *top) Result() (*column.Column, int) {
	elem := &column.Column{Type: t.typ}
	c := &column.Column{Type: column.Type{Kind: column.List, Elem: &elem.Type}, Elem: elem,
		Offsets: []uint32{0}}
	for i := range t.groups {
		t.groups[i].best(t.k, elem)
		n := max(len(elem.Ints), len(elem.Floats), len(elem.Strings))
		c.Offsets = append(c.Offsets, uint32(n))
	}
	return c, 0
}

// best appends the k most frequent values, the most frequent first; of equally frequent ones the
// smaller.
func (y *tally) best(k int, out *column.Column) {
	if y.values == nil {
		return
	}
	values := y.values.Keys()[0]
	rows := Sorted([]*column.Column{values}, y.values.Len())
	slices.SortStableFunc(rows, func(a, b uint32) int { return order(y.counts[b], y.counts[a]) })
	for _, r := range rows[:min(k, len(rows))] {
		switch out.Kind {
		case column.Float:
			out.Floats = append(out.Floats, values.Floats[r])
		case column.String, column.Bytes:
			out.Strings = append(out.Strings, values.Strings[r])
		default:
			out.Ints = append(out.Ints, values.Ints[r])
		}
	}
}

func (t *top) Bytes() int64 { return int64(cap(t.groups))*32 + t.bytes }
