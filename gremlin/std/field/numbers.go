package field

import (
	jsonrt "github.com/octopus-framework/octopus/gremlin/json/rt"
	"github.com/octopus-framework/octopus/gremlin/rt"
	"github.com/octopus-framework/octopus/gremlin/wkt"
)

// Double is a float64 in place of a google.protobuf.DoubleValue.
type Double float64

func (v *Double) message() (m wkt.DoubleValue) {
	if v != nil {
		m.Value = float64(*v)
	}
	return m
}

// Size returns the length of the message, without its own length.
func (v *Double) Size() int {
	m := v.message()
	return m.Size()
}

// GremlinAppend appends the message.
func (v *Double) GremlinAppend(b []byte, e *rt.Encoder) []byte {
	m := v.message()
	return m.GremlinAppend(b, e)
}

// GremlinDecode reads a message; of two the last value counts.
func (v *Double) GremlinDecode(d *rt.Decoder, n, off uint) (next uint) {
	m := v.message()
	next = m.GremlinDecode(d, n, off)
	*v = Double(m.Value)
	return next
}

// GremlinAppendJSON appends the JSON form.
func (v *Double) GremlinAppendJSON(e *jsonrt.Encoder, b []byte) []byte {
	m := v.message()
	return m.GremlinAppendJSON(e, b)
}

// GremlinDecodeJSON reads the JSON form.
func (v *Double) GremlinDecodeJSON(d *jsonrt.Decoder) {
	var m wkt.DoubleValue
	m.GremlinDecodeJSON(d)
	*v = Double(m.Value)
}

// EqualDouble tells whether two values are the same.
func EqualDouble(x, y float64) bool { return rt.EqualFloat(x, y) }

// ReadDouble returns what a Reader reads.
func ReadDouble(r *wkt.DoubleValueReader) float64 { return r.GetValue() }

// Float is a float32 in place of a google.protobuf.FloatValue.
type Float float32

func (v *Float) message() (m wkt.FloatValue) {
	if v != nil {
		m.Value = float32(*v)
	}
	return m
}

// Size returns the length of the message, without its own length.
func (v *Float) Size() int {
	m := v.message()
	return m.Size()
}

// GremlinAppend appends the message.
func (v *Float) GremlinAppend(b []byte, e *rt.Encoder) []byte {
	m := v.message()
	return m.GremlinAppend(b, e)
}

// GremlinDecode reads a message; of two the last value counts.
func (v *Float) GremlinDecode(d *rt.Decoder, n, off uint) (next uint) {
	m := v.message()
	next = m.GremlinDecode(d, n, off)
	*v = Float(m.Value)
	return next
}

// GremlinAppendJSON appends the JSON form.
func (v *Float) GremlinAppendJSON(e *jsonrt.Encoder, b []byte) []byte {
	m := v.message()
	return m.GremlinAppendJSON(e, b)
}

// GremlinDecodeJSON reads the JSON form.
func (v *Float) GremlinDecodeJSON(d *jsonrt.Decoder) {
	var m wkt.FloatValue
	m.GremlinDecodeJSON(d)
	*v = Float(m.Value)
}

// EqualFloat tells whether two values are the same.
func EqualFloat(x, y float32) bool { return rt.EqualFloat(x, y) }

// ReadFloat returns what a Reader reads.
func ReadFloat(r *wkt.FloatValueReader) float32 { return r.GetValue() }

// Int64 is an int64 in place of a google.protobuf.Int64Value.
type Int64 int64

func (v *Int64) message() (m wkt.Int64Value) {
	if v != nil {
		m.Value = int64(*v)
	}
	return m
}

// Size returns the length of the message, without its own length.
func (v *Int64) Size() int {
	m := v.message()
	return m.Size()
}

// GremlinAppend appends the message.
func (v *Int64) GremlinAppend(b []byte, e *rt.Encoder) []byte {
	m := v.message()
	return m.GremlinAppend(b, e)
}

// GremlinDecode reads a message; of two the last value counts.
func (v *Int64) GremlinDecode(d *rt.Decoder, n, off uint) (next uint) {
	m := v.message()
	next = m.GremlinDecode(d, n, off)
	*v = Int64(m.Value)
	return next
}

// GremlinAppendJSON appends the JSON form.
func (v *Int64) GremlinAppendJSON(e *jsonrt.Encoder, b []byte) []byte {
	m := v.message()
	return m.GremlinAppendJSON(e, b)
}

// GremlinDecodeJSON reads the JSON form.
func (v *Int64) GremlinDecodeJSON(d *jsonrt.Decoder) {
	var m wkt.Int64Value
	m.GremlinDecodeJSON(d)
	*v = Int64(m.Value)
}

// EqualInt64 tells whether two values are the same.
func EqualInt64(x, y int64) bool { return x == y }

// ReadInt64 returns what a Reader reads.
func ReadInt64(r *wkt.Int64ValueReader) int64 { return r.GetValue() }

// Uint64 is an uint64 in place of a google.protobuf.UInt64Value.
type Uint64 uint64

func (v *Uint64) message() (m wkt.UInt64Value) {
	if v != nil {
		m.Value = uint64(*v)
	}
	return m
}

// Size returns the length of the message, without its own length.
func (v *Uint64) Size() int {
	m := v.message()
	return m.Size()
}

// GremlinAppend appends the message.
func (v *Uint64) GremlinAppend(b []byte, e *rt.Encoder) []byte {
	m := v.message()
	return m.GremlinAppend(b, e)
}

// GremlinDecode reads a message; of two the last value counts.
func (v *Uint64) GremlinDecode(d *rt.Decoder, n, off uint) (next uint) {
	m := v.message()
	next = m.GremlinDecode(d, n, off)
	*v = Uint64(m.Value)
	return next
}

// GremlinAppendJSON appends the JSON form.
func (v *Uint64) GremlinAppendJSON(e *jsonrt.Encoder, b []byte) []byte {
	m := v.message()
	return m.GremlinAppendJSON(e, b)
}

// GremlinDecodeJSON reads the JSON form.
func (v *Uint64) GremlinDecodeJSON(d *jsonrt.Decoder) {
	var m wkt.UInt64Value
	m.GremlinDecodeJSON(d)
	*v = Uint64(m.Value)
}

// EqualUint64 tells whether two values are the same.
func EqualUint64(x, y uint64) bool { return x == y }

// ReadUint64 returns what a Reader reads.
func ReadUint64(r *wkt.UInt64ValueReader) uint64 { return r.GetValue() }

// Int32 is an int32 in place of a google.protobuf.Int32Value.
type Int32 int32

func (v *Int32) message() (m wkt.Int32Value) {
	if v != nil {
		m.Value = int32(*v)
	}
	return m
}

// Size returns the length of the message, without its own length.
func (v *Int32) Size() int {
	m := v.message()
	return m.Size()
}

// GremlinAppend appends the message.
func (v *Int32) GremlinAppend(b []byte, e *rt.Encoder) []byte {
	m := v.message()
	return m.GremlinAppend(b, e)
}

// GremlinDecode reads a message; of two the last value counts.
func (v *Int32) GremlinDecode(d *rt.Decoder, n, off uint) (next uint) {
	m := v.message()
	next = m.GremlinDecode(d, n, off)
	*v = Int32(m.Value)
	return next
}

// GremlinAppendJSON appends the JSON form.
func (v *Int32) GremlinAppendJSON(e *jsonrt.Encoder, b []byte) []byte {
	m := v.message()
	return m.GremlinAppendJSON(e, b)
}

// GremlinDecodeJSON reads the JSON form.
func (v *Int32) GremlinDecodeJSON(d *jsonrt.Decoder) {
	var m wkt.Int32Value
	m.GremlinDecodeJSON(d)
	*v = Int32(m.Value)
}

// EqualInt32 tells whether two values are the same.
func EqualInt32(x, y int32) bool { return x == y }

// ReadInt32 returns what a Reader reads.
func ReadInt32(r *wkt.Int32ValueReader) int32 { return r.GetValue() }

// Uint32 is an uint32 in place of a google.protobuf.UInt32Value.
type Uint32 uint32

func (v *Uint32) message() (m wkt.UInt32Value) {
	if v != nil {
		m.Value = uint32(*v)
	}
	return m
}

// Size returns the length of the message, without its own length.
func (v *Uint32) Size() int {
	m := v.message()
	return m.Size()
}

// GremlinAppend appends the message.
func (v *Uint32) GremlinAppend(b []byte, e *rt.Encoder) []byte {
	m := v.message()
	return m.GremlinAppend(b, e)
}

// GremlinDecode reads a message; of two the last value counts.
func (v *Uint32) GremlinDecode(d *rt.Decoder, n, off uint) (next uint) {
	m := v.message()
	next = m.GremlinDecode(d, n, off)
	*v = Uint32(m.Value)
	return next
}

// GremlinAppendJSON appends the JSON form.
func (v *Uint32) GremlinAppendJSON(e *jsonrt.Encoder, b []byte) []byte {
	m := v.message()
	return m.GremlinAppendJSON(e, b)
}

// GremlinDecodeJSON reads the JSON form.
func (v *Uint32) GremlinDecodeJSON(d *jsonrt.Decoder) {
	var m wkt.UInt32Value
	m.GremlinDecodeJSON(d)
	*v = Uint32(m.Value)
}

// EqualUint32 tells whether two values are the same.
func EqualUint32(x, y uint32) bool { return x == y }

// ReadUint32 returns what a Reader reads.
func ReadUint32(r *wkt.UInt32ValueReader) uint32 { return r.GetValue() }
