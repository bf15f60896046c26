package dynamic

import (
	"encoding/binary"

	"github.com/octopus-framework/octopus/gremlin/internal/wire"
	"github.com/octopus-framework/octopus/gremlin/rt"
)

// Marshal returns the encoding: fields in the order of their numbers, behind them oneofs in the
// order of their declaration, then unknown fields; maps are sorted by key. Equal messages give
// equal bytes, those of gremlin.MarshalStable.
func (m *Message) Marshal() []byte { return m.MarshalAppend(nil) }

// MarshalAppend appends the encoding to dst.
func (m *Message) MarshalAppend(dst []byte) []byte {
	var e rt.Encoder
	return e.Finish(m.append(dst, &e))
}

// append appends the fields; lengths of messages may be missing until e is finished.
func (m *Message) append(b []byte, e *rt.Encoder) []byte {
	oneofs := 0
	for i := range m.fields {
		if m.fields[i].field.Oneof != nil {
			oneofs++
			continue
		}
		b = m.fields[i].append(b, e)
	}
	if oneofs == 0 {
		return append(b, m.unknown...)
	}
	for _, o := range m.typ.Oneofs {
		for i := range m.fields {
			if m.fields[i].field.Oneof == o {
				b = m.fields[i].append(b, e)
			}
		}
	}
	return append(b, m.unknown...)
}

func (s *setField) append(b []byte, e *rt.Encoder) []byte {
	f := s.field
	switch {
	case f.Kind == Map:
		key, value := f.Key(), f.Value()
		for _, k := range s.keys() {
			var at int
			b, at = e.Begin(b, f.Tag())
			b = AppendScalar(rt.AppendTag(b, key.Tag()), key.Kind, k)
			b = e.End(value.appendValue(b, e, s.entries[k]), at)
		}
	case !f.Repeated:
		if f.Presence || s.value.Bits != 0 || s.value.Text != "" {
			b = f.appendValue(b, e, s.value)
		}
	case f.Packed && len(s.list) > 0:
		var at int
		b, at = e.Begin(b, f.Tag())
		for _, v := range s.list {
			b = AppendScalar(b, f.Kind, v.Scalar)
		}
		b = e.End(b, at)
	default:
		for _, v := range s.list {
			b = f.appendValue(b, e, v)
		}
	}
	return b
}

// appendMessage appends a message as field f.
func (f *Field) appendMessage(b []byte, m *Message) []byte {
	var e rt.Encoder
	return e.Finish(f.appendValue(b, &e, Value{Message: m}))
}

// Tag returns the tag that f is written with.
func (f *Field) Tag() uint32 {
	if f.Packed {
		return f.Number<<3 | wire.Bytes
	}
	return f.Number<<3 | uint32(wireType(f.Kind))
}

// appendValue appends one value with its tag.
func (f *Field) appendValue(b []byte, e *rt.Encoder, v Value) []byte {
	switch f.Kind {
	case MessageKind:
		b, at := e.Begin(b, f.Tag())
		if v.Message != nil {
			b = v.Message.append(b, e)
		}
		return e.End(b, at)
	case Group:
		b = rt.AppendTag(b, f.Tag())
		if v.Message != nil {
			b = v.Message.append(b, e)
		}
		return rt.AppendTag(b, f.Tag()+1)
	case String, Bytes:
		b = binary.AppendUvarint(rt.AppendTag(b, f.Tag()), uint64(len(v.Text)))
		return append(b, v.Text...)
	}
	return AppendScalar(rt.AppendTag(b, f.Tag()), f.Kind, v.Scalar)
}
