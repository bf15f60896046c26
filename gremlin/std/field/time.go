package field

import (
	"time"

	jsonrt "github.com/octopus-framework/octopus/gremlin/json/rt"
	"github.com/octopus-framework/octopus/gremlin/rt"
	"github.com/octopus-framework/octopus/gremlin/wkt"
)

// Time is a time.Time in place of a google.protobuf.Timestamp.
type Time time.Time

func (t *Time) message() (m wkt.Timestamp) {
	if t != nil {
		m.Seconds, m.Nanos = time.Time(*t).Unix(), int32(time.Time(*t).Nanosecond())
	}
	return m
}

func (t *Time) set(m *wkt.Timestamp) { *t = Time(time.Unix(m.Seconds, int64(m.Nanos)).UTC()) }

// start returns what a Timestamp that comes next is merged into.
func (t *Time) start() wkt.Timestamp {
	if time.Time(*t).IsZero() {
		return wkt.Timestamp{} // nothing was read yet
	}
	return t.message()
}

// Size returns the length of the message, without its own length.
func (t *Time) Size() int {
	m := t.message()
	return m.Size()
}

// GremlinAppend appends the message.
func (t *Time) GremlinAppend(b []byte, e *rt.Encoder) []byte {
	m := t.message()
	return m.GremlinAppend(b, e)
}

// GremlinDecode reads a message; of two the fields are merged.
func (t *Time) GremlinDecode(d *rt.Decoder, n, off uint) (next uint) {
	m := t.start()
	next = m.GremlinDecode(d, n, off)
	t.set(&m)
	return next
}

// GremlinAppendJSON appends the JSON form.
func (t *Time) GremlinAppendJSON(e *jsonrt.Encoder, b []byte) []byte {
	m := t.message()
	return m.GremlinAppendJSON(e, b)
}

// GremlinDecodeJSON reads the JSON form.
func (t *Time) GremlinDecodeJSON(d *jsonrt.Decoder) {
	var m wkt.Timestamp
	m.GremlinDecodeJSON(d)
	t.set(&m)
}

// EqualTime tells whether two times are the same instant.
func EqualTime(x, y time.Time) bool { return x.Equal(y) }

// ReadTime returns what a Reader reads.
func ReadTime(r *wkt.TimestampReader) time.Time { return r.AsTime() }

// Duration is a time.Duration in place of a google.protobuf.Duration.
type Duration time.Duration

func (t *Duration) message() (m wkt.Duration) {
	if t != nil {
		m.Seconds = int64(time.Duration(*t) / time.Second)
		m.Nanos = int32(time.Duration(*t) % time.Second)
	}
	return m
}

// Size returns the length of the message, without its own length.
func (t *Duration) Size() int {
	m := t.message()
	return m.Size()
}

// GremlinAppend appends the message.
func (t *Duration) GremlinAppend(b []byte, e *rt.Encoder) []byte {
	m := t.message()
	return m.GremlinAppend(b, e)
}

// GremlinDecode reads a message; of two the fields are merged.
func (t *Duration) GremlinDecode(d *rt.Decoder, n, off uint) (next uint) {
	m := t.message()
	next = m.GremlinDecode(d, n, off)
	*t = Duration(m.AsDuration())
	return next
}

// GremlinAppendJSON appends the JSON form.
func (t *Duration) GremlinAppendJSON(e *jsonrt.Encoder, b []byte) []byte {
	m := t.message()
	return m.GremlinAppendJSON(e, b)
}

// GremlinDecodeJSON reads the JSON form.
func (t *Duration) GremlinDecodeJSON(d *jsonrt.Decoder) {
	var m wkt.Duration
	m.GremlinDecodeJSON(d)
	*t = Duration(m.AsDuration())
}

// EqualDuration tells whether two durations are the same.
func EqualDuration(x, y time.Duration) bool { return x == y }

// ReadDuration returns what a Reader reads.
func ReadDuration(r *wkt.DurationReader) time.Duration { return r.AsDuration() }

// EqualPointers tells whether both are nil or point to values that equal says are the same.
func EqualPointers[T any](x, y *T, equal func(x, y T) bool) bool {
	if x == nil || y == nil {
		return x == y
	}
	return equal(*x, *y)
}
