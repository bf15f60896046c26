package patch

import (
	"encoding/binary"
	"strconv"
	"unicode/utf8"

	"github.com/octopus-framework/octopus/gremlin/dynamic"
	"github.com/octopus-framework/octopus/gremlin/internal/wire"
	"github.com/octopus-framework/octopus/gremlin/rt"
)

// Get returns the value that the path leads to in b, and whether there is one: false with the
// default where the field is absent, or where it has no presence and is zero. A message is its
// encoding in Text. A list or map as a whole is an error with the code BadValue, as is an index
// that the list does not have.
func (p Path) Get(b []byte) (v dynamic.Scalar, ok bool, err error) {
	last := &p.steps[len(p.steps)-1]
	if err := p.single(); err != nil {
		return v, false, err
	}
	base, entry := 0, false
	for i := range p.steps {
		l := level{p: &p, i: i, b: b, base: base}
		found, err := l.find()
		s := &p.steps[i]
		switch {
		case err != nil:
			return v, false, err
		case s.indexed && !found.ok:
			return v, false, p.outOfRange(i, l.count)
		case !found.ok && s.inEntry && entry && i == len(p.steps)-1:
			return s.absent(), true, nil
		case !found.ok:
			return last.absent(), false, nil
		}
		b, base, entry = found.payload, found.base, s.keyed
	}
	if last.kind >= dynamic.String {
		v.Text = string(b)
	} else if v, ok = dynamic.DecodeScalar(last.kind, b); !ok {
		return v, false, p.fail(rt.Malformed, len(p.steps)-1, base, "")
	}
	implicit := last.field != nil && !last.field.Presence && !last.indexed && !last.inEntry
	return v, !implicit || v != dynamic.Scalar{}, nil
}

func (s *step) absent() dynamic.Scalar {
	if s.field == nil {
		return dynamic.Scalar{}
	}
	return s.field.Default
}

// Set appends b, in which the field that the path leads to has the value v, to dst. Messages on the
// way and entries of maps that there are not are made. A message is given as its encoding in Text.
// Errors are of type *gremlin.Error; then dst is returned as it was.
func (p Path) Set(dst, b []byte, v dynamic.Scalar) ([]byte, error) {
	if err := p.single(); err != nil {
		return dst, err
	}
	return p.run(dst, b, edit{value: v})
}

// Append appends b, in which the list that the path leads to has v as another element, to dst.
func (p Path) Append(dst, b []byte, v dynamic.Scalar) ([]byte, error) {
	s := &p.steps[len(p.steps)-1]
	if s.field != nil && (!s.field.Repeated || s.indexed) {
		return dst, p.fail(rt.BadValue, len(p.steps)-1, -1, "the path leads to no list")
	}
	return p.run(dst, b, edit{value: v, more: true})
}

// Clear appends b without what the path leads to, to dst: a field, a list or map as a whole, an
// element of a list, an entry of a map. It is no error when there is none.
func (p Path) Clear(dst, b []byte) ([]byte, error) {
	if p.steps[len(p.steps)-1].inEntry {
		p.steps = p.steps[:len(p.steps)-1]
	}
	return p.run(dst, b, edit{clear: true})
}

// single returns an error where the path leads to a list or map as a whole.
func (p *Path) single() error {
	s := &p.steps[len(p.steps)-1]
	if s.field != nil && s.field.List() && !s.indexed {
		return p.fail(rt.BadValue, len(p.steps)-1, -1,
			"the field has several values: say which, as "+s.name+"[0]")
	}
	return nil
}

func (p *Path) outOfRange(i, count int) error {
	return p.fail(rt.BadValue, i, -1, "there is no element "+strconv.Itoa(p.steps[i].index)+
		", the list has "+strconv.Itoa(count))
}

// edit is what is to be done at the end of a path.
type edit struct {
	value dynamic.Scalar
	clear bool
	more  bool // another element of a list
}

func (p *Path) run(dst, b []byte, e edit) ([]byte, error) {
	if !e.clear {
		if err := p.check(e.value); err != nil {
			return dst, err
		}
	}
	out, err := p.edit(b, 0, 0, e)
	if err != nil {
		return dst, err
	}
	return append(dst, out...), nil
}

// check tells whether the field can have the value.
func (p *Path) check(v dynamic.Scalar) error {
	i := len(p.steps) - 1
	s := &p.steps[i]
	switch {
	case s.kind >= dynamic.MessageKind:
		table := &rt.Table{Name: p.root}
		if s.field != nil {
			table = s.field.Message.GremlinTable()
		}
		return rt.CheckEncoding([]byte(v.Text), table)
	case s.kind == dynamic.String:
		if s.field != nil && s.field.UTF8 && !utf8.ValidString(v.Text) {
			return p.fail(rt.InvalidUTF8, i, -1, "")
		}
		return nil
	case s.kind == dynamic.Bytes:
		return nil
	case s.kind == dynamic.EnumKind && s.field != nil && !s.field.Enum.Valid(int32(v.Bits)):
		return p.fail(rt.BadValue, i, -1, "the enum has no such value")
	}
	encoded := dynamic.AppendScalar(nil, s.kind, dynamic.Scalar{Bits: v.Bits})
	if got, ok := dynamic.DecodeScalar(s.kind, encoded); !ok || got.Bits != v.Bits {
		return p.fail(rt.BadValue, i, -1, "the value is out of range")
	}
	return nil
}

// found is what a level has for its step.
type found struct {
	ok      bool
	payload []byte // payload of all pieces together
	base    int    // offset of the payload in the input, -1 when it was put together
	at      int    // where the field that has it, the last one, starts; -1 when there is none
	typ     uint8  // its wire type
	// the packed list that an element is in, as a field
	run    wire.Field
	merged bool // payload was put together
}

// find looks for the value of the step.
func (l *level) find() (f found, err error) {
	s := l.step()
	f = found{at: -1, base: -1}
	err = l.each(func(w wire.Field, r role) {
		switch {
		case r == rival:
			f = found{at: -1, base: -1}
			return
		case r == other, r == match && s.indexed:
			return
		case f.ok && s.kind >= dynamic.MessageKind && !s.keyed && !s.indexed: // another piece
			if !f.merged {
				f.payload = append([]byte(nil), f.payload...)
			}
			f.payload = append(f.payload, l.b[w.Value:w.End]...)
			f.base, f.merged = -1, true
		default:
			f.payload, f.base = l.b[w.Value:w.End], -1
			if l.base >= 0 {
				f.base = l.base + w.Value
			}
		}
		f.ok, f.at, f.typ = true, w.Tag, w.Type
		if r == element && w.Type == wire.Bytes && s.kind <= dynamic.Double {
			l.inRun(&f, w)
		}
	})
	return f, err
}

// inRun makes f the element of a packed list.
func (l *level) inRun(f *found, w wire.Field) {
	at := l.count - l.elements(w)
	l.packed(w, func(from, to int) bool {
		if at == l.step().index {
			f.payload, f.run = l.b[from:to], w
			f.run.Value, f.run.End = from, to // the field's own are found again by its tag
			if f.base = -1; l.base >= 0 {
				f.base = l.base + from
			}
		}
		at++
		return true
	})
}

// edit returns the message b, the one of step i, changed.
func (p *Path) edit(b []byte, base, i int, e edit) ([]byte, error) {
	l := level{p: p, i: i, b: b, base: base}
	s, last := l.step(), i == len(p.steps)-1
	f, err := l.find()
	switch {
	case err != nil:
		return nil, err
	case s.indexed && !f.ok:
		return nil, p.outOfRange(i, l.count)
	case e.clear && !f.ok:
		return b, nil
	}
	var field []byte
	switch {
	case !last:
		inner, err := p.edit(f.payload, f.base, i+1, e)
		if err != nil {
			return nil, err
		}
		if s.keyed && !f.ok {
			key := s.field.Key()
			entry := binary.AppendUvarint(nil, uint64(key.Tag()))
			inner = append(dynamic.AppendScalar(entry, key.Kind, s.key), inner...)
		}
		field = s.appendMessage(nil, inner, f)
	case e.clear && f.run.Next != 0:
		field = l.run(f, nil)
	case e.clear:
	case f.run.Next != 0:
		field = l.run(f, dynamic.AppendScalar(nil, s.kind, e.value))
	default:
		field = s.appendField(nil, e, f)
	}
	return l.replace(f, field, e, last)
}

// replace returns the message with field in the place of the last value of the step, and without
// what it replaces.
func (l *level) replace(f found, field []byte, e edit, last bool) ([]byte, error) {
	s := l.step()
	if e.more && last {
		f.at = -1
	}
	out := make([]byte, 0, len(l.b)+len(field))
	err := l.each(func(w wire.Field, r role) {
		switch {
		case w.Tag == f.at:
			out = append(out, field...)
			if f.run.Next == 0 {
				out = l.appendUnlisted(out, w)
			}
		case r == other, s.indexed, e.more && last:
			out = append(out, l.b[w.Tag:w.Next]...)
		case r == match:
			out = l.appendUnlisted(out, w)
		}
	})
	if f.at < 0 {
		out = append(out, field...)
	}
	return out, err
}

// appendUnlisted appends the numbers of a packed list that goes which its closed enum does not
// have: they are unknown fields, and stay.
func (l *level) appendUnlisted(b []byte, w wire.Field) []byte {
	s := l.step()
	if s.kind != dynamic.EnumKind || w.Type != wire.Bytes {
		return b
	}
	for off := w.Value; off < w.End; {
		one := wire.Field{Type: wire.Varint, Value: off}
		_, next := wire.Uvarint(l.b[:w.End], off)
		if next < 0 {
			break
		}
		if l.unlisted(s.field, one) {
			b = binary.AppendUvarint(b, uint64(s.number)<<3|wire.Varint)
			b = append(b, l.b[off:next]...)
		}
		off = next
	}
	return b
}

// run returns the packed list of f with value, encoded, in the place of the element; nil when there
// is nothing left.
func (l *level) run(f found, value []byte) []byte {
	w, _ := wire.Next(l.b, f.at)
	size := w.End - w.Value - (f.run.End - f.run.Value) + len(value)
	if size == 0 {
		return nil
	}
	b := append([]byte(nil), l.b[w.Tag:w.Length]...)
	b = binary.AppendUvarint(b, uint64(size))
	b = append(append(b, l.b[w.Value:f.run.Value]...), value...)
	return append(b, l.b[f.run.End:w.End]...)
}

// appendMessage appends a message as the field of the step, in the form that it had before.
func (s *step) appendMessage(b, payload []byte, f found) []byte {
	if s.kind == dynamic.Group || f.ok && f.typ == wire.Start {
		b = binary.AppendUvarint(b, uint64(s.number)<<3|wire.Start)
		return binary.AppendUvarint(append(b, payload...), uint64(s.number)<<3|wire.End)
	}
	b = binary.AppendUvarint(b, uint64(s.number)<<3|wire.Bytes)
	return append(binary.AppendUvarint(b, uint64(len(payload))), payload...)
}

// appendField appends the value of an edit as the field of the step; nothing for a zero that a
// field without presence does not write.
func (s *step) appendField(b []byte, e edit, f found) []byte {
	plain := dynamic.Field{Number: s.number, Kind: s.kind}
	switch {
	case s.kind >= dynamic.MessageKind:
		return s.appendMessage(b, []byte(e.value.Text), f)
	case s.field != nil && !s.field.Presence && !s.field.Repeated && !s.inEntry &&
		e.value == dynamic.Scalar{}:
		return b
	case e.more && s.field != nil && s.field.Packed:
		element := dynamic.AppendScalar(nil, s.kind, e.value)
		b = binary.AppendUvarint(b, uint64(s.number)<<3|wire.Bytes)
		return append(binary.AppendUvarint(b, uint64(len(element))), element...)
	}
	return dynamic.AppendScalar(binary.AppendUvarint(b, uint64(plain.Tag())), s.kind, e.value)
}
