package dynamic

import (
	"encoding/binary"

	"github.com/octopus-framework/octopus/gremlin/internal/wire"
	"github.com/octopus-framework/octopus/gremlin/rt"
)

// Unmarshal replaces the contents of m by those of an encoding, of which it keeps nothing. Its
// errors are those of generated code. When a required field is missing, m has the rest.
func (m *Message) Unmarshal(b []byte) error {
	m.Reset()
	if err := m.typ.Check(b); err != nil {
		return err
	}
	m.decode([]byte(string(b)), 0, 0)
	return m.CheckInitialized()
}

// decode merges the fields of b, which was checked, from off on, up to the end of the group with
// this number, and returns the offset behind them. Text shares the memory of b.
func (m *Message) decode(b []byte, off int, group uint32) int {
	for off < len(b) {
		w, wrong := wire.Next(b, off)
		if wrong != "" || w.Type == wire.End {
			return w.Next // wrong cannot be
		}
		off = m.field(b, w)
	}
	return off
}

// field merges one field and returns the offset behind it.
func (m *Message) field(b []byte, w wire.Field) int {
	f := m.typ.Field(w.Number)
	switch {
	case f == nil || !f.Accepts(w.Type):
	case f.Kind == Group:
		return m.message(f).decode(b, w.Value, f.Number)
	case f.Kind == MessageKind:
		m.message(f).decode(b[:w.End], w.Value, 0)
		return w.Next
	case f.Kind == Map:
		if m.entry(f, b[w.Value:w.End]) {
			return w.Next
		}
	case f.Repeated && w.Type == wire.Bytes && f.Kind <= Double:
		m.packed(f, b[:w.End], w.Value)
		return w.Next
	default:
		s := scalarAt(f.Kind, b, w)
		if f.Kind == EnumKind && !f.Enum.Valid(int32(s.Bits)) {
			break
		}
		if f.Repeated {
			m.Append(f, Value{Scalar: s})
		} else {
			m.Set(f, Value{Scalar: s})
		}
		return w.Next
	}
	if w.Type == wire.Start {
		_, w.Next, _ = wire.SkipGroup(b, w.Value, w.Number)
	}
	m.unknown = append(m.unknown, b[w.Tag:w.Next]...)
	return w.Next
}

// message returns the message that the next piece of f goes to.
func (m *Message) message(f *Field) *Message {
	if f.Repeated {
		sub := New(f.Message)
		m.Append(f, Value{Message: sub})
		return sub
	}
	s := m.set(f)
	if s.value.Message == nil {
		s.value.Message = New(f.Message)
	}
	return s.value.Message
}

func scalarAt(k Kind, b []byte, w wire.Field) (s Scalar) {
	if k >= String {
		s.Text = view(b[w.Value:w.End])
	} else {
		x, _ := wire.Number(b, w.Value, w.Type)
		s.Bits = bitsOf(k, x)
	}
	return s
}

// packed appends the numbers of b from off on. Those that a closed enum does not have become
// unknown fields of their own.
func (m *Message) packed(f *Field, b []byte, off int) {
	for off < len(b) {
		x, next := wire.Number(b, off, wireType(f.Kind))
		if next < 0 {
			return
		}
		off = next
		if f.Kind == EnumKind && !f.Enum.Valid(int32(x)) {
			m.unknown = binary.AppendUvarint(binary.AppendUvarint(m.unknown,
				uint64(f.Number)<<3|wire.Varint), x)
			continue
		}
		m.Append(f, Value{Scalar: Scalar{Bits: bitsOf(f.Kind, x)}})
	}
}

// entry puts the entry of a map that is b. It returns false where the entry is an unknown field,
// because its value is a number that a closed enum does not have.
func (m *Message) entry(f *Field, b []byte) bool {
	e := Message{typ: f.Message}
	e.decodeEntry(b)
	key, value := f.Key(), f.Value()
	v := e.Get(value)
	switch {
	case value.Kind == EnumKind && !value.Enum.Valid(int32(v.Bits)):
		return false
	case value.Kind == MessageKind && v.Message == nil:
		v.Message = New(value.Message)
	}
	m.Put(f, e.Get(key).Scalar, v)
	return true
}

// decodeEntry is decode for entries of maps: of an enum the last number counts, whatever it is.
func (m *Message) decodeEntry(b []byte) {
	for off := 0; off < len(b); {
		w, wrong := wire.Next(b, off)
		if wrong != "" {
			return
		}
		f := m.typ.Field(w.Number)
		if f != nil && f.Kind == EnumKind && f.Accepts(w.Type) {
			m.Set(f, Value{Scalar: scalarAt(f.Kind, b, w)})
			off = w.Next
		} else {
			off = m.field(b, w)
		}
	}
}

// Check checks the whole tree of messages that b is the encoding of, as CheckEncoding of generated
// code does, without required fields. The error is a *gremlin.Error.
func (t *Type) Check(b []byte) error { return rt.CheckEncoding(b, t.tables.wire) }

// CheckEncoding is Check with required fields. Any number of goroutines may call it.
func (t *Type) CheckEncoding(b []byte) error {
	if err := t.Check(b); err != nil || !t.needsInit {
		return err
	}
	r := NewReader(t)
	if err := r.Unmarshal(b); err != nil {
		return err
	}
	return r.CheckEncoding()
}
