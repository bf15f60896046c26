package dynamic_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/octopus-framework/octopus/gremlin"
	"github.com/octopus-framework/octopus/gremlin/descriptor"
	"github.com/octopus-framework/octopus/gremlin/dynamic"
)

// shop is a FileDescriptorSet in text format.
const shop = `
file {
  name: "shop.proto" package: "shop.v1" syntax: "proto3"
  message_type {
    name: "User"
    field { name: "id" number: 1 type: TYPE_UINT64 label: LABEL_OPTIONAL }
    field { name: "full_name" number: 2 type: TYPE_STRING label: LABEL_OPTIONAL }
  }
  message_type {
    name: "Deposit"
    field { name: "user" number: 1 type: TYPE_MESSAGE type_name: ".shop.v1.User" label: LABEL_OPTIONAL }
    field { name: "amount" number: 2 type: TYPE_INT64 label: LABEL_OPTIONAL }
    field { name: "kind" number: 3 type: TYPE_ENUM type_name: "Kind" label: LABEL_OPTIONAL }
    field { name: "tags" number: 4 type: TYPE_STRING label: LABEL_REPEATED }
    field { name: "labels" number: 5 type: TYPE_MESSAGE type_name: "LabelsEntry" label: LABEL_REPEATED }
    nested_type {
      name: "LabelsEntry" options { map_entry: true }
      field { name: "key" number: 1 type: TYPE_STRING label: LABEL_OPTIONAL }
      field { name: "value" number: 2 type: TYPE_INT32 label: LABEL_OPTIONAL }
    }
  }
  enum_type {
    name: "Kind"
    value { name: "CASH" number: 0 }
    value { name: "CARD" number: 1 }
  }
}`

// encode returns a FileDescriptorSet that is given as text.
func encode(t testing.TB, text string) []byte {
	t.Helper()
	var set descriptor.FileDescriptorSet
	if err := (gremlin.TextOptions{}).Unmarshal(text, &set); err != nil {
		t.Fatal(err)
	}
	return set.Marshal()
}

func load(t testing.TB, text string) *dynamic.Schema {
	t.Helper()
	schema, err := dynamic.Load(encode(t, text))
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

func ExampleLoad() {
	schema := load(new(testing.T), shop) // a file that gremlin descriptors or protoc has written
	for f := range schema.Messages() {
		fmt.Println(f.Name)
	}
	fields, err := schema.Message("shop.v1.Deposit").Resolve("user.fullName")
	fmt.Println(fields[1].FullName, fields[1].Number, err)
	_, err = schema.Message("shop.v1.Deposit").Resolve("user.nmae")
	fmt.Println(err)
	// Output:
	// shop.v1.User
	// shop.v1.Deposit
	// shop.v1.User.full_name 2 <nil>
	// user.nmae: shop.v1.User has no field "nmae"
}

// TestSchemaErrors gives sets that cannot be schemas.
func TestSchemaErrors(t *testing.T) {
	field := func(s string) string {
		return `file { name: "f" message_type { name: "M" field { label: LABEL_OPTIONAL ` + s + ` } } }`
	}
	deep := strings.Repeat(`nested_type { name: "M" `, 70) + strings.Repeat("}", 70)
	for text, want := range map[string]string{
		`file { name: "f" syntax: "proto4" }`: `f: syntax "proto4" is not known here`,
		`file { name: "f" syntax: "editions" edition: EDITION_99997_TEST_ONLY }`: "f: EDITION_99997_TEST_ONLY " +
			"is not known here",
		`file { name: "f" enum_type { name: "E" } }`:                                                                      "f: E: an enum without values",
		`file { name: "f" message_type { name: "M" } message_type { name: "M" } }`:                                        "f: M: declared twice",
		`file { name: "f" message_type { } }`:                                                                             "f: a declaration without a name",
		field(`name: "a" number: 1`):                                                                                      "f: M.a: a field without a type",
		field(`name: "a" number: 0 type: TYPE_INT32`):                                                                     "f: M.a: no field can have number 0",
		field(`name: "a" number: 536870912 type: TYPE_INT32`):                                                             "f: M.a: no field can have number 536870912",
		field(`name: "a" number: 1 type: TYPE_MESSAGE type_name: ".N"`):                                                   `f: M.a: there is no type ".N"`,
		field(`name: "a" number: 1 type: TYPE_INT32 default_value: "x"`):                                                  `f: M.a: "x" cannot be its default`,
		field(`name: "a" number: 1 type: TYPE_INT32 oneof_index: 3`):                                                      "f: M.a: member of a oneof that it cannot be in",
		field(`name: "a" number: 1 type: TYPE_INT32 } field { name: "b" number: 1 type: TYPE_INT32`):                      "f: M.b: another field has number 1",
		field(`name: "a" number: 1 type: TYPE_INT32 } field { name: "a" number: 2 type: TYPE_INT32`):                      "f: M.a: declared twice",
		`file { name: "f" message_type { name: "M" options { map_entry: true } } }`:                                       "f: M: an entry of a map has a key as field 1 and a value as field 2",
		`file { name: "f" extension { name: "x" number: 1 type: TYPE_INT32 extendee: ".M" } }`:                            `f: x: there is no message ".M"`,
		`file { name: "f" message_type { name: "M" } extension { name: "x" number: 1 type: TYPE_INT32 extendee: ".M" } }`: "f: x: M has no extension ranges",
		`file { name: "f" message_type { name: "M" ` + deep + ` } }`: "f: M" + strings.Repeat(".M", 64) +
			": messages are declared more than 64 levels deep",
	} {
		_, err := dynamic.Load(encode(t, text))
		var e *dynamic.SchemaError
		if !errors.As(err, &e) || err.Error() != want {
			t.Errorf("%s:\n%v\nfor %s", text, err, want)
		}
	}
	_, err := dynamic.Load([]byte("\x0a\x05"))
	if !errors.Is(err, gremlin.Malformed) {
		t.Errorf("malformed: %v", err)
	}
}

// FuzzLoad wants an answer for any bytes, and of what is loaded every field to be found.
func FuzzLoad(f *testing.F) {
	f.Add(encode(f, shop))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		schema, err := dynamic.Load(b)
		if err != nil {
			return
		}
		for m := range schema.Messages() {
			for _, field := range m.Fields {
				if m.Field(field.Number) != field || m.FieldNamed(field.Name) != field {
					t.Fatalf("%s is not found", field.FullName)
				}
			}
		}
	})
}

func ExampleMessage() {
	typ := load(new(testing.T), shop).Message("shop.v1.Deposit")
	m := dynamic.New(typ)
	err := m.UnmarshalJSON([]byte(`{"user": {"fullName": "Ada"}, "kind": "CARD", "labels": {"a": 1}}`))
	m.Set(typ.FieldNamed("amount"), dynamic.Value{Scalar: dynamic.Scalar{Bits: 250}})
	fmt.Println(err, m)
	fmt.Printf("%x\n", m.Marshal())
	// Output:
	// <nil> user { full_name: "Ada" } amount: 250 kind: CARD labels { key: "a" value: 1 }
	// 0a05120341646110fa0118012a050a01611001
}

func ExampleReader() {
	typ := load(new(testing.T), shop).Message("shop.v1.Deposit")
	b, _ := typ.TextToWire(nil, `amount: 250 tags: ["x", "y"]`, gremlin.TextOptions{})
	r := dynamic.NewReader(typ)
	fmt.Println(r.Unmarshal(b), r.CheckEncoding(), int64(r.Get(typ.Field(2)).Bits))
	for s := range r.Each(typ.FieldNamed("tags")) {
		fmt.Println(s.Text)
	}
	// Output:
	// <nil> <nil> 250
	// x
	// y
}
