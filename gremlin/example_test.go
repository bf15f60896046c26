package gremlin_test

import (
	"errors"
	"fmt"

	"github.com/octopus-framework/octopus/gremlin"
	"github.com/octopus-framework/octopus/gremlin/descriptor"
	"github.com/octopus-framework/octopus/gremlin/wkt"
)

// A Message builds and keeps, a Reader reads from the encoding itself. The message here is that of
// descriptor.proto that describes a .proto file.
func Example() {
	name, field := "shop/v1/shop.proto", "amount"
	file := descriptor.FileDescriptorProto{
		Name:       &name,
		Dependency: []string{"google/protobuf/timestamp.proto"},
		MessageType: []descriptor.DescriptorProto{
			{Field: []descriptor.FieldDescriptorProto{{Name: &field}}},
		},
	}
	data := file.Marshal() // cannot fail

	r := descriptor.NewFileDescriptorProtoReader()
	if err := r.Unmarshal(data); err != nil { // checks this level, copies nothing
		panic(err)
	}
	fmt.Println(r.GetName())
	for dependency := range r.Dependency() {
		fmt.Println(dependency)
	}
	for message := range r.MessageType() { // one Reader that moves on
		for f := range message.Field() {
			fmt.Println(f.GetName())
		}
	}
	// Output:
	// shop/v1/shop.proto
	// google/protobuf/timestamp.proto
	// amount
}

// Errors say in which field and where in the input something is wrong.
func ExampleError() {
	data := (&wkt.Api{Methods: []wkt.Method{{}, {Name: "not UTF-8: \xff"}}}).Marshal()

	var api wkt.Api
	err := api.Unmarshal(data)
	var e *gremlin.Error
	if errors.As(err, &e) {
		fmt.Println(e.Code == gremlin.InvalidUTF8, e.Path, e.Offset)
	}
	fmt.Println(err)
	// Output:
	// true methods[1].name 6
	// google.protobuf.Api: methods[1].name: invalid UTF-8 at offset 6
}

// Input from people you do not trust may take many times its size in memory as a Message.
func ExampleUnmarshalWithin() {
	list := descriptor.FileDescriptorProto{MessageType: make([]descriptor.DescriptorProto, 10_000)}
	data := list.Marshal() // two bytes for each message

	var got descriptor.FileDescriptorProto
	err := gremlin.UnmarshalWithin(data, &got, 1<<20)
	fmt.Println(len(data), errors.Is(err, gremlin.TooMuchMemory))
	fmt.Println(gremlin.UnmarshalWithin(data, &got, 16<<20), len(got.MessageType))
	// Output:
	// 20000 true
	// <nil> 10000
}

// The text format, for people: always the same for the same contents. A Types says what an Any may
// hold.
func ExampleTextOptions() {
	any := wkt.Any{
		TypeUrl: "type.googleapis.com/google.protobuf.Duration",
		Value:   (&wkt.Duration{Seconds: 90}).Marshal(),
	}
	fmt.Println(any)

	o := gremlin.TextOptions{Types: &gremlin.Types{Messages: []gremlin.Type{(*wkt.Duration)(nil)}}}
	text := o.Append(nil, &any)
	fmt.Println(string(text))

	var back wkt.Any
	fmt.Println(o.Unmarshal(string(text), &back), back.Equal(&any))
	// Output:
	// type_url: "type.googleapis.com/google.protobuf.Duration" value: "\010Z"
	// [type.googleapis.com/google.protobuf.Duration] { seconds: 90 }
	// <nil> true
}

// Maps have no order. MarshalStable sorts their keys, so that encodings may be compared and hashed.
func ExampleMarshalStable() {
	s := wkt.Struct{Fields: map[string]wkt.Value{"b": {}, "a": {}}}
	fmt.Printf("%q\n", gremlin.MarshalStable(nil, &s))
	// Output: "\n\x05\n\x01a\x12\x00\n\x05\n\x01b\x12\x00"
}
