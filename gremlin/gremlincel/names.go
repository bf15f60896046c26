package gremlincel

import (
	"strings"

	"github.com/octopus-framework/octopus/gremlin/dynamic"
	"github.com/octopus-framework/octopus/gremlin/gremlincel/celtypes"
	"github.com/octopus-framework/octopus/gremlin/validate/rt"
)

// descriptorTypes are the numbers of FieldDescriptorProto.Type by Kind.
var descriptorTypes = map[dynamic.Kind]int32{dynamic.Double: 1, dynamic.Float: 2, dynamic.Int64: 3,
	dynamic.Uint64: 4, dynamic.Int32: 5, dynamic.Fixed64: 6, dynamic.Fixed32: 7, dynamic.Bool: 8,
	dynamic.String: 9, dynamic.Group: 10, dynamic.MessageKind: 11, dynamic.Map: 11,
	dynamic.Bytes: 12, dynamic.Uint32: 13, dynamic.EnumKind: 14, dynamic.Sfixed32: 15,
	dynamic.Sfixed64: 16, dynamic.Sint32: 17, dynamic.Sint64: 18}

// fieldName is a field as violations name it.
func fieldName(f *dynamic.Field) rt.Field {
	n := rt.Field{Number: int32(f.Number), Name: f.Name, Type: descriptorTypes[f.Kind]}
	if f.Extension {
		n.Name = "[" + f.FullName + "]"
	}
	if f.Kind == dynamic.Map {
		n.KeyType, n.ValueType = descriptorTypes[f.Key().Kind], descriptorTypes[f.Value().Kind]
	}
	return n
}

// element is a field as a step of a path.
func element(f *dynamic.Field) rt.Element {
	n := fieldName(f)
	return rt.Element{Number: n.Number, Name: n.Name, Type: n.Type}
}

// itemElement is an element of a list as a step of a path.
func itemElement(f *dynamic.Field, i int) rt.Element {
	e := element(f)
	e.Subscript, e.Value = rt.Index, uint64(i)
	return e
}

// entryElement is an entry of a map as a step of a path.
func entryElement(f *dynamic.Field, key dynamic.Scalar) rt.Element {
	e, n := element(f), fieldName(f)
	e.KeyType, e.ValueType, e.Value = n.KeyType, n.ValueType, key.Bits
	switch f.Key().Kind {
	case dynamic.Bool:
		e.Subscript = rt.BoolKey
	case dynamic.String:
		e.Subscript, e.Key = rt.StringKey, strings.Clone(key.Text)
	case dynamic.Uint32, dynamic.Uint64, dynamic.Fixed32, dynamic.Fixed64:
		e.Subscript = rt.UintKey
	default:
		e.Subscript = rt.IntKey
	}
	return e
}

// rulesOfKind is the field of buf.validate.FieldRules that has the rules of a kind of value.
var rulesOfKind = map[dynamic.Kind]string{dynamic.Float: "float", dynamic.Double: "double",
	dynamic.Int32: "int32", dynamic.Int64: "int64", dynamic.Uint32: "uint32",
	dynamic.Uint64: "uint64", dynamic.Sint32: "sint32", dynamic.Sint64: "sint64",
	dynamic.Fixed32: "fixed32", dynamic.Fixed64: "fixed64", dynamic.Sfixed32: "sfixed32",
	dynamic.Sfixed64: "sfixed64", dynamic.Bool: "bool", dynamic.String: "string",
	dynamic.Bytes: "bytes", dynamic.EnumKind: "enum"}

// rulesOf names the field of buf.validate.FieldRules that may have the rules of f, or of an element
// of f if single; "" where there are no standard rules for f.
func rulesOf(f *dynamic.Field, single bool) string {
	switch {
	case !single && f.Kind == dynamic.Map:
		return "map"
	case !single:
		return "repeated"
	case f.Message == nil:
		return rulesOfKind[f.Kind]
	}
	switch f.Message.Name {
	case "google.protobuf.Any":
		return "any"
	case "google.protobuf.Duration":
		return "duration"
	case "google.protobuf.FieldMask":
		return "field_mask"
	case "google.protobuf.Timestamp":
		return "timestamp"
	}
	if w := celtypes.Wrapped(f.Message); w != nil {
		return rulesOfKind[w.Kind]
	}
	return ""
}
