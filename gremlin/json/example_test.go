package json_test

import (
	"fmt"

	"github.com/octopus-framework/octopus/gremlin"
	"github.com/octopus-framework/octopus/gremlin/json"
	"github.com/octopus-framework/octopus/gremlin/wkt"
)

// From an encoding to JSON and back, without a Message in between.
func Example() {
	data := (&wkt.Timestamp{Seconds: 1_750_000_000}).Marshal()

	var r wkt.TimestampReader
	if err := r.Unmarshal(data); err != nil {
		panic(err)
	}
	text, err := r.AppendJSON(nil, json.Options{})
	fmt.Println(string(text), err)

	back, err := wkt.Timestamp_JSONToWire(nil, text, json.Options{})
	fmt.Println(string(back) == string(data), err)
	// Output:
	// "2025-06-15T15:06:40Z" <nil>
	// true <nil>
}

// Options of writing.
func ExampleMarshal() {
	any := wkt.Any{
		TypeUrl: "type.googleapis.com/google.protobuf.Duration",
		Value:   (&wkt.Duration{Seconds: 90}).Marshal(),
	}
	_, err := json.Marshal(&any, json.Options{})
	fmt.Println(err)
	text, err := json.Marshal(&any, json.Options{
		Indent: "  ",
		Types:  &gremlin.Types{Messages: []gremlin.Type{(*wkt.Duration)(nil)}},
	})
	fmt.Println(string(text), err)
	// Output:
	// google.protobuf.Any: Options.Types do not have "type.googleapis.com/google.protobuf.Duration"
	// {
	//   "@type": "type.googleapis.com/google.protobuf.Duration",
	//   "value": "90s"
	// } <nil>
}

// Reading is strict unless it is told otherwise; errors have line, column and path.
func ExampleUnmarshal() {
	text := []byte(`{"name": "shop", "colour": "red"}`)
	var api wkt.Api
	fmt.Println(json.Unmarshal(text, &api, json.Options{}))
	fmt.Println(json.Unmarshal(text, &api, json.Options{DiscardUnknown: true}), api.Name)
	// Output:
	// google.protobuf.Api: unknown field "colour" at line 1, column 18
	// <nil> shop
}
