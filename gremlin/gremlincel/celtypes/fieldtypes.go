package celtypes

import (
	"cel.dev/cel-go/cel"

	"github.com/octopus-framework/octopus/gremlin/dynamic"
)

// FieldType returns the type of the value of f.
func FieldType(f *dynamic.Field) *cel.Type {
	switch {
	case f.Kind == dynamic.Map:
		return cel.MapType(ElementType(f.Key()), ElementType(f.Value()))
	case f.Repeated:
		return cel.ListType(ElementType(f))
	}
	return ElementType(f)
}

// ElementType returns the type of an element of the list f, or of f itself if it is no list.
func ElementType(f *dynamic.Field) *cel.Type {
	switch f.Kind {
	case dynamic.Bool:
		return cel.BoolType
	case dynamic.Uint32, dynamic.Uint64, dynamic.Fixed32, dynamic.Fixed64:
		return cel.UintType
	case dynamic.Float, dynamic.Double:
		return cel.DoubleType
	case dynamic.String:
		return cel.StringType
	case dynamic.Bytes:
		return cel.BytesType
	case dynamic.MessageKind, dynamic.Group:
		return MessageType(f.Message)
	}
	return cel.IntType
}

// MessageType returns the type of messages of type t. That of a well-known type is the type of what
// it stands for: cel-go finds it by the name.
func MessageType(t *dynamic.Type) *cel.Type { return cel.ObjectType(t.Name) }

// Wrapped returns the field of a wrapper, such as google.protobuf.Int32Value, and nil if t is none.
func Wrapped(t *dynamic.Type) *dynamic.Field {
	switch t.Name {
	case "google.protobuf.BoolValue", "google.protobuf.BytesValue", "google.protobuf.DoubleValue",
		"google.protobuf.FloatValue", "google.protobuf.Int32Value", "google.protobuf.Int64Value",
		"google.protobuf.StringValue", "google.protobuf.UInt32Value",
		"google.protobuf.UInt64Value":
		return t.Field(1)
	}
	return nil
}
