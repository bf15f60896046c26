package oldoptions

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// scalar is the value of a field that is no message: the bits of a number, two's complement or IEEE
// 754 of the size of the field, or a string.
type scalar struct {
	bits uint64
	text string
}

func ofFloat(kind protoreflect.Kind, v float64) scalar {
	switch {
	case kind == protoreflect.DoubleKind:
		return scalar{bits: math.Float64bits(v)}
	case v != v:
		return scalar{bits: uint64(math.Float32bits(float32(math.Inf(1)))|1<<22) |
			math.Float64bits(v)>>63<<31}
	}
	return scalar{bits: uint64(math.Float32bits(float32(v)))}
}

// fits tells whether a string may be the value of a field: protoc ends at once where it has to
// write one that should be UTF-8 and is not.
func fits(fd protoreflect.FieldDescriptor, value string) bool {
	return !isUTF8(fd) || utf8.ValidString(value)
}

func isUTF8(fd protoreflect.FieldDescriptor) bool {
	f, ok := fd.(interface{ EnforceUTF8() bool })
	return fd.Kind() == protoreflect.StringKind && ok && f.EnforceUTF8()
}

var wireTypes = map[protoreflect.Kind]protowire.Type{
	protoreflect.BoolKind: protowire.VarintType, protoreflect.EnumKind: protowire.VarintType,
	protoreflect.Int32Kind: protowire.VarintType, protoreflect.Sint32Kind: protowire.VarintType,
	protoreflect.Uint32Kind: protowire.VarintType,
	protoreflect.Int64Kind:  protowire.VarintType, protoreflect.Sint64Kind: protowire.VarintType,
	protoreflect.Uint64Kind:   protowire.VarintType,
	protoreflect.Sfixed32Kind: protowire.Fixed32Type,
	protoreflect.Fixed32Kind:  protowire.Fixed32Type, protoreflect.FloatKind: protowire.Fixed32Type,
	protoreflect.Sfixed64Kind: protowire.Fixed64Type,
	protoreflect.Fixed64Kind:  protowire.Fixed64Type,
	protoreflect.DoubleKind:   protowire.Fixed64Type,
	protoreflect.StringKind:   protowire.BytesType, protoreflect.BytesKind: protowire.BytesType,
	protoreflect.MessageKind: protowire.BytesType,
	protoreflect.GroupKind:   protowire.StartGroupType,
}

// appendScalar appends a value without its tag.
func appendScalar(b []byte, kind protoreflect.Kind, v scalar) []byte {
	switch wireTypes[kind] {
	case protowire.BytesType:
		return protowire.AppendString(b, v.text)
	case protowire.Fixed32Type:
		return protowire.AppendFixed32(b, uint32(v.bits))
	case protowire.Fixed64Type:
		return protowire.AppendFixed64(b, v.bits)
	}
	if kind == protoreflect.Sint32Kind || kind == protoreflect.Sint64Kind {
		return protowire.AppendVarint(b, protowire.EncodeZigZag(int64(v.bits)))
	}
	return protowire.AppendVarint(b, v.bits)
}

// appendTagged appends an element of a field with its tag.
func appendTagged(b []byte, fd protoreflect.FieldDescriptor, v scalar) []byte {
	return appendScalar(protowire.AppendTag(b, fd.Number(), wireTypes[fd.Kind()]), fd.Kind(), v)
}

// appendMessage appends an encoded message as an element of a field. A tag has 32 bits; to protoc,
// what items of message sets may have more is lost.
func appendMessage(b []byte, fd protoreflect.FieldDescriptor, encoded []byte) []byte {
	b = protowire.AppendVarint(b,
		uint64(uint32(protowire.EncodeTag(fd.Number(), wireTypes[fd.Kind()]))))
	if fd.Kind() == protoreflect.GroupKind {
		return protowire.AppendTag(append(b, encoded...), fd.Number(), protowire.EndGroupType)
	}
	return protowire.AppendBytes(b, encoded)
}

// message is one that is being filled. It is encoded as protoc does: fields by their numbers,
// packed ones in one piece, and nothing of fields without presence that are zero.
type message struct {
	desc protoreflect.MessageDescriptor
	// encoded elements, those of packed fields without tags
	fields map[protoreflect.FieldNumber][]byte
	packed map[protoreflect.FieldNumber]bool
}

func newMessage(desc protoreflect.MessageDescriptor) *message {
	return &message{desc, map[protoreflect.FieldNumber][]byte{},
		map[protoreflect.FieldNumber]bool{}}
}

// check tells what forbids to set a field, or to set it again.
func (m *message) check(fd protoreflect.FieldDescriptor) error {
	if fd.IsList() || fd.IsMap() {
		return nil
	}
	if m.fields[fd.Number()] != nil {
		return fmt.Errorf("field %q is set twice, and is not repeated", fd.Name())
	}
	if o := fd.ContainingOneof(); o != nil {
		for i := range o.Fields().Len() {
			if other := o.Fields().Get(i); m.fields[other.Number()] != nil {
				return fmt.Errorf("fields %q and %q of oneof %q are both set", other.Name(),
					fd.Name(), o.Name())
			}
		}
	}
	return nil
}

func (m *message) scalar(fd protoreflect.FieldDescriptor, v scalar) {
	n := fd.Number()
	switch {
	case !fd.HasPresence() && !fd.IsList() && v == scalar{}:
	case fd.IsPacked():
		m.fields[n], m.packed[n] = appendScalar(m.fields[n], fd.Kind(), v), true
	default:
		m.fields[n] = appendTagged(m.fields[n], fd, v)
	}
}

func (m *message) message(fd protoreflect.FieldDescriptor, encoded []byte) {
	n := fd.Number()
	if _, ok := fd.(Item); ok {
		m.fields[n] = appendItem(nil, n, encoded)
		return
	}
	m.fields[n] = appendMessage(m.fields[n], fd, encoded)
}

// appendItem appends an encoded message as an item of a message set.
func appendItem(b []byte, n protoreflect.FieldNumber, encoded []byte) []byte {
	const item, typeID, content = 1, 2, 3
	b = protowire.AppendTag(b, item, protowire.StartGroupType)
	b = protowire.AppendVarint(protowire.AppendTag(b, typeID, protowire.VarintType), uint64(n))
	b = protowire.AppendBytes(protowire.AppendTag(b, content, protowire.BytesType), encoded)
	return protowire.AppendTag(b, item, protowire.EndGroupType)
}

// encode returns the encoding, or an error when a required field is missing.
func (m *message) encode() ([]byte, error) {
	required := m.desc.RequiredNumbers()
	for i := range required.Len() {
		if n := required.Get(i); m.fields[n] == nil {
			return nil, fmt.Errorf("required field %q of message %q is missing",
				m.desc.Fields().ByNumber(n).Name(), m.desc.FullName())
		}
	}
	if m.desc.IsMapEntry() { // both are written always
		for i := range m.desc.Fields().Len() {
			switch fd := m.desc.Fields().Get(i); {
			case m.fields[fd.Number()] != nil:
			case fd.Message() != nil:
				m.message(fd, nil)
			default:
				m.fields[fd.Number()] = appendTagged(nil, fd, scalar{})
			}
		}
	}
	var b []byte
	for _, n := range slices.Sorted(maps.Keys(m.fields)) {
		if m.packed[n] {
			b = protowire.AppendTag(b, n, protowire.BytesType)
			b = protowire.AppendVarint(b, uint64(len(m.fields[n])))
		}
		b = append(b, m.fields[n]...)
	}
	return b, nil
}
