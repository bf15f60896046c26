package query_test

import (
	"math/rand/v2"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// generator makes encodings: mostly sound ones, with fields twice, messages in pieces, unknown
// fields, other wire types and packed lists of both kinds.
type generator struct{ *rand.Rand }

func (g generator) message(b []byte, d protoreflect.MessageDescriptor, depth int) []byte {
	fields := d.Fields()
	for range g.IntN(12 - 2*min(depth, 5)) {
		f := fields.Get(g.IntN(fields.Len()))
		switch g.IntN(30) {
		case 0: // unknown
			b = g.value(protowire.AppendTag(b, protowire.Number(300+g.IntN(2000)),
				protowire.BytesType), protowire.BytesType)
		case 1: // a wire type that the field does not have
			wire := []protowire.Type{0, 1, 2, 5}[g.IntN(4)]
			if wire != wireOf(f) && (!f.IsList() || wire != protowire.BytesType) {
				b = g.value(protowire.AppendTag(b, f.Number(), wire), wire)
			}
		case 2: // an unknown group
			b = protowire.AppendTag(b, 299, protowire.StartGroupType)
			b = g.message(b, d, depth+3)
			b = protowire.AppendTag(b, 299, protowire.EndGroupType)
		default:
			b = g.field(b, f, depth)
		}
	}
	return b
}

func wireOf(f protoreflect.FieldDescriptor) protowire.Type {
	switch f.Kind() {
	case protoreflect.Fixed32Kind, protoreflect.Sfixed32Kind, protoreflect.FloatKind:
		return protowire.Fixed32Type
	case protoreflect.Fixed64Kind, protoreflect.Sfixed64Kind, protoreflect.DoubleKind:
		return protowire.Fixed64Type
	case protoreflect.StringKind, protoreflect.BytesKind, protoreflect.MessageKind:
		return protowire.BytesType
	case protoreflect.GroupKind:
		return protowire.StartGroupType
	}
	return protowire.VarintType
}

func (g generator) value(b []byte, wire protowire.Type) []byte {
	switch wire {
	case protowire.VarintType:
		return protowire.AppendVarint(b, g.number())
	case protowire.Fixed32Type:
		return protowire.AppendFixed32(b, g.Uint32())
	case protowire.Fixed64Type:
		return protowire.AppendFixed64(b, g.Uint64())
	}
	return protowire.AppendString(b, g.text())
}

func (g generator) number() uint64 {
	switch g.IntN(4) {
	case 0:
		return g.Uint64N(4)
	case 1:
		return g.Uint64N(1 << 20)
	case 2:
		return -g.Uint64N(1000)
	}
	return g.Uint64()
}

func (g generator) text() string {
	return []string{"", "a", "k", "k2", "hello, world", "größer", "\x00", "日本語と長いテキスト"}[g.IntN(8)]
}

func (g generator) field(b []byte, f protoreflect.FieldDescriptor, depth int) []byte {
	wire := wireOf(f)
	scalar := wire != protowire.BytesType && wire != protowire.StartGroupType
	if f.IsList() && scalar && g.IntN(2) == 0 {
		b = protowire.AppendTag(b, f.Number(), protowire.BytesType)
		var run []byte
		for range g.IntN(4) {
			run = g.scalar(run, f)
		}
		return protowire.AppendBytes(b, run)
	}
	b = protowire.AppendTag(b, f.Number(), wire)
	switch {
	case wire == protowire.StartGroupType:
		b = g.message(b, f.Message(), depth+1)
		return protowire.AppendTag(b, f.Number(), protowire.EndGroupType)
	case f.Message() != nil:
		return protowire.AppendBytes(b, g.message(nil, f.Message(), depth+1))
	}
	return g.scalar(b, f)
}

func (g generator) scalar(b []byte, f protoreflect.FieldDescriptor) []byte {
	if e := f.Enum(); e != nil && e.IsClosed() {
		v := e.Values().Get(g.IntN(e.Values().Len()))
		return protowire.AppendVarint(b, uint64(v.Number()))
	}
	if f.Kind() == protoreflect.BoolKind {
		return protowire.AppendVarint(b, g.Uint64N(3))
	}
	return g.value(b, wireOf(f))
}

// damaged changes, cuts or adds bytes.
func (g generator) damaged(b []byte) []byte {
	b = append([]byte(nil), b...)
	if len(b) == 0 {
		return b
	}
	switch g.IntN(3) {
	case 0:
		b[g.IntN(len(b))] ^= 1 << g.IntN(8)
	case 1:
		b = b[:g.IntN(len(b))]
	default:
		b[g.IntN(len(b))] = byte(g.Uint32())
	}
	return b
}
