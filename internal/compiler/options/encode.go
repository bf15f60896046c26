package options

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/types/descriptorpb"
)

// scalar is the value of a field that is no message: the bits of a number, two's complement or IEEE
// 754 of the size of the field, or a string.
type scalar struct {
	bits uint64
	text string
}

// nan is the one that protoc writes.
var nan = math.Float64frombits(0x7ff8 << 48)

func ofFloat(k kind, v float64) scalar {
	switch {
	case k == doubleKind:
		return scalar{bits: math.Float64bits(v)}
	case v != v:
		return scalar{bits: uint64(math.Float32bits(float32(math.Inf(1)))|1<<22) |
			math.Float64bits(v)>>63<<31}
	}
	return scalar{bits: uint64(math.Float32bits(float32(v)))}
}

// fits tells whether a string may be the value of a field: protoc ends at once where it has to
// write one that should be UTF-8 and is not.
func (f *field) fits(value string) bool { return !f.utf8 || utf8.ValidString(value) }

// wireTypes are those of single values, by the types of fields.
var wireTypes = [...]protowire.Type{
	boolKind:   protowire.VarintType,
	enumKind:   protowire.VarintType,
	stringKind: protowire.BytesType, bytesKind: protowire.BytesType,
	messageKind: protowire.BytesType, groupKind: protowire.StartGroupType,
	floatKind: protowire.Fixed32Type, doubleKind: protowire.Fixed64Type,
	descriptorpb.FieldDescriptorProto_TYPE_INT32:    protowire.VarintType,
	descriptorpb.FieldDescriptorProto_TYPE_SINT32:   protowire.VarintType,
	descriptorpb.FieldDescriptorProto_TYPE_UINT32:   protowire.VarintType,
	descriptorpb.FieldDescriptorProto_TYPE_INT64:    protowire.VarintType,
	descriptorpb.FieldDescriptorProto_TYPE_SINT64:   protowire.VarintType,
	descriptorpb.FieldDescriptorProto_TYPE_UINT64:   protowire.VarintType,
	descriptorpb.FieldDescriptorProto_TYPE_FIXED32:  protowire.Fixed32Type,
	descriptorpb.FieldDescriptorProto_TYPE_SFIXED32: protowire.Fixed32Type,
	descriptorpb.FieldDescriptorProto_TYPE_FIXED64:  protowire.Fixed64Type,
	descriptorpb.FieldDescriptorProto_TYPE_SFIXED64: protowire.Fixed64Type,
}

// appendScalar appends a value without its tag.
func appendScalar(b []byte, k kind, v scalar) []byte {
	switch wireTypes[k] {
	case protowire.BytesType:
		return protowire.AppendString(b, v.text)
	case protowire.Fixed32Type:
		return protowire.AppendFixed32(b, uint32(v.bits))
	case protowire.Fixed64Type:
		return protowire.AppendFixed64(b, v.bits)
	}
	if k == descriptorpb.FieldDescriptorProto_TYPE_SINT32 ||
		k == descriptorpb.FieldDescriptorProto_TYPE_SINT64 {
		return protowire.AppendVarint(b, protowire.EncodeZigZag(int64(v.bits)))
	}
	return protowire.AppendVarint(b, v.bits)
}

// appendTag appends the tag of an element. A tag has 32 bits; to protoc, what items of message sets
// may have more is lost.
func (f *field) appendTag(b []byte, typ protowire.Type) []byte {
	return protowire.AppendVarint(b,
		uint64(uint32(protowire.EncodeTag(protowire.Number(f.number), typ))))
}

// appendTagged appends an element of a field with its tag.
func (f *field) appendTagged(b []byte, v scalar) []byte {
	return appendScalar(f.appendTag(b, wireTypes[f.kind]), f.kind, v)
}

// appendMessage appends an encoded message as an element of a field.
func (f *field) appendMessage(b, encoded []byte) []byte {
	b = f.appendTag(b, wireTypes[f.kind])
	if f.kind == groupKind {
		return f.appendTag(append(b, encoded...), protowire.EndGroupType)
	}
	return protowire.AppendBytes(b, encoded)
}

// What an item of a message set is made of.
const (
	itemNumber    = 1
	itemTypeID    = 2
	itemContent   = 3
	itemTypeIDTag = itemTypeID<<3 | byte(protowire.VarintType)
)

// appendItem appends an encoded message as an item of a message set.
func appendItem(b []byte, number int32, encoded []byte) []byte {
	b = protowire.AppendTag(b, itemNumber, protowire.StartGroupType)
	b = protowire.AppendVarint(append(b, itemTypeIDTag), uint64(uint32(number)))
	b = protowire.AppendBytes(protowire.AppendTag(b, itemContent, protowire.BytesType), encoded)
	return protowire.AppendTag(b, itemNumber, protowire.EndGroupType)
}

// builder fills a message. It is encoded as protoc does: fields by their numbers, packed ones in
// one piece, and nothing of fields without presence that are zero.
type builder struct {
	message *message
	set     []setField
	// index finds what is set once it is much.
	index map[*field]int
	// oneofs holds what is set of each oneof.
	oneofs map[int32]*field
}

// setField is a field that is set.
type setField struct {
	field   *field
	encoded []byte // the encoding, without tags if the field is packed
}

// few is how many fields are looked through one by one, and how many a hint lists.
const few = 8

// entry returns what is set of a field, or nil.
func (b *builder) entry(f *field) *setField {
	if b.index != nil {
		if i, ok := b.index[f]; ok {
			return &b.set[i]
		}
		return nil
	}
	for i := range b.set {
		if b.set[i].field == f {
			return &b.set[i]
		}
	}
	return nil
}

// add returns what is set of a field, nothing if need be.
func (b *builder) add(f *field) *setField {
	if e := b.entry(f); e != nil {
		return e
	}
	b.set = append(b.set, setField{field: f})
	switch {
	case b.index != nil:
		b.index[f] = len(b.set) - 1
	case len(b.set) > few:
		b.index = make(map[*field]int, 2*few)
		for i := range b.set {
			b.index[b.set[i].field] = i
		}
	}
	if f.proto.OneofIndex != nil {
		if b.oneofs == nil {
			b.oneofs = map[int32]*field{}
		}
		b.oneofs[f.proto.GetOneofIndex()] = f
	}
	return &b.set[len(b.set)-1]
}

// check tells what forbids to set a field, or to set it again; it returns "" when nothing does.
func (b *builder) check(f *field) string {
	if f.repeated {
		return ""
	}
	if b.entry(f) != nil {
		return fmt.Sprintf("field %q is set twice, and is not repeated", f.proto.GetName())
	}
	if f.proto.OneofIndex != nil && f.proto.Extendee == nil {
		if other := b.oneofs[f.proto.GetOneofIndex()]; other != nil {
			return fmt.Sprintf("fields %q and %q of oneof %q are both set",
				other.proto.GetName(), f.proto.GetName(),
				b.message.proto.OneofDecl[f.proto.GetOneofIndex()].GetName())
		}
	}
	return ""
}

func (b *builder) scalar(f *field, v scalar) {
	if !f.presence && !f.repeated && v == (scalar{}) {
		return
	}
	e := b.add(f)
	if f.packed {
		e.encoded = appendScalar(e.encoded, f.kind, v)
	} else {
		e.encoded = f.appendTagged(e.encoded, v)
	}
}

func (b *builder) submessage(f *field, encoded []byte) {
	e := b.add(f)
	if f.item {
		e.encoded = appendItem(e.encoded, f.number, encoded)
	} else {
		e.encoded = f.appendMessage(e.encoded, encoded)
	}
}

// encode returns the encoding. It reports the required field that is missing, if one is.
func (b *builder) encode() (encoded []byte, missing *field) {
	for _, f := range b.message.required {
		if b.entry(f) == nil {
			return nil, f
		}
	}
	if b.message.proto.GetOptions().GetMapEntry() { // both are written always
		for _, f := range b.message.fields {
			switch {
			case b.entry(f) != nil:
			case f.isMessage():
				b.submessage(f, nil)
			default:
				e := b.add(f)
				e.encoded = f.appendTagged(nil, scalar{})
			}
		}
	}
	slices.SortFunc(b.set, func(x, y setField) int {
		return cmp.Compare(x.field.number, y.field.number)
	})
	if len(b.set) == 1 && !b.set[0].field.packed {
		return b.set[0].encoded, nil
	}
	size := 0
	for _, e := range b.set {
		size += len(e.encoded) + 2*protowire.SizeVarint(math.MaxUint32)
	}
	encoded = make([]byte, 0, size)
	for _, e := range b.set {
		if e.field.packed {
			encoded = e.field.appendTag(encoded, protowire.BytesType)
			encoded = protowire.AppendVarint(encoded, uint64(len(e.encoded)))
		}
		encoded = append(encoded, e.encoded...)
	}
	return encoded, nil
}
