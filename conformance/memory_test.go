package conformance

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/octopus-framework/octopus/conformance/internal/check"
	"github.com/octopus-framework/octopus/conformance/internal/gen/p3"
	"github.com/octopus-framework/octopus/gremlin"
	"github.com/octopus-framework/octopus/gremlin/wkt"
)

// greedy returns inputs of about size bytes that make as much of a field as few bytes can.
func greedy(fd protoreflect.FieldDescriptor, size int) map[string][]byte {
	tag := func(t protowire.Type) []byte { return protowire.AppendTag(nil, fd.Number(), t) }
	repeat := func(b []byte) []byte { return bytes.Repeat(b, size/len(b)) }
	empty := append(tag(protowire.BytesType), 0)
	in := map[string][]byte{}
	switch fd.Kind() {
	case protoreflect.GroupKind:
		in["empty groups"] = repeat(append(tag(protowire.StartGroupType),
			tag(protowire.EndGroupType)...))
		in["nested groups"] = append(bytes.Repeat(tag(protowire.StartGroupType), 9000),
			bytes.Repeat(tag(protowire.EndGroupType), 9000)...)
	case protoreflect.MessageKind:
		in["empty messages"] = repeat(empty)
		in["messages that nest"] = nested(fd.Number(), 9000, nil)
		in["chains of ten"] = repeat(nested(fd.Number(), 10, nil))
		in["unknown fields that nest"] = nested(fd.Number(), 9000,
			protowire.AppendVarint(protowire.AppendTag(nil, 2000, protowire.VarintType), 1))
		if fd.IsMap() {
			var b []byte
			for i := 0; len(b) < size; i++ {
				key := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType),
					uint64(i))
				if fd.MapKey().Kind() == protoreflect.StringKind {
					key = protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType),
						fmt.Sprintf("%x", i))
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
		in["packed numbers"] = protowire.AppendBytes(tag(protowire.BytesType),
			bytes.Repeat([]byte{1}, size))
		in["packs of one"] = repeat(append(tag(protowire.BytesType), 1, 1))
	}
	return in
}

// nested returns messages inside of messages, each of which begins with head. It is built from the
// outside in, which is linear.
func nested(num protowire.Number, levels int, head []byte) []byte {
	tag := protowire.AppendTag(nil, num, protowire.BytesType)
	sizes := make([]int, levels) // of the content of each level, from the inside out
	sizes[0] = len(head)
	for i := 1; i < levels; i++ {
		sizes[i] = len(head) + len(tag) + protowire.SizeBytes(sizes[i-1])
	}
	var b []byte
	for _, n := range slices.Backward(sizes) {
		b = append(protowire.AppendVarint(append(b, tag...), uint64(n)), head...)
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

// least returns what f allocates and nothing else in the process does meanwhile.
func least(f func()) uint64 { return min(allocated(f), allocated(f), allocated(f)) }

// merged returns messages that come several times, each with a part of a list. It is nil for other
// fields.
func merged(fd protoreflect.FieldDescriptor, size int) (b []byte) {
	if fd.Kind() != protoreflect.MessageKind || fd.IsList() || fd.IsMap() {
		return nil
	}
	for fields, i := fd.Message().Fields(), 0; i < fields.Len(); i++ {
		if list := fields.Get(i); list.IsList() && list.Kind() == protoreflect.MessageKind {
			for n := 1; len(b) < size; n += n/3 + 1 {
				part := bytes.Repeat(append(protowire.AppendTag(nil, list.Number(),
					protowire.BytesType), 0), n)
				b = protowire.AppendBytes(protowire.AppendTag(b, fd.Number(), protowire.BytesType),
					part)
			}
			return b
		}
	}
	return nil
}

// TestUnmarshalWithin compares what UnmarshalWithin thinks that a message takes with what decoding
// it allocates, for inputs that make much of little, for random ones and for damaged ones. It must
// not allow less than that, nor reject what is ordinary.
func TestUnmarshalWithin(t *testing.T) {
	if raceEnabled {
		t.Skip(
			"the race detector allocates too; without it the test runs in make unit and make variants")
	}
	// of what is allocated once, and an error, whose path is put together from its end
	const small, say = 2048, 16 << 10
	rejected := 0
	look := func(typ check.Type, what string, b []byte, ordinary bool) {
		var err error
		decoded := least(func() { err = typ.NewMessage().Unmarshal(b) })
		limit := 64*len(b) + 1<<20
		var within error
		used := least(func() { within = gremlin.UnmarshalWithin(b, typ.NewMessage(), limit) })
		over := errors.Is(within, gremlin.TooMuchMemory)
		switch {
		case over && used > say+uint64(typ.StructSize()),
			used > uint64(limit)+uint64(typ.StructSize()):
			t.Errorf("%s, %s: %d bytes in, %d allocated, %v", typ.Desc.Name(), what, len(b), used,
				within)
		case over && ordinary:
			t.Errorf("%s, %s: %d bytes in, %d allocated: %v", typ.Desc.Name(), what, len(b),
				decoded, within)
		case !over && fmt.Sprint(within) != fmt.Sprint(err) &&
			!errors.Is(err, gremlin.TooMuchMemory):
			// which has less for what is nested deep
			t.Errorf("%s, %s: %v, without a limit %v", typ.Desc.Name(), what, within, err)
		}
		if over {
			rejected++
		}
		less := int(decoded) - typ.StructSize() - small
		if err != nil {
			less -= say
		}
		if less > 0 && !errors.Is(gremlin.UnmarshalWithin(b, typ.NewMessage(), less),
			gremlin.TooMuchMemory) {
			t.Errorf("%s, %s: %d bytes in, %d allocated within %d", typ.Desc.Name(), what, len(b),
				decoded, less)
		}
	}
	for _, typ := range types {
		rng := seed(typ.Desc)
		fields := typ.Desc.Fields()
		for i := range fields.Len() {
			fd := fields.Get(i)
			for what, b := range greedy(fd, 1<<14) {
				look(typ, string(fd.Name())+", "+what, b, false)
			}
			look(typ, string(fd.Name())+", merged", merged(fd, 1<<14), false)
		}
		for range 40 {
			b := random(rng, typ)
			look(typ, "random", b, true)
			look(typ, "damaged", check.Mutate(rng, b, typ.Desc), true)
		}
	}
	if rejected < 20 {
		t.Errorf("only %d inputs were too much", rejected)
	}
}

func TestUnmarshalWithinSaysWhere(t *testing.T) {
	options := bytes.Repeat([]byte{6<<3 | 2, 0}, 100)
	b := append([]byte{1<<3 | 2, 1, 'a'}, protowire.AppendBytes([]byte{2<<3 | 2}, options)...)
	m := &wkt.Api{Name: "before"}
	err := gremlin.UnmarshalWithin(b, m, 1000)
	if want := "google.protobuf.Api: methods.options: message takes more memory than allowed at offset 6"; err == nil || err.Error() != want || m.Name != "" {
		t.Errorf("%v, want %s; %v", err, want, m)
	}
	if err := gremlin.UnmarshalWithin(b, m, 20_000); err != nil || len(m.Methods) != 1 ||
		len(m.Methods[0].Options) != 100 {
		t.Errorf("%v, %v", err, m)
	}
}

// TestStructSizes: tables say how large structs are.
func TestStructSizes(t *testing.T) {
	for _, typ := range types {
		if got := int(typ.NewMessage().GremlinTable().Memory); strconv.IntSize == 64 &&
			got != typ.StructSize() || got < typ.StructSize() {
			t.Errorf("%s: %d bytes, the table says %d", typ.Desc.FullName(), typ.StructSize(), got)
		}
	}
}

// TestHostileMemory bounds what decoding allocates, for every field of every type and inputs that
// say as much as they can in few bytes. A message that costs two bytes of input takes the memory of
// its struct, however wide: where 64 times the input does not suffice, what
// google.golang.org/protobuf needs is the measure.
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
				want := allocated(func() {
					_ = proto.UnmarshalOptions{AllowPartial: true}.Unmarshal(b, theirs)
				})
				if used > want*5/4 {
					t.Errorf("%s.%s, %s: %d bytes in, %d allocated, protobuf-go %d",
						typ.Desc.Name(), fd.Name(), what, len(b), used, want)
				}
			}
		}
	}
}

// TestUnmarshalWithinOfPieces decodes messages that come twice at each level: what may be copied as
// it grows is not copied again for each message around it.
func TestUnmarshalWithinOfPieces(t *testing.T) {
	var b []byte
	for range 40 {
		b = append([]byte{0x0a, 1, 'a', 0x12, 0, 0x22, 0},
			append(protowire.AppendBytes([]byte{0x12}, b), 0x22, 0)...)
	}
	var m p3.Tree
	if err := gremlin.UnmarshalWithin(b, &m, 64*len(b)+1<<20); err != nil {
		t.Errorf("%d bytes: %v", len(b), err)
	}
}
