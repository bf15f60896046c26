package patch

import (
	"github.com/octopus-framework/octopus/gremlin/dynamic"
	"github.com/octopus-framework/octopus/gremlin/internal/wire"
	"github.com/octopus-framework/octopus/gremlin/rt"
)

// What a field of a level is to a step of a path.
type role uint8

const (
	other   role = iota // something else
	match               // a value of the step
	rival               // a value of another member of its oneof
	element             // holds the element with the step's index
)

// level is one message on the way: what the path's step finds in it.
type level struct {
	p    *Path
	i    int // index of the step
	b    []byte
	base int // offset of b in the input, for errors; -1 when b was put together

	count int // elements of the list so far
}

func (l *level) step() *step { return &l.p.steps[l.i] }

// each calls f for every field with what it is to the step.
func (l *level) each(f func(w wire.Field, r role)) error {
	l.count = 0
	for off := 0; off < len(l.b); {
		w, wrong := wire.Next(l.b, off)
		switch {
		case wrong != "":
		case w.Type == wire.Start:
			w.End, w.Next, wrong = wire.SkipGroup(l.b, w.Value, w.Number)
		case w.Type == wire.End:
			wrong = wire.MisplacedEG
		}
		if wrong != "" {
			at := -1
			if l.base >= 0 {
				at = l.base + off
			}
			return l.p.fail(rt.Malformed, l.i, at, string(wrong))
		}
		f(w, l.role(w))
		off = w.Next
	}
	return nil
}

func (l *level) role(w wire.Field) role {
	s := l.step()
	if w.Number != s.number {
		if s.field == nil || s.field.Oneof == nil {
			return other
		}
		f := s.field.Parent.Field(w.Number)
		if f == nil || f.Oneof != s.field.Oneof || !f.Accepts(w.Type) || l.unlisted(f, w) {
			return other
		}
		return rival
	}
	switch {
	case !s.accepts(w.Type):
	case s.keyed:
		if key, listed := l.entryKey(w); listed && key == s.key {
			return match
		}
	case s.field != nil && s.field.Kind == dynamic.Map:
		if _, listed := l.entryKey(w); listed {
			return match
		}
	case s.indexed:
		before := l.count
		l.count += l.elements(w)
		if before <= s.index && s.index < l.count {
			return element
		}
		return match
	case w.Type == wire.Bytes && s.kind <= dynamic.Double: // packed
		return match
	case s.field == nil || !l.unlisted(s.field, w):
		return match
	}
	return other
}

// unlisted tells whether the value is a number that a closed enum does not have, which is an
// unknown field.
func (l *level) unlisted(f *dynamic.Field, w wire.Field) bool {
	if f.Kind != dynamic.EnumKind || w.Type != wire.Varint {
		return false
	}
	x, _ := wire.Uvarint(l.b, w.Value)
	return !f.Enum.Valid(int32(x))
}

// entryKey returns the key of an entry of a map, and whether the entry is no unknown field.
func (l *level) entryKey(w wire.Field) (key dynamic.Scalar, listed bool) {
	f := l.step().field
	r := dynamic.NewReader(f.Message)
	if r.Unmarshal(l.b[w.Value:w.End]) != nil {
		return key, false
	}
	listed = true
	if value := f.Value(); value.Kind == dynamic.EnumKind {
		e := level{p: &Path{steps: []step{{number: 2, kind: value.Kind, field: value}}},
			b: l.b[w.Value:w.End]}
		_ = e.each(func(w wire.Field, _ role) {
			if w.Number == 2 && value.Accepts(w.Type) { // the last one counts, whatever it is
				listed = !e.unlisted(value, w)
			}
		})
	}
	return r.Get(f.Key()), listed
}

// elements returns how many elements of the list a field holds.
func (l *level) elements(w wire.Field) (n int) {
	s := l.step()
	if w.Type != wire.Bytes || s.kind > dynamic.Double {
		if l.unlisted(s.field, w) {
			return 0
		}
		return 1
	}
	l.packed(w, func(_, _ int) bool {
		n++
		return true
	})
	return n
}

// packed calls f with the start and end of each number of a packed list that is an element.
func (l *level) packed(w wire.Field, f func(from, to int) bool) {
	s := l.step()
	one := wire.Field{Type: wire.Varint} // only enums ask
	typ := uint8(wire.Fixed64)
	switch {
	case s.kind <= dynamic.EnumKind:
		typ = wire.Varint
	case s.kind <= dynamic.Float:
		typ = wire.Fixed32
	}
	for off := w.Value; off < w.End; {
		_, next := wire.Number(l.b[:w.End], off, typ)
		if next < 0 {
			return
		}
		one.Value = off
		if !l.unlisted(s.field, one) && !f(off, next) {
			return
		}
		off = next
	}
}
