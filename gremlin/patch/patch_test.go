package patch_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/octopus-framework/octopus/gremlin"
	"github.com/octopus-framework/octopus/gremlin/descriptor"
	"github.com/octopus-framework/octopus/gremlin/dynamic"
	"github.com/octopus-framework/octopus/gremlin/patch"
)

// shop is a FileDescriptorSet in text format.
const shop = `
file {
  name: "shop.proto" package: "shop.v1" syntax: "proto2"
  message_type {
    name: "Deposit"
    field { name: "name" number: 1 type: TYPE_STRING label: LABEL_OPTIONAL }
    field { name: "amount" number: 2 type: TYPE_SINT32 label: LABEL_OPTIONAL }
    field { name: "kind" number: 3 type: TYPE_ENUM type_name: "Kind" label: LABEL_OPTIONAL }
    field { name: "inner" number: 4 type: TYPE_MESSAGE type_name: "Deposit" label: LABEL_REPEATED }
    field { name: "part" number: 5 type: TYPE_GROUP type_name: "Deposit" label: LABEL_OPTIONAL }
    field { name: "kinds" number: 6 type: TYPE_ENUM type_name: "Kind" label: LABEL_REPEATED }
    field { name: "tags" number: 7 type: TYPE_MESSAGE type_name: "TagsEntry" label: LABEL_REPEATED }
    field { name: "a" number: 8 type: TYPE_INT32 label: LABEL_OPTIONAL oneof_index: 0 }
    field { name: "b" number: 9 type: TYPE_MESSAGE type_name: "Deposit" label: LABEL_OPTIONAL
      oneof_index: 0 }
    oneof_decl { name: "one" }
    nested_type {
      name: "TagsEntry" options { map_entry: true }
      field { name: "key" number: 1 type: TYPE_STRING label: LABEL_OPTIONAL }
      field { name: "value" number: 2 type: TYPE_MESSAGE type_name: "Deposit"
        label: LABEL_OPTIONAL }
    }
  }
  enum_type { name: "Kind" value { name: "CASH" number: 0 } value { name: "CARD" number: 1 } }
}`

func deposit(t testing.TB) *dynamic.Type {
	t.Helper()
	var set descriptor.FileDescriptorSet
	if err := (gremlin.TextOptions{}).Unmarshal(shop, &set); err != nil {
		t.Fatal(err)
	}
	types, err := dynamic.Load(set.Marshal())
	if err != nil {
		t.Fatal(err)
	}
	return types.Message("shop.v1.Deposit")
}

func Example() {
	typ := deposit(new(testing.T))
	b, _ := typ.TextToWire(nil, `name: "Ada" inner { amount: 5 }`, gremlin.TextOptions{})

	amount, _ := patch.Parse(typ, "inner[0].amount")
	v, ok, err := amount.Get(b)
	fmt.Println(int64(v.Bits), ok, err)

	b, err = amount.Set(nil, b, dynamic.Scalar{Bits: 7})
	fmt.Println(err)
	tag, _ := patch.Parse(typ, `tags["new"].name`)
	b, err = tag.Set(nil, b, dynamic.Scalar{Text: "x"})
	fmt.Println(err)

	m := dynamic.New(typ)
	fmt.Println(m.Unmarshal(b), m)
	// Output:
	// 5 true <nil>
	// <nil>
	// <nil>
	// <nil> name: "Ada" inner { amount: 7 } tags { key: "new" value { name: "x" } }
}

// TestEdits changes encodings that are not as a program would write them.
func TestEdits(t *testing.T) {
	typ := deposit(t)
	text := func(s string) dynamic.Scalar { return dynamic.Scalar{Text: s} }
	number := func(n int) dynamic.Scalar { return dynamic.Scalar{Bits: uint64(int64(n))} }
	for _, test := range []struct {
		path, op, input string
		value           dynamic.Scalar
		want            string
	}{
		{"amount", "set", "\x10\x02\x50\x01\x10\x04", number(-1), "\x50\x01\x10\x01"},
		{"amount", "clear", "\x10\x02\x50\x01\x10\x04", number(0), "\x50\x01"},
		{"amount", "set", "\x15\x00\x00\x00\x00", number(1), "\x15\x00\x00\x00\x00\x10\x02"},
		{"part.name", "set", "\x2b\x0a\x00\x2c", text("a"), "\x2b\x0a\x01a\x2c"},
		{"part", "clear", "\x2b\x0a\x00\x2c\x10\x02", text(""), "\x10\x02"},
		{"b.a", "set", "\x4a\x02\x10\x02\x40\x01", number(1), "\x4a\x02\x40\x01"},
		{"b.a", "set", "\x4a\x02\x10\x02\x4a\x02\x10\x04", number(1),
			"\x4a\x06\x10\x02\x10\x04\x40\x01"},
		{"a", "clear", "\x4a\x00\x40\x01", number(0), ""},
		{"a", "clear", "\x40\x01\x4a\x00", number(0), "\x40\x01\x4a\x00"},
		{"kinds[1]", "set", "\x32\x03\x00\x05\x00", number(1), "\x32\x03\x00\x05\x01"},
		{"kinds[1]", "clear", "\x32\x03\x00\x05\x00\x30\x01", number(0),
			"\x32\x02\x00\x05\x30\x01"},
		{"kinds[2]", "set", "\x32\x03\x00\x05\x00\x30\x01", number(0),
			"\x32\x03\x00\x05\x00\x30\x00"},
		{"kinds", "clear", "\x32\x03\x00\x05\x00\x30\x01", number(0), "\x30\x05"},
		{"kinds", "append", "\x32\x01\x00", number(1), "\x32\x01\x00\x30\x01"},
		{`tags["k"].amount`, "set", "\x3a\x03\x0a\x01k\x3a\x05\x0a\x01k\x12\x00", number(1),
			"\x3a\x07\x0a\x01k\x12\x02\x10\x02"},
		{`tags["k"]`, "clear", "\x3a\x03\x0a\x01k\x3a\x05\x0a\x01k\x12\x00\x3a\x00", number(1),
			"\x3a\x00"},
		{"inner", "append", "\x22\x00", text("\x10\x02"), "\x22\x00\x22\x02\x10\x02"},
		{"inner[0]", "clear", "\x22\x00\x22\x02\x10\x02", text(""), "\x22\x02\x10\x02"},
	} {
		p, err := patch.Parse(typ, test.path)
		if err != nil {
			t.Fatal(err)
		}
		var got []byte
		switch test.op {
		case "set":
			got, err = p.Set(nil, []byte(test.input), test.value)
		case "clear":
			got, err = p.Clear(nil, []byte(test.input))
		default:
			got, err = p.Append(nil, []byte(test.input), test.value)
		}
		if err != nil || string(got) != test.want {
			t.Errorf("%s %s in %x: %x, %v, want %x", test.op, test.path, test.input, got, err,
				test.want)
		}
	}
}

// TestNumbers goes without a schema.
func TestNumbers(t *testing.T) {
	p := patch.Numbers(dynamic.Int32, 5, 4, 2)
	b, err := p.Set(nil, []byte("\x2b\x10\x02\x2c"), dynamic.Scalar{Bits: 9})
	if want := "\x2b\x10\x02\x22\x02\x10\x09\x2c"; err != nil || string(b) != want {
		t.Fatalf("%x, %v", b, err)
	}
	if v, ok, err := p.Get(b); v.Bits != 9 || !ok || err != nil {
		t.Errorf("%v, %t, %v", v, ok, err)
	}
}

// TestErrors gives paths, values and encodings that are wrong.
func TestErrors(t *testing.T) {
	typ := deposit(t)
	for path, want := range map[string]string{
		"nmae":   `nmae: shop.v1.Deposit has no field "nmae"`,
		"name.x": `name.x: field shop.v1.Deposit.name is no message, so it has no "x"`,
		"name[0]": "name[0]: field shop.v1.Deposit.name is neither " +
			"a list nor a map at offset 5",
		"inner.name": "inner.name: field shop.v1.Deposit.inner has several values: " +
			"say which, as inner[0] at offset 5",
		"inner[x].name": `inner[x].name: "x" is no index at offset 6`,
		"inner[0":       "inner[0: a bracket that is not closed at offset 5",
		"inner[0]name":  "inner[0]name: expected a point at offset 8",
		`tags[k]`:       `tags[k]: "k" is no key of shop.v1.Deposit.tags at offset 5`,
		"":              `: shop.v1.Deposit has no field ""`,
	} {
		if _, err := patch.Parse(typ, path); err == nil || err.Error() != want {
			t.Errorf("%s: %v", path, err)
		}
	}
	for _, test := range []struct {
		path, input string
		value       dynamic.Scalar
		want        error
	}{
		{"amount", "\x10", dynamic.Scalar{}, gremlin.Malformed},
		{"inner[0].amount", "\x22\x01\x10", dynamic.Scalar{}, gremlin.Malformed},
		{"inner[3].amount", "\x22\x00", dynamic.Scalar{}, gremlin.BadValue},
		{"inner", "", dynamic.Scalar{}, gremlin.BadValue},
		{"amount", "", dynamic.Scalar{Bits: 1 << 40}, gremlin.BadValue},
		{"kind", "", dynamic.Scalar{Bits: 7}, gremlin.BadValue},
		{"part", "", dynamic.Scalar{Text: "\x10"}, gremlin.Malformed},
	} {
		p, err := patch.Parse(typ, test.path)
		if err != nil {
			t.Fatal(err)
		}
		dst, err := p.Set([]byte("before"), []byte(test.input), test.value)
		var e *gremlin.Error
		if !errors.Is(err, test.want) || !errors.As(err, &e) || string(dst) != "before" {
			t.Errorf("%s in %x: %q, %v", test.path, test.input, dst, err)
		}
	}
}

// FuzzSet wants of any bytes what was set, or an error, and no other change that can be seen.
func FuzzSet(f *testing.F) {
	typ := deposit(f)
	paths := []string{"name", "amount", "part.name", "b.a", "inner[1].b.name", `tags["k"].amount`,
		"kinds[2]", "kind", `tags[""].part.kind`}
	for i := range paths {
		f.Add(uint8(i), []byte("\x0a\x01a\x22\x00\x22\x00\x32\x03\x00\x05\x00\x30\x01"))
	}
	f.Fuzz(func(t *testing.T, which uint8, b []byte) {
		path := paths[int(which)%len(paths)]
		p, err := patch.Parse(typ, path)
		if err != nil {
			t.Fatal(err)
		}
		value := dynamic.Scalar{Bits: 1}
		if path == "name" || path == "part.name" || path == "inner[1].b.name" {
			value = dynamic.Scalar{Text: "x"}
		}
		got, err := p.Set(nil, b, value)
		if err != nil {
			return
		}
		if v, ok, err := p.Get(got); v != value || !ok || err != nil {
			t.Fatalf("%s in %x: %x, of which Get makes %v, %t, %v", path, b, got, v, ok, err)
		}
		if typ.Check(b) == nil && typ.Check(got) != nil {
			t.Fatalf("%s in %x: %x is malformed", path, b, got)
		}
		again, err := p.Set(nil, got, value)
		if err != nil || string(again) != string(got) {
			t.Fatalf("%s in %x: %x, again %x, %v", path, b, got, again, err)
		}
	})
}
