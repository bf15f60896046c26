// Package project reads what paths lead to out of encoded messages, into columns: one pass over the
// bytes of each, without allocations. A value is the one that dynamicpb has for the path.
package project

import (
	"math"
	"time"

	"github.com/octopus-framework/octopus/gremlin/dynamic"
	"github.com/octopus-framework/octopus/nerve/query/column"
)

// BatchRows is how many records a batch has at most.
const BatchRows = 4096

// Options of a Projector.
type Options struct {
	// Lazy leaves unverified what no path leads to.
	Lazy bool
}

// Projector reads messages of one type into columns. It is not safe for concurrent use.
type Projector struct {
	root     *scope
	plan     *plan
	slots    []slot
	required *required // nil if no field is
	arena    arena
}

// slot is the column of a path.
type slot struct {
	typ    column.Type
	scopes []*scope // the lists on the path, outermost first
	leaf   *leaf
	nanos  *leaf // nanoseconds of a Time or Duration; leaf has its seconds
	valid  *leaf // tells which rows are not null; nil for all
	size   *scope
	// the value of a field without presence, which is compared with zero; nil for other fields
	has   *leaf
	ints  []int64
	bools []bool
}

// New returns a projector for messages of type t. Column i is that of paths[i].
func New(t *dynamic.Type, paths []Path, o Options) *Projector {
	p := &Projector{root: &scope{}}
	root := newNode(t, p.root)
	for _, path := range paths {
		p.slots = append(p.slots, root.slot(path))
	}
	p.root.reserve(BatchRows)
	c := &checks{lazy: o.Lazy, plans: map[*dynamic.Type]*plan{}}
	p.plan = root.compile(c)
	if !o.Lazy {
		p.required = requiredOf(t)
	}
	return p
}

// Rows is the number of messages since Reset.
func (p *Projector) Rows() int { return p.root.n }

// Append reads a message as the next row. It returns false, and there is no row, if the message
// does not decode. Strings alias it.
func (p *Projector) Append(data []byte) bool {
	p.root.push()
	if walk(data, 0, p.plan, 0, maxDepth) < 0 ||
		p.required != nil && !p.required.sound(data) {
		p.root.pop()
		return false
	}
	return true
}

// Reset takes all rows away.
func (p *Projector) Reset() {
	p.root.reset()
	p.arena.free = p.arena.free[:0]
}

// Finish ends the batch: after it come Column and Lists, and then Reset.
func (p *Projector) Finish() { p.root.finish() }

func (s *scope) finish() {
	for _, c := range s.children {
		c.offsets = append(c.offsets, uint32(c.n))
		c.finish()
	}
}

// slot adds what a path wants to the plan.
func (n *node) slot(path Path) slot {
	var s slot
	at, valid := n, n.present
	last := len(path.Steps) - 1
	for i, step := range path.Steps {
		f := step.Field
		if i == last && path.Want == Size {
			s.size = at.want(f).elements(at.scope)
			s.typ = column.Type{Kind: column.Int, Width: 64}
			return s
		}
		if i == last && path.Want == Presence && f.List() && step.Select == One {
			s.size = at.want(f).elements(at.scope)
			s.typ = column.Type{Kind: column.Bool}
			return s
		}
		p := at.place(step)
		if f.List() && step.Select != Index && step.Select != Key {
			s.scopes, valid = append(s.scopes, at.want(f).list), nil
		}
		if p.found != nil {
			valid = p.found
		}
		value := f
		if step.Select == Key {
			value = f.Value()
		}
		switch {
		case i < last:
			if at = p.msg; at.present != nil {
				valid = at.present
			}
		case p.msg != nil:
			s.message(p.msg, valid, path.Want)
		default:
			s.scalar(p.leaf, value, valid, path.Want)
			if p.found != nil {
				s.has = nil // it is there, whatever its value
			}
		}
	}
	return s
}

// scalar ends a path at a scalar.
func (s *slot) scalar(l *leaf, f *dynamic.Field, valid *leaf, want Want) {
	if l.present != nil {
		valid = l
	}
	if want == Presence {
		s.typ = column.Type{Kind: column.Bool}
		if s.valid = valid; l.present == nil {
			s.has = l
		}
		return
	}
	s.leaf, s.valid, s.typ = l, valid, typeOf(f)
}

// message ends a path at a message.
func (s *slot) message(m *node, valid *leaf, want Want) {
	if m.present != nil {
		valid = m.present
	}
	if s.valid = valid; want == Presence {
		s.typ = column.Type{Kind: column.Bool}
		return
	}
	if s.typ = MessageType(m.typ); s.typ.Kind == column.Message {
		if m.raw == nil {
			m.raw = m.scope.add(strs, true, dynamic.Scalar{}, 0)
		}
		s.leaf = m.raw
		return
	}
	s.leaf = m.place(Step{Field: m.typ.Field(1)}).leaf
	if s.typ.Kind == column.Time || s.typ.Kind == column.Duration {
		s.nanos = m.place(Step{Field: m.typ.Field(2)}).leaf
	}
}

// Type returns what the values of a field are, its elements' if it is a list.
func Type(f *dynamic.Field) column.Type {
	if f.Message != nil {
		return MessageType(f.Message)
	}
	return typeOf(f)
}

func typeOf(f *dynamic.Field) column.Type {
	switch f.Kind {
	case dynamic.Bool:
		return column.Type{Kind: column.Bool}
	case dynamic.Int32, dynamic.Sint32, dynamic.Sfixed32:
		return column.Type{Kind: column.Int, Width: 32}
	case dynamic.Int64, dynamic.Sint64, dynamic.Sfixed64:
		return column.Type{Kind: column.Int, Width: 64}
	case dynamic.Uint32, dynamic.Fixed32:
		return column.Type{Kind: column.Uint, Width: 32}
	case dynamic.Uint64, dynamic.Fixed64:
		return column.Type{Kind: column.Uint, Width: 64}
	case dynamic.Float:
		return column.Type{Kind: column.Float, Width: 32}
	case dynamic.Double:
		return column.Type{Kind: column.Float, Width: 64}
	case dynamic.String:
		return column.Type{Kind: column.String}
	case dynamic.EnumKind:
		return column.Type{Kind: column.Enum, Enum: f.Enum}
	}
	return column.Type{Kind: column.Bytes}
}

// MessageType returns what the values of a message are: those of well-known types that stand for a
// scalar are that.
func MessageType(t *dynamic.Type) column.Type {
	switch t.Name {
	case "google.protobuf.Timestamp":
		return column.Type{Kind: column.Time}
	case "google.protobuf.Duration":
		return column.Type{Kind: column.Duration}
	}
	if Wrapper(t) {
		return typeOf(t.Field(1))
	}
	return column.Type{Kind: column.Message, Message: t}
}

// Wrapper tells whether t is a google.protobuf.Int64Value or the like.
func Wrapper(t *dynamic.Type) bool {
	switch t.Name {
	case "google.protobuf.BoolValue", "google.protobuf.Int32Value", "google.protobuf.Int64Value",
		"google.protobuf.UInt32Value", "google.protobuf.UInt64Value",
		"google.protobuf.FloatValue", "google.protobuf.DoubleValue",
		"google.protobuf.StringValue", "google.protobuf.BytesValue":
		return true
	}
	return false
}

// Type returns what column i holds, without the lists that its path goes through.
func (p *Projector) Type(i int) column.Type { return p.slots[i].typ }

// Lists returns for each list on path i, outermost first, where the elements of each row, or of
// each element of the list before, begin; one more says where the last end.
func (p *Projector) Lists(i int) [][]uint32 {
	var out [][]uint32
	for _, s := range p.slots[i].scopes {
		out = append(out, s.offsets)
	}
	return out
}

// Column makes out the values of path i: one for each row, or for each element of the innermost
// list on the path. Absent values have their default beside Valid. A time that nanoseconds cannot
// express makes wide true.
func (p *Projector) Column(i int, out *column.Column) (wide bool) {
	s := &p.slots[i]
	*out = column.Column{Type: s.typ}
	rows := p.root.n
	if n := len(s.scopes); n > 0 {
		rows = s.scopes[n-1].n
	}
	if s.valid != nil {
		out.Valid = s.valid.present[:rows]
	}
	switch {
	case s.size != nil:
		out.Ints, out.Valid = s.sizes(s.size.parent.n), nil
	case s.leaf == nil:
		out.Ints, out.Valid = s.presence(rows, out.Valid), nil
	case s.nanos != nil:
		if out.Ints, wide = s.times(rows); wide {
			out.Valid = s.withoutWide(rows, out.Valid)
		}
	case s.leaf.store == ints:
		out.Ints = s.leaf.ints[:rows]
	case s.leaf.store == floats:
		out.Floats = s.leaf.floats[:rows]
	default:
		out.Strings = s.leaf.strs[:rows]
	}
	return wide
}

func (s *slot) room(n int) []int64 {
	if cap(s.ints) < n {
		s.ints = make([]int64, n, max(n, BatchRows))
	}
	s.ints = s.ints[:n]
	return s.ints
}

func (s *slot) sizes(n int) []int64 {
	out := s.room(n)
	for i := range out {
		out[i] = int64(s.size.offsets[i+1] - s.size.offsets[i])
		if s.typ.Kind == column.Bool {
			out[i] = min(out[i], 1)
		}
	}
	return out
}

func (s *slot) presence(n int, valid []bool) []int64 {
	out := s.room(n)
	for i := range out {
		has := valid == nil || valid[i]
		if has && s.has != nil {
			switch s.has.store {
			case ints:
				has = s.has.ints[i] != 0
			case floats:
				has = math.Float64bits(s.has.floats[i]) != 0
			case strs:
				has = s.has.strs[i] != ""
			}
		}
		out[i] = 0
		if has {
			out[i] = 1
		}
	}
	return out
}

func (s *slot) times(n int) (out []int64, wide bool) {
	out = s.room(n)
	for i := range out {
		if seconds := s.leaf.ints[i]; isWide(seconds) {
			out[i], wide = 0, true
		} else {
			out[i] = seconds*int64(time.Second) + s.nanos.ints[i]
		}
	}
	return out, wide
}

// isWide tells whether nanoseconds cannot express a time.
func isWide(seconds int64) bool {
	const most = math.MaxInt64/int64(time.Second) - 4
	return seconds > most || seconds < -most
}

// withoutWide returns valid with the times that nanoseconds cannot express as null.
func (s *slot) withoutWide(n int, valid []bool) []bool {
	s.bools = s.bools[:0]
	for i := range n {
		s.bools = append(s.bools, (valid == nil || valid[i]) && !isWide(s.leaf.ints[i]))
	}
	return s.bools
}

// Pin copies the strings that Append has read since the last Pin, so that the memory of the records
// may be used for others.
func (p *Projector) Pin() { p.root.pin(&p.arena) }

func (s *scope) pin(a *arena) {
	for _, l := range s.leaves {
		if l.store != strs {
			continue
		}
		for i := l.pinned; i < s.n; i++ {
			if l.strs[i] != "" {
				l.strs[i] = a.copy(l.strs[i])
			}
		}
		l.pinned = s.n
	}
	for _, c := range s.children {
		c.pin(a)
	}
}

// arena is memory for strings, all of which are given up at once.
type arena struct{ free []byte }

const arenaBytes = 64 << 10

func (a *arena) copy(s string) string {
	if len(s) > cap(a.free)-len(a.free) {
		a.free = make([]byte, 0, max(arenaBytes, len(s)))
	}
	start := len(a.free)
	a.free = append(a.free, s...)
	return view(a.free[start:])
}
