package gremlincel

import (
	"github.com/octopus-framework/octopus/gremlin/dynamic"
)

// shape is what a field of a well-known type must be, for the package to read it.
type shape struct {
	number   uint32
	kind     dynamic.Kind
	repeated bool
}

// wellKnown are the types that are values of their own in CEL.
var wellKnown = map[string][]shape{
	"google.protobuf.Any":         {{1, dynamic.String, false}, {2, dynamic.Bytes, false}},
	"google.protobuf.Timestamp":   {{1, dynamic.Int64, false}, {2, dynamic.Int32, false}},
	"google.protobuf.Duration":    {{1, dynamic.Int64, false}, {2, dynamic.Int32, false}},
	"google.protobuf.Struct":      {{1, dynamic.Map, false}},
	"google.protobuf.ListValue":   {{1, dynamic.MessageKind, true}},
	"google.protobuf.BoolValue":   {{1, dynamic.Bool, false}},
	"google.protobuf.BytesValue":  {{1, dynamic.Bytes, false}},
	"google.protobuf.DoubleValue": {{1, dynamic.Double, false}},
	"google.protobuf.FloatValue":  {{1, dynamic.Float, false}},
	"google.protobuf.Int32Value":  {{1, dynamic.Int32, false}},
	"google.protobuf.Int64Value":  {{1, dynamic.Int64, false}},
	"google.protobuf.StringValue": {{1, dynamic.String, false}},
	"google.protobuf.UInt32Value": {{1, dynamic.Uint32, false}},
	"google.protobuf.UInt64Value": {{1, dynamic.Uint64, false}},
}

// checkShapes returns an error if a well-known type of a set is not what it should be.
func checkShapes(set *dynamic.Schema) error {
	for name, fields := range wellKnown {
		t := set.Message(name)
		if t == nil {
			continue
		}
		for _, want := range fields {
			f := t.Field(want.number)
			if f == nil || f.Kind != want.kind || f.Repeated != want.repeated {
				return &CompileError{Name: name, Detail: "it is not the well-known type"}
			}
		}
	}
	return nil
}
