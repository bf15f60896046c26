package celtypes

import (
	"math"
	"strings"
	"time"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"

	"github.com/octopus-framework/octopus/gremlin/dynamic"
)

// Scalar returns the value of a field that is no message. A string shares the memory of x.
func Scalar(f *dynamic.Field, x dynamic.Scalar) ref.Val {
	switch f.Kind {
	case dynamic.Bool:
		return types.Bool(x.Bits != 0)
	case dynamic.Uint32, dynamic.Uint64, dynamic.Fixed32, dynamic.Fixed64:
		return types.Uint(x.Bits)
	case dynamic.Float:
		return types.Double(math.Float32frombits(uint32(x.Bits)))
	case dynamic.Double:
		return types.Double(math.Float64frombits(x.Bits))
	case dynamic.String:
		return types.String(x.Text)
	case dynamic.Bytes:
		return types.Bytes(x.Text)
	}
	return types.Int(x.Bits)
}

// Value returns m as a value, or what it stands for if its type is a well-known one. A wrapper or
// an Any that is not set is null.
func Value[M Message](m M, set bool) ref.Val {
	t := m.Type()
	if !strings.HasPrefix(t.Name, "google.protobuf.") {
		return Object[M]{m}
	}
	switch t.Name {
	case "google.protobuf.Timestamp":
		return types.Timestamp{Time: time.Unix(m.Int(t.Field(1)), m.Int(t.Field(2))).UTC()}
	case "google.protobuf.Duration":
		return types.Duration{Duration: duration(m.Int(t.Field(1)), m.Int(t.Field(2)))}
	case "google.protobuf.Struct", "google.protobuf.ListValue":
		return m.Value(t.Field(1))
	case "google.protobuf.Value":
		return jsonValue(m)
	case "google.protobuf.Any":
		if !set {
			return types.NullValue
		}
		return m.Any()
	}
	f := Wrapped(t)
	switch {
	case f == nil:
		return Object[M]{m}
	case !set:
		return types.NullValue
	}
	return m.Value(f)
}

// AnyType returns the type that the URL of a google.protobuf.Any in a message of type t names, or
// nil.
func AnyType(t *dynamic.Type, url string) *dynamic.Type {
	return t.Schema().Message(url[strings.LastIndexByte(url, '/')+1:])
}

// jsonValue is what a google.protobuf.Value stands for. Its one enum is null.
func jsonValue[M Message](m M) ref.Val {
	for _, f := range m.Type().Fields {
		if f.Kind != dynamic.EnumKind && m.Has(f) {
			return m.Value(f)
		}
	}
	return types.NullValue
}

// duration saturates, as AsDuration of protobuf-go does.
func duration(seconds, nanos int64) time.Duration {
	d := time.Duration(seconds) * time.Second
	overflow := d/time.Second != time.Duration(seconds)
	d += time.Duration(nanos)
	overflow = overflow || seconds < 0 && nanos < 0 && d > 0 || seconds > 0 && nanos > 0 && d < 0
	switch {
	case overflow && seconds < 0:
		return math.MinInt64
	case overflow:
		return math.MaxInt64
	}
	return d
}
