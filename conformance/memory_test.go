package conformance

import (
	"bytes"
	"fmt"
	"runtime"
	"slices"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// greedy returns inputs of about size bytes that make as much of a field as few bytes can.
func greedy(fd protoreflect.FieldDescriptor, size int) map[string][]byte {
	tag := func(t protowire.Type) []byte { return protowire.AppendTag(nil, fd.Number(), t) }
	repeat := func(b []byte) []byte { return bytes.Repeat(b, size/len(b)) }
	empty := append(tag(protowire.BytesType), 0)
	in := map[string][]byte{}
	switch fd.Kind() {
	case protoreflect.GroupKind:
		in["empty groups"] = repeat(append(tag(protowire.StartGroupType), tag(protowire.EndGroupType)...))
		in["nested groups"] = append(bytes.Repeat(tag(protowire.StartGroupType), 9000), bytes.Repeat(tag(protowire.EndGroupType), 9000)...)
	case protoreflect.MessageKind:
		in["empty messages"] = repeat(empty)
		in["messages that nest"] = nested(fd.Number(), 9000)
		in["chains of ten"] = repeat(nested(fd.Number(), 10))
		if fd.IsMap() {
			var b []byte
			for i := 0; len(b) < size; i++ {
				key := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), uint64(i))
				if fd.MapKey().Kind() == protoreflect.StringKind {
					key = protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), fmt.Sprintf("%x", i))
				}
				b = protowire.AppendBytes(append(b, tag(protowire.BytesType)...), key)
			}
			in["different keys"] = b
		}
	case protoreflect.StringKind, protoreflect.BytesKind:
		in["empty strings"] = repeat(empty)
		in["strings of a byte"] = repeat(append(tag(protowire.BytesType), 1, 'x'))
	case protoreflect.FloatKind, protoreflect.Fixed32Kind, protoreflect.Sfixed32Kind:
		in["numbers"] = repeat(append(tag(protowire.Fixed32Type), 1, 0, 0, 0))
	case protoreflect.DoubleKind, protoreflect.Fixed64Kind, protoreflect.Sfixed64Kind:
		in["numbers"] = repeat(append(tag(protowire.Fixed64Type), 1, 0, 0, 0, 0, 0, 0, 0))
	default:
		in["numbers"] = repeat(append(tag(protowire.VarintType), 1))
		in["packed numbers"] = protowire.AppendBytes(tag(protowire.BytesType), bytes.Repeat([]byte{1}, size))
		in["packs of one"] = repeat(append(tag(protowire.BytesType), 1, 1))
	}
	return in
}

// nested returns messages inside of messages. It is built from the outside in, which is linear.
func nested(num protowire.Number, levels int) []byte {
	tag := protowire.AppendTag(nil, num, protowire.BytesType)
	sizes := make([]int, levels) // of the content of each level, from the inside out
	for i := 1; i < levels; i++ {
		sizes[i] = len(tag) + protowire.SizeBytes(sizes[i-1])
	}
	var b []byte
	for _, n := range slices.Backward(sizes) {
		b = protowire.AppendVarint(append(b, tag...), uint64(n))
	}
	return b
}

// allocated returns how many bytes f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestHostileMemory bounds what decoding allocates, for every field of every type and inputs that say as much as they can
// in few bytes. A message that costs two bytes of input takes the memory of its struct, however wide: where 64 times the
// input does not suffice, what google.golang.org/protobuf needs is the measure.
func TestHostileMemory(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates too")
	}
	const size, times, extra = 1 << 15, 64, 1 << 20
	for _, typ := range types {
		fields := typ.Desc.Fields()
		for i := range fields.Len() {
			fd := fields.Get(i)
			for what, b := range greedy(fd, size) {
				m, theirs := typ.NewMessage(), typ.New()
				used := allocated(func() { _ = m.Unmarshal(b) })
				if used <= times*uint64(len(b))+extra {
					continue
				}
				want := allocated(func() { _ = proto.UnmarshalOptions{AllowPartial: true}.Unmarshal(b, theirs) })
				if used > want*5/4 {
					t.Errorf("%s.%s, %s: %d bytes in, %d allocated, protobuf-go %d", typ.Desc.Name(), fd.Name(), what, len(b), used, want)
				}
			}
		}
	}
}
