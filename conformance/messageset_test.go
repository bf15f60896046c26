//go:build protolegacy

package conformance

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bufbuild/protocompile"
	"github.com/bufbuild/protocompile/protoutil"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/octopus-framework/octopus/conformance/internal/check"
	"github.com/octopus-framework/octopus/conformance/internal/gen/sets"
	"github.com/octopus-framework/octopus/gremlin"
	"github.com/octopus-framework/octopus/gremlin/rt"
)

// setOracle is what protobuf-go, built with the tag protolegacy, knows of sets.proto. protoc-gen-go
// refuses the file.
type setOracle struct {
	set, item, note, holder protoreflect.MessageType
	resolver                *protoregistry.Types
	extensions              map[protowire.Number]protoreflect.ExtensionType
}

func newSetOracle(t *testing.T) *setOracle {
	t.Helper()
	sources := &protocompile.SourceResolver{ImportPaths: []string{"proto"}}
	c := protocompile.Compiler{Resolver: sources}
	files, err := c.Compile(context.Background(), "sets/sets.proto")
	if err != nil {
		t.Fatal(err)
	}
	fd, err := protodesc.NewFile(protoutil.ProtoFromFileDescriptor(files[0]), nil)
	if err != nil {
		t.Fatal(err)
	}
	o := &setOracle{resolver: new(protoregistry.Types),
		extensions: map[protowire.Number]protoreflect.ExtensionType{}}
	for name, typ := range map[protoreflect.Name]*protoreflect.MessageType{"Set": &o.set,
		"Item": &o.item, "Note": &o.note, "Holder": &o.holder} {
		*typ = dynamicpb.NewMessageType(fd.Messages().ByName(name))
	}
	for _, xs := range []protoreflect.ExtensionDescriptors{fd.Extensions(),
		o.item.Descriptor().Extensions()} {
		for i := range xs.Len() {
			xt := dynamicpb.NewExtensionType(xs.Get(i))
			o.extensions[xs.Get(i).Number()] = xt
			if err := o.resolver.RegisterExtension(xt); err != nil {
				t.Fatal(err)
			}
		}
	}
	return o
}

func (o *setOracle) unmarshal(b []byte, typ protoreflect.MessageType) (proto.Message, error) {
	m := typ.New().Interface()
	return m, proto.UnmarshalOptions{Resolver: o.resolver}.Unmarshal(b, m)
}

// items returns a message set as it may come: items with their number and message in any order,
// missing or more than once, with other fields inside and around them.
func (o *setOracle) items(rng *rand.Rand) (b []byte) {
	numbers := []uint64{4, 5, 1 << 29, 1<<31 - 2, 6, 1 << 30}
	if rng.IntN(10) == 0 {
		numbers = append(numbers, 0, 1<<31, 4|1<<32)
	}
	for range rng.IntN(5) {
		b = append(b, 0x0b)
		number := numbers[rng.IntN(len(numbers))]
		pieces := [][]byte{protowire.AppendVarint([]byte{0x10}, number),
			protowire.AppendBytes([]byte{0x1a}, o.message(rng, number))}
		if rng.IntN(3) == 0 { // not as it should be
			switch rng.IntN(7) {
			case 0:
				pieces = pieces[:1]
			case 1:
				pieces = pieces[1:]
			case 2:
				pieces = append(pieces, protowire.AppendBytes([]byte{0x9a, 0x80, 0x00},
					o.message(rng, number)))
			case 3:
				pieces = append(pieces, protowire.AppendVarint([]byte{0x90, 0x00},
					numbers[rng.IntN(len(numbers))]))
			case 4:
				pieces = append(pieces, []byte{0x20, 0x01}, []byte{0x12, 0x01, 0x04})
			case 5:
				pieces = append(pieces, []byte{0x0b, 0x10, 0x05, 0x1a, 0x00, 0x0c})
			case 6: // a message in two pieces that only together are one
				whole := o.message(rng, number)
				cut := rng.IntN(len(whole) + 1)
				pieces = [][]byte{pieces[0], protowire.AppendBytes([]byte{0x1a}, whole[:cut]),
					protowire.AppendBytes([]byte{0x1a}, whole[cut:])}
			}
			rng.Shuffle(len(pieces), func(i, j int) { pieces[i], pieces[j] = pieces[j], pieces[i] })
		}
		b = append(append(b, slices.Concat(pieces...)...), 0x0c)
		switch rng.IntN(8) {
		case 0:
			// a field, no item
			b = protowire.AppendBytes(protowire.AppendTag(b, 4, protowire.BytesType),
				o.message(rng, 4))
		case 1:
			b = append(b, 0x08, 0x04)
		}
	}
	return b
}

// message returns the message of an item.
func (o *setOracle) message(rng *rand.Rand, number uint64) []byte {
	typ := o.item
	if number == 5 || number == 1<<29 {
		typ = o.note
	}
	m := typ.New()
	check.Fill(rng, m, 0.5, 1)
	return check.Encode(rng, m.Interface())
}

// sameInSet compares an extension of m and of r with that of want, and what is left of m when it is
// set and cleared.
func sameInSet[T gremlin.Message](t *testing.T, o *setOracle, rng *rand.Rand,
	x *rt.Extension[*sets.Set, *sets.SetReader, T], empty func() T,
	m *sets.Set, r *sets.SetReader, want protoreflect.Message) {
	t.Helper()
	number := x.Field.Number
	xd := o.extensions[protowire.Number(number)].TypeDescriptor()
	value := want.NewField(xd).Message()
	if want.Has(xd) {
		value = want.Get(xd).Message()
	}
	if has := want.Has(xd); x.Has(m) != has || x.HasIn(r) != has {
		t.Errorf("%s: Has %v, HasIn %v, want %v", x.Field.Name, x.Has(m), x.HasIn(r), has)
	}
	for name, got := range map[string]T{"Get": x.Get(m), "GetFrom": x.GetFrom(r)} {
		if g, err := o.unmarshal(got.Marshal(), value.Type()); err != nil ||
			!proto.Equal(g, value.Interface()) {
			t.Errorf("%s: %s gives %v, %v, want %v", x.Field.Name, name, g, err, value)
		}
	}
	left := func(what string, m *sets.Set, want protoreflect.Message) {
		t.Helper()
		if got, err := o.unmarshal(m.Marshal(), o.set); err != nil ||
			!proto.Equal(got, want.Interface()) {
			t.Errorf("%s: %s leaves %v, %v, want %v", x.Field.Name, what, got, err, want)
		}
	}
	m, want = m.Clone(), proto.Clone(want.Interface()).ProtoReflect()
	b, v := o.message(rng, uint64(number)), empty()
	if err := v.Unmarshal(b); err != nil {
		t.Fatal(err)
	}
	parsed, err := o.unmarshal(b, value.Type())
	if err != nil {
		t.Fatal(err)
	}
	x.Set(m, v)
	want.Set(xd, protoreflect.ValueOfMessage(parsed.ProtoReflect()))
	left("Set", m, want)
	x.Clear(m)
	want.Clear(xd)
	left("Clear", m, want)
}

// TestMessageSetExtensions compares the accessors of extensions, which are items of a message set,
// with protobuf-go.
func TestMessageSetExtensions(t *testing.T) {
	o := newSetOracle(t)
	rng := seed(o.set.Descriptor())
	inSet := protowire.AppendTag(nil, 1, protowire.BytesType)
	for range 2000 * *times {
		// The set may come in pieces.
		b := protowire.AppendBytes(slices.Clone(inSet), o.items(rng))
		if rng.IntN(4) == 0 {
			b = protowire.AppendBytes(append(b, inSet...), o.items(rng))
		}
		var m sets.Holder
		var r sets.HolderReader
		if merr, rerr := m.Unmarshal(b), r.Unmarshal(b); merr != nil || rerr != nil {
			t.Fatalf("%v, %v\ninput %x", merr, rerr, b)
		}
		holder, err := o.unmarshal(b, o.holder)
		if err != nil {
			continue // to gremlin an item is an unknown field, whose contents it does not check
		}
		want := holder.ProtoReflect().Get(o.holder.Descriptor().Fields().ByNumber(1)).Message()
		item, note := func() *sets.Item {
			return new(sets.Item)
		}, func() *sets.Note { return new(sets.Note) }
		sameInSet(t, o, rng, &sets.E_ItemLow, item, m.GetSet(), r.GetSet(), want)
		sameInSet(t, o, rng, &sets.E_ItemHigh, item, m.GetSet(), r.GetSet(), want)
		sameInSet(t, o, rng, &sets.E_Note, note, m.GetSet(), r.GetSet(), want)
		sameInSet(t, o, rng, &sets.E_FarNote, note, m.GetSet(), r.GetSet(), want)
		if t.Failed() {
			t.Fatalf("input %x", b)
		}
	}
}
