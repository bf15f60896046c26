package conformance

import (
	"bytes"
	"slices"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoregistry"

	"github.com/octopus-framework/octopus/conformance/internal/gen/p2"
	pb2 "github.com/octopus-framework/octopus/conformance/internal/pb/p2"
	"github.com/octopus-framework/octopus/gremlin"
)

// TestExtensionContents gives extensions contents that do not fit. To gremlin, which has no
// registry, extensions are unknown fields until one is asked for: the message is accepted, as
// protobuf-go accepts it when it does not know the extension. Like a nested message that a Reader
// opens, malformed contents count as set and read as what of them can be read. A list is set when
// it has elements.
func TestExtensionContents(t *testing.T) {
	field := func(num protowire.Number, content ...byte) []byte {
		return protowire.AppendBytes(protowire.AppendTag(nil, num, protowire.BytesType), content)
	}
	for _, c := range []struct {
		what  string
		b     []byte
		knows bool // what protobuf-go says when it knows the extension
		set   bool
		has   func(*p2.Extendable) bool
	}{
		{"a message that ends early", field(102, 0x12, 5, 'x'), false, true, p2.E_ExtMessage.Has},
		{"a message with field number 0", field(102, 0x00, 1), false, true, p2.E_ExtMessage.Has},
		{"a message that ends in an open group", field(102, 0x0b), false,
			true, p2.E_ExtMessage.Has},
		{"a message in a list that ends early", field(105, 0x12, 5, 'x'), false,
			true, p2.E_ExtMessages.Has},
		{"packed numbers that end early", field(103, 0x80), false, false, p2.E_ExtPacked.Has},
		{"packed numbers that end early, behind another", field(103, 0x01, 0x80), false,
			true, p2.E_ExtPacked.Has},
		{"a packed number of eleven bytes", field(103, bytes.Repeat([]byte{0xff}, 11)...), false,
			false, p2.E_ExtPacked.Has},
		{"no packed numbers", field(103), true, false, p2.E_ExtPacked.Has},
		{"no packed numbers behind one", append(field(103, 1), field(103)...), true, true,
			p2.E_ExtPacked.Has},
		{"another wire type", protowire.AppendVarint(protowire.AppendTag(nil, 101,
			protowire.VarintType), 1), true, false, p2.E_ExtString.Has},
		{"an unlisted number of a closed enum",
			protowire.AppendVarint(protowire.AppendTag(nil, 106, protowire.VarintType), 77), true,
			false, p2.E_ExtShade.Has},
		{"unlisted numbers of a closed enum", field(107, 77, 78), true, false, p2.E_ExtTones.Has},
		{"a listed number of a closed enum among others", field(107, 77, 3), true, true,
			p2.E_ExtTones.Has},
	} {
		if err := proto.Unmarshal(c.b, &pb2.Extendable{}); (err == nil) != c.knows {
			t.Errorf("%s: protobuf-go, which knows the extension: %v", c.what, err)
		}
		if err := partial.Unmarshal(c.b, &pb2.Extendable{}); err != nil {
			t.Errorf("%s: protobuf-go, which does not know the extension: %v", c.what, err)
		}
		var m p2.Extendable
		var r p2.ExtendableReader
		if err := m.Unmarshal(c.b); err != nil {
			t.Errorf("%s: Message.Unmarshal: %v", c.what, err)
		}
		if err := r.Unmarshal(c.b); err != nil || r.CheckEncoding() != nil {
			t.Errorf("%s: Reader.Unmarshal: %v, CheckEncoding: %v", c.what, err, r.CheckEncoding())
		}
		if c.has(&m) != c.set {
			t.Errorf("%s: Has is %v", c.what, !c.set)
		}
		if !bytes.Equal(m.Marshal(), c.b) {
			t.Errorf("%s: the bytes did not survive", c.what)
		}
	}
}

// partial is protobuf-go without a registry.
var partial = proto.UnmarshalOptions{AllowPartial: true, Resolver: new(protoregistry.Types)}

// TestExtensionOrder says where extensions stand among the fields: last, in the order in which they
// were set. protobuf-go writes those that it knows first, and does as we do with those that it does
// not know.
func TestExtensionOrder(t *testing.T) {
	id := int32(1)
	m := &p2.Extendable{Id: &id}
	p2.E_ExtString.Set(m, "x")
	p2.E_ExtInt.Set(m, 2)
	encoded := gremlin.MarshalStable(nil, m)
	known, unknown := &pb2.Extendable{}, &pb2.Extendable{}
	if err := proto.Unmarshal(encoded, known); err != nil {
		t.Fatal(err)
	}
	if err := partial.Unmarshal(encoded, unknown); err != nil {
		t.Fatal(err)
	}
	deterministic := proto.MarshalOptions{Deterministic: true}
	if b, err := deterministic.Marshal(unknown); err != nil || !bytes.Equal(b, encoded) {
		t.Errorf("%x, %v; gremlin %x", b, err, encoded)
	}
	b, err := deterministic.Marshal(known)
	if want := append(slices.Clone(encoded[2:]), encoded[:2]...); err != nil ||
		len(b) != len(want) || bytes.Equal(b, encoded) {
		t.Errorf("%x, %v; gremlin %x", b, err, encoded)
	}
}
