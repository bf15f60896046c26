package conformance

import (
	"encoding/hex"
	"testing"

	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoregistry"

	"github.com/octopus-framework/octopus/conformance/internal/check"
	"github.com/octopus-framework/octopus/conformance/internal/gen/p2"
	"github.com/octopus-framework/octopus/gremlin"
	"github.com/octopus-framework/octopus/gremlin/wkt"
)

// rawText are messages with parts that no Message brings into order: unknown fields, extensions,
// what an Any holds.
var rawText = []struct {
	typ, hex, what string
	data           string // text without unknown fields, which can be read again
	shown          string // with them
}{
	{"p2.Maps", "e201040a001006", "an entry whose value a closed enum does not have", ``,
		`28 { 1: "" 2: 6 }`},
	{"p2.Maps", "e201050a01611006" + "e201050a01611003", "the same beside another with its key",
		`of_tone { key: "a" value: LOW }`, `of_tone { key: "a" value: LOW } 28 { 1: "a" 2: 6 }`},
	{"p2.Maps", "e201070a016110031006", "an entry that has another value before",
		``, `28 { 1: "a" 2: 3 2: 6 }`},
	{"p2.Maps", "e201070a016110061003", "an entry that has another value behind",
		`of_tone { key: "a" value: LOW }`, `of_tone { key: "a" value: LOW }`},
	{"p2.Extendable", "a00605" + "a00607", "a number twice", `[octopus.test.p2.ext_int]: 7`,
		`[octopus.test.p2.ext_int]: 7`},
	{"p2.Extendable", "a00605" + "f0070a" + "a00607", "the same with an unknown field between",
		`[octopus.test.p2.ext_int]: 7`,
		`126: 10 [octopus.test.p2.ext_int]: 7`},
	{"p2.Extendable", "b20602" + "0801" + "aa060161" + "b20606" + "0802" + "22020807" + "b20604" +
		"22021801", "a message in three pieces",
		`[octopus.test.p2.ext_message] { id: 2 next { id: 7 marks: 1 } } [octopus.test.p2.ext_string]: "a"`,
		`[octopus.test.p2.ext_message] { id: 2 next { id: 7 marks: 1 } } [octopus.test.p2.ext_string]: "a"`},
	{"p2.Extendable", "d00601" + "d00663", "a closed enum that has only the first",
		`[octopus.test.p2.ext_shade]: LIGHT`,
		`[octopus.test.p2.ext_shade]: LIGHT 106: 99`},
	{"p2.Extendable", "b20602" + "2863" + "b20602" + "2801", "the same in a message",
		`[octopus.test.p2.ext_message] { shade: LIGHT }`,
		`[octopus.test.p2.ext_message] { 5: 99 shade: LIGHT }`},
	{"p2.Extendable", "ba0601" + "02" + "ba0601" + "04", "lists have all",
		`[octopus.test.p2.ext_packed]: 1 [octopus.test.p2.ext_packed]: 2`,
		`[octopus.test.p2.ext_packed]: 1 [octopus.test.p2.ext_packed]: 2`},
}

func TestTextOfRawFields(t *testing.T) {
	for _, c := range rawText {
		typ := typeOf(c.typ)
		b, err := hex.DecodeString(c.hex)
		if err != nil {
			t.Fatal(err)
		}
		m := typ.NewMessage()
		if err := m.Unmarshal(b); err != nil {
			t.Errorf("%s: %v", c.what, err)
			continue
		}
		if got := string(gremlin.TextOptions{Types: textTypes}.Append(nil, m)); got != c.data {
			t.Errorf("%s is written as\n%s, want\n%s", c.what, got, c.data)
		}
		if got := string(gremlin.TextOptions{Types: textTypes, Unknown: true}.Append(nil,
			m)); got != c.shown {
			t.Errorf("%s is shown as\n%s, want\n%s", c.what, got, c.shown)
		}
		sameAsProtobufGo(t, typ, b, c.what)
	}
}

// sameAsProtobufGo compares what our text of b is read as with what prototext's is.
func sameAsProtobufGo(t *testing.T, typ check.Type, b []byte, what string) {
	t.Helper()
	m, back, want := typ.NewMessage(), typ.NewMessage(), typ.New()
	if err := m.Unmarshal(b); err != nil {
		t.Fatal(err)
	}
	text := gremlin.TextOptions{Types: textTypes}.Append(nil, m)
	if err := (gremlin.TextOptions{Types: textTypes}).Unmarshal(string(text), back); err != nil {
		t.Errorf("%s: our reader of our text: %v\n%s", what, err, text)
		return
	}
	if err := proto.Unmarshal(check.Demote(b, typ.Desc, protoregistry.GlobalTypes),
		want); err != nil {
		t.Fatal(err)
	}
	theirs, err := prototext.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	other := typ.NewMessage()
	if err := (gremlin.TextOptions{Types: textTypes}).Unmarshal(string(theirs), other); err != nil {
		t.Errorf("%s: our reader of prototext: %v\n%s", what, err, theirs)
	}
	if got, want := gremlin.MarshalStable(nil, back),
		gremlin.MarshalStable(nil, other); string(got) != string(want) {
		t.Errorf("%s: our text is read as %x, prototext's as %x", what, got, want)
	}
}

// TestTextOfAnyTwice has pieces in what an Any holds.
func TestTextOfAnyTwice(t *testing.T) {
	inner := []byte{0x08, 1, 0x10, 2, 0x08, 3} // a Duration: seconds, nanos, seconds
	m := wkt.Any{TypeUrl: "x/google.protobuf.Duration", Value: inner}
	const want = "[x/google.protobuf.Duration] { nanos: 2 seconds: 3 }"
	text := string(gremlin.TextOptions{Types: textTypes}.Append(nil, &m))
	if text != want {
		t.Errorf("%s, want %s", text, want)
	}
	var back wkt.Any
	if err := (gremlin.TextOptions{Types: textTypes}).Unmarshal(text, &back); err != nil {
		t.Error(err)
	}
	var r wkt.DurationReader
	if got, err := (gremlin.TextOptions{}).Format(nil, inner, &r); err != nil ||
		string(got) != "nanos: 2 seconds: 3" {
		t.Errorf("Format: %s, %v", got, err)
	}
}

// TestTextOfManyLevels has an extension of pieces in pieces: what is looked through and copied
// stays in proportion.
func TestTextOfManyLevels(t *testing.T) {
	var b []byte
	for range 3000 {
		n := protowire.AppendBytes([]byte{4<<3 | 2}, b)
		b = append([]byte{4<<3 | 2, 2, 0x08, 1}, n...) // an Inner of two pieces
	}
	m := p2.Extendable{}
	if err := m.Unmarshal(protowire.AppendBytes(protowire.AppendTag(nil, 102, protowire.BytesType),
		b)); err != nil {
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(1, func() {
		gremlin.TextOptions{Types: textTypes}.Append(nil, &m)
	}); n > 200_000 {
		t.Errorf("%v allocations", n)
	}
}

// TestTextOfUnknown adds unknown fields to random messages, those of closed enums among them, and
// reads our text of it.
func TestTextOfUnknown(t *testing.T) {
	values, _ := rounds()
	forTypes(t, func(t *testing.T, typ check.Type) {
		rng := seed(typ.Desc)
		for range values {
			b := textValue(rng, typ)
			for range rng.IntN(3) {
				unknown := protowire.AppendTag(nil, protowire.Number(90000+rng.IntN(5)),
					protowire.BytesType)
				b = append(b, protowire.AppendBytes(unknown, b[:rng.IntN(len(b)+1)])...)
			}
			if err := check.TextOfUnknown(typ, textTypes, b); err != nil {
				t.Fatalf("%v\ninput %x", err, b)
			}
		}
	})
}
