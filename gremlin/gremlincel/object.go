package gremlincel

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"time"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"

	"github.com/octopus-framework/octopus/gremlin/dynamic"
)

// object is a message as a value of CEL. A field is read when an expression asks for it, and kept,
// so that a list or map is converted once for each message. It is for one goroutine.
type object struct {
	r      *dynamic.Reader
	in     place
	fields []ref.Val // values by index of the field; nil: nobody has asked yet
}

// field is o.f.
func (o *object) field(f *dynamic.Field) ref.Val {
	if o.fields == nil {
		o.fields = make([]ref.Val, len(o.r.Type().Fields))
	}
	if o.fields[f.Index] == nil {
		o.fields[f.Index] = fieldValue(o.r, f, o.in)
	}
	return o.fields[f.Index]
}

// has tells whether f of r is set, as has(r.f) does: a field without presence to another value than
// zero, a list or map to one that is not empty.
func has(r *dynamic.Reader, f *dynamic.Field) bool {
	switch {
	case !r.Has(f):
		return false
	case f.Presence:
		return true
	case f.Kind == dynamic.Map || f.Message != nil:
		for range r.Messages(f) {
			return true
		}
		return false
	case f.Repeated:
		for range r.Each(f) {
			return true
		}
		return false
	}
	return !isZero(r.Get(f))
}

func isZero(s dynamic.Scalar) bool { return s.Bits == 0 && s.Text == "" }

// fieldValue is the value of a field, its default where it is not set.
func fieldValue(r *dynamic.Reader, f *dynamic.Field, in place) ref.Val {
	switch {
	case f.Kind == dynamic.Map:
		return mapValue(entries(r, f), in)
	case f.Repeated:
		return types.NewRefValList(types.DefaultTypeAdapter, elements(r, f, in))
	case f.Message != nil:
		return nestedValue(r, f, r.Message(f), r.Has(f), in)
	}
	return scalarValue(f, r.Get(f))
}

// elements are the values of a list.
func elements(r *dynamic.Reader, f *dynamic.Field, in place) (list []ref.Val) {
	if f.Message != nil {
		for m := range r.Messages(f) {
			list = append(list, nestedValue(r, f, m, true, in))
		}
		return list
	}
	for s := range r.Each(f) {
		list = append(list, scalarValue(f, s))
	}
	return list
}

// entries are those of a map, each key once. The order is that of the encoding.
func entries(r *dynamic.Reader, f *dynamic.Field) (list []*dynamic.Reader) {
	at := map[dynamic.Scalar]int{}
	for e := range r.Messages(f) {
		key := e.Get(f.Key())
		if i, twice := at[key]; twice {
			list[i] = e // the last one counts
			continue
		}
		at[key] = len(list)
		list = append(list, e)
	}
	return list
}

func mapValue(list []*dynamic.Reader, in place) ref.Val {
	m := make(map[ref.Val]ref.Val, len(list))
	for _, e := range list {
		fields := e.Type().Fields
		m[fieldValue(e, fields[0], in)] = entryValue(e, in)
	}
	return types.NewRefValMap(types.DefaultTypeAdapter, m)
}

// entryValue is the value of an entry, which may have been left out: an empty message is there.
func entryValue(e *dynamic.Reader, in place) ref.Val {
	f := e.Type().Fields[1]
	if f.Message != nil {
		return nestedValue(e, f, e.Message(f), true, in)
	}
	return fieldValue(e, f, in)
}

func scalarValue(f *dynamic.Field, x dynamic.Scalar) ref.Val {
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

// nestedValue is a message m in a field of r, which lies in a place.
func nestedValue(r *dynamic.Reader, f *dynamic.Field, m *dynamic.Reader, set bool,
	in place) ref.Val {
	inner, err := in.enter(r, f, m)
	if err != nil {
		return types.WrapErr(err)
	}
	return messageValue(m, set, inner)
}

// messageValue is a message, or what a well-known type stands for.
func messageValue(r *dynamic.Reader, set bool, in place) ref.Val {
	t := r.Type()
	if !strings.HasPrefix(t.Name, "google.protobuf.") {
		return &object{r: r, in: in}
	}
	switch t.Name {
	case "google.protobuf.Timestamp":
		seconds, nanos := secondsOf(r)
		return types.Timestamp{Time: time.Unix(seconds, nanos).UTC()}
	case "google.protobuf.Duration":
		return types.Duration{Duration: duration(secondsOf(r))}
	case "google.protobuf.Struct", "google.protobuf.ListValue":
		return fieldValue(r, t.Field(1), in)
	case "google.protobuf.Value":
		return jsonValue(r, in)
	case "google.protobuf.Any":
		if !set {
			return types.NullValue
		}
		return anyValue(r, in)
	}
	if wrapped(t) == nil {
		return &object{r: r, in: in}
	}
	if !set {
		return types.NullValue
	}
	return fieldValue(r, t.Field(1), in)
}

// wrapped returns the field of a wrapper, such as google.protobuf.Int32Value, nil for others.
func wrapped(t *dynamic.Type) *dynamic.Field {
	switch t.Name {
	case "google.protobuf.BoolValue", "google.protobuf.BytesValue", "google.protobuf.DoubleValue",
		"google.protobuf.FloatValue", "google.protobuf.Int32Value", "google.protobuf.Int64Value",
		"google.protobuf.StringValue", "google.protobuf.UInt32Value",
		"google.protobuf.UInt64Value":
		return t.Field(1)
	}
	return nil
}

// secondsOf returns the fields of a Timestamp or Duration.
func secondsOf(r *dynamic.Reader) (seconds, nanos int64) {
	return int64(r.Get(r.Type().Field(1)).Bits), int64(r.Get(r.Type().Field(2)).Bits)
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

// jsonValue is what a google.protobuf.Value stands for.
func jsonValue(r *dynamic.Reader, in place) ref.Val {
	for _, f := range r.Type().Fields {
		if f.Kind != dynamic.EnumKind && r.Has(f) {
			return fieldValue(r, f, in)
		}
	}
	return types.NullValue
}

// anyValue is the message in a google.protobuf.Any.
func anyValue(r *dynamic.Reader, in place) ref.Val {
	url := r.Get(r.Type().Field(1)).Text
	t := r.Type().Schema().Message(url[strings.LastIndexByte(url, '/')+1:])
	if t == nil {
		return types.NewErr("a google.protobuf.Any has a message of an unknown type: %q", url)
	}
	inner, err := in.enterAny()
	if err != nil {
		return types.WrapErr(err)
	}
	m, err := open(t, bytesOf(r.Get(r.Type().Field(2)).Text))
	if err != nil {
		return types.WrapErr(err)
	}
	return messageValue(m, true, inner)
}

// open returns a Reader of an encoding that is right, also that of messages in it.
func open(t *dynamic.Type, b []byte) (*dynamic.Reader, error) {
	r := dynamic.NewReader(t)
	if err := r.Unmarshal(b); err != nil {
		return nil, err
	}
	return r, r.CheckEncoding()
}

// ConvertToNative implements ref.Val.
func (o *object) ConvertToNative(t reflect.Type) (any, error) {
	return nil, fmt.Errorf("a message of type %s cannot be made a %v", o.r.Type().Name, t)
}

// ConvertToType implements ref.Val.
func (o *object) ConvertToType(t ref.Type) ref.Val {
	switch {
	case t.TypeName() == o.r.Type().Name:
		return o
	case t == types.TypeType:
		return types.NewObjectType(o.r.Type().Name)
	}
	return types.NewErr("type conversion error from '%s' to '%s'", o.r.Type().Name, t.TypeName())
}

// Equal implements ref.Val.
func (o *object) Equal(other ref.Val) ref.Val {
	x, same := other.(*object)
	if !same || x.r.Type() != o.r.Type() {
		return types.False
	}
	for _, f := range o.r.Type().Fields {
		set := has(o.r, f)
		if set != has(x.r, f) {
			return types.False
		}
		if !set {
			continue
		}
		if same := o.field(f).Equal(x.field(f)); same != types.True {
			return same // also an error
		}
	}
	return types.True
}

// Type implements ref.Val.
func (o *object) Type() ref.Type {
	return types.NewObjectType(o.r.Type().Name, traits.FieldTesterType, traits.IndexerType)
}

// Value implements ref.Val.
func (o *object) Value() any { return o }

// named returns the field that an expression names.
func (o *object) named(name ref.Val) (*dynamic.Field, ref.Val) {
	text, isText := name.(types.String)
	if !isText {
		return nil, types.MaybeNoSuchOverloadErr(name)
	}
	if f := fieldNamed(o.r.Type(), string(text)); f != nil {
		return f, nil
	}
	return nil, types.NewErr("no such field '%s'", text)
}

// fieldNamed returns the field that the .proto file calls name, or nil.
func fieldNamed(t *dynamic.Type, name string) *dynamic.Field {
	if f := t.FieldNamed(name); f != nil && f.Name == name {
		return f
	}
	return nil
}

// Get implements traits.Indexer.
func (o *object) Get(name ref.Val) ref.Val {
	f, err := o.named(name)
	if err != nil {
		return err
	}
	return o.field(f)
}

// IsSet implements traits.FieldTester.
func (o *object) IsSet(name ref.Val) ref.Val {
	f, err := o.named(name)
	if err != nil {
		return err
	}
	return types.Bool(has(o.r, f))
}

// IsZeroValue implements traits.Zeroer.
func (o *object) IsZeroValue() bool { return isEmpty(o.r) }

// isEmpty tells whether a message is the zero value of its type: nothing is set in it.
func isEmpty(r *dynamic.Reader) bool {
	return len(r.Raw()) == 0 || len(r.ToMessage().Marshal()) == 0
}
