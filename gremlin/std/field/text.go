package field

import (
	"bytes"

	jsonrt "github.com/octopus-framework/octopus/gremlin/json/rt"
	"github.com/octopus-framework/octopus/gremlin/rt"
	"github.com/octopus-framework/octopus/gremlin/wkt"
)

// Bool is a bool in place of a google.protobuf.BoolValue.
type Bool bool

func (v *Bool) message() (m wkt.BoolValue) {
	if v != nil {
		m.Value = bool(*v)
	}
	return m
}

// Size returns the length of the message, without its own length.
func (v *Bool) Size() int {
	m := v.message()
	return m.Size()
}

// GremlinAppend appends the message.
func (v *Bool) GremlinAppend(b []byte, e *rt.Encoder) []byte {
	m := v.message()
	return m.GremlinAppend(b, e)
}

// GremlinDecode reads a message; of two the last value counts.
func (v *Bool) GremlinDecode(d *rt.Decoder, n, off uint) (next uint) {
	m := v.message()
	next = m.GremlinDecode(d, n, off)
	*v = Bool(m.Value)
	return next
}

// GremlinAppendJSON appends the JSON form.
func (v *Bool) GremlinAppendJSON(e *jsonrt.Encoder, b []byte) []byte {
	m := v.message()
	return m.GremlinAppendJSON(e, b)
}

// GremlinDecodeJSON reads the JSON form.
func (v *Bool) GremlinDecodeJSON(d *jsonrt.Decoder) {
	var m wkt.BoolValue
	m.GremlinDecodeJSON(d)
	*v = Bool(m.Value)
}

// EqualBool tells whether two values are the same.
func EqualBool(x, y bool) bool { return x == y }

// ReadBool returns what a Reader reads.
func ReadBool(r *wkt.BoolValueReader) bool { return r.GetValue() }

// String is a string in place of a google.protobuf.StringValue.
type String string

func (v *String) message() (m wkt.StringValue) {
	if v != nil {
		m.Value = string(*v)
	}
	return m
}

// Size returns the length of the message, without its own length.
func (v *String) Size() int {
	m := v.message()
	return m.Size()
}

// GremlinAppend appends the message.
func (v *String) GremlinAppend(b []byte, e *rt.Encoder) []byte {
	m := v.message()
	return m.GremlinAppend(b, e)
}

// GremlinDecode reads a message; of two the last value counts.
func (v *String) GremlinDecode(d *rt.Decoder, n, off uint) (next uint) {
	m := v.message()
	next = m.GremlinDecode(d, n, off)
	*v = String(m.Value)
	return next
}

// GremlinAppendJSON appends the JSON form.
func (v *String) GremlinAppendJSON(e *jsonrt.Encoder, b []byte) []byte {
	m := v.message()
	return m.GremlinAppendJSON(e, b)
}

// GremlinDecodeJSON reads the JSON form.
func (v *String) GremlinDecodeJSON(d *jsonrt.Decoder) {
	var m wkt.StringValue
	m.GremlinDecodeJSON(d)
	*v = String(m.Value)
}

// EqualString tells whether two values are the same.
func EqualString(x, y string) bool { return x == y }

// ReadString returns what a Reader reads.
func ReadString(r *wkt.StringValueReader) string { return r.GetValue() }

// Bytes is a []byte in place of a google.protobuf.BytesValue.
type Bytes []byte

func (v *Bytes) message() (m wkt.BytesValue) {
	if v != nil {
		m.Value = []byte(*v)
	}
	return m
}

// Size returns the length of the message, without its own length.
func (v *Bytes) Size() int {
	m := v.message()
	return m.Size()
}

// GremlinAppend appends the message.
func (v *Bytes) GremlinAppend(b []byte, e *rt.Encoder) []byte {
	m := v.message()
	return m.GremlinAppend(b, e)
}

// GremlinDecode reads a message; of two the last value counts.
func (v *Bytes) GremlinDecode(d *rt.Decoder, n, off uint) (next uint) {
	m := v.message()
	next = m.GremlinDecode(d, n, off)
	*v = Bytes(m.Value)
	return next
}

// GremlinAppendJSON appends the JSON form.
func (v *Bytes) GremlinAppendJSON(e *jsonrt.Encoder, b []byte) []byte {
	m := v.message()
	return m.GremlinAppendJSON(e, b)
}

// GremlinDecodeJSON reads the JSON form.
func (v *Bytes) GremlinDecodeJSON(d *jsonrt.Decoder) {
	var m wkt.BytesValue
	m.GremlinDecodeJSON(d)
	*v = Bytes(m.Value)
}

// EqualBytes tells whether two values are the same.
func EqualBytes(x, y []byte) bool { return bytes.Equal(x, y) }

// ReadBytes returns what a Reader reads.
func ReadBytes(r *wkt.BytesValueReader) []byte { return r.GetValue() }

// CloneBytes copies bytes behind a pointer.
func CloneBytes(x *[]byte) *[]byte {
	if x == nil {
		return nil
	}
	c := rt.CloneBytes(*x)
	return &c
}
