package wkt

import (
	"errors"
	"math"
	"time"
)

// The range of Timestamp and Duration: years 1 to 9999, and the 10,000 years that go with it.
const (
	minTimestamp = -62135596800
	maxTimestamp = 253402300799
	maxDuration  = 315576000000
)

var (
	errTimestamp = errors.New(
		"wkt: timestamp out of range: seconds must be of the years 1 to 9999, nanos 0 to 999999999")
	errDuration = errors.New(
		"wkt: duration out of range: at most 10,000 years, nanos below one second and of the sign of seconds")
)

// TimestampOf returns t as a Timestamp, to the nanosecond; the time zone is lost. Like time.Time it
// knows no leap seconds.
func TimestampOf(t time.Time) *Timestamp {
	return &Timestamp{Seconds: t.Unix(), Nanos: int32(t.Nanosecond())}
}

// AsTime returns the time in UTC; nil and the zero value are 1970-01-01T00:00:00Z.
func (m *Timestamp) AsTime() time.Time {
	return time.Unix(m.GetSeconds(), int64(m.GetNanos())).UTC()
}

// CheckValid returns an error when m is outside of what the protobuf documentation allows.
func (m *Timestamp) CheckValid() error { return checkTimestamp(m.GetSeconds(), m.GetNanos()) }

// AsTime returns the time in UTC; nil and the zero value are 1970-01-01T00:00:00Z.
func (r *TimestampReader) AsTime() time.Time {
	return time.Unix(r.GetSeconds(), int64(r.GetNanos())).UTC()
}

// CheckValid returns an error when r is outside of what the protobuf documentation allows.
func (r *TimestampReader) CheckValid() error { return checkTimestamp(r.GetSeconds(), r.GetNanos()) }

func checkTimestamp(seconds int64, nanos int32) error {
	if seconds < minTimestamp || seconds > maxTimestamp || nanos < 0 || nanos >= 1e9 {
		return errTimestamp
	}
	return nil
}

// DurationOf returns d as a Duration.
func DurationOf(d time.Duration) *Duration {
	return &Duration{Seconds: int64(d / time.Second), Nanos: int32(d % time.Second)}
}

// AsDuration returns the duration. What does not fit in 292 years is the longest or shortest
// time.Duration.
func (m *Duration) AsDuration() time.Duration { return duration(m.GetSeconds(), m.GetNanos()) }

// CheckValid returns an error when m is outside of what the protobuf documentation allows.
func (m *Duration) CheckValid() error { return checkDuration(m.GetSeconds(), m.GetNanos()) }

// AsDuration returns the duration. What does not fit in 292 years is the longest or shortest
// time.Duration.
func (r *DurationReader) AsDuration() time.Duration {
	return duration(r.GetSeconds(), r.GetNanos())
}

// CheckValid returns an error when r is outside of what the protobuf documentation allows.
func (r *DurationReader) CheckValid() error { return checkDuration(r.GetSeconds(), r.GetNanos()) }

func duration(seconds int64, nanos int32) time.Duration {
	d := time.Duration(seconds) * time.Second
	over := d/time.Second != time.Duration(seconds)
	sum := d + time.Duration(nanos)
	over = over || d > 0 && nanos > 0 && sum < 0 || d < 0 && nanos < 0 && sum > 0
	switch {
	case over && seconds < 0:
		return math.MinInt64
	case over:
		return math.MaxInt64
	}
	return sum
}

func checkDuration(seconds int64, nanos int32) error {
	if seconds < -maxDuration || seconds > maxDuration || nanos <= -1e9 || nanos >= 1e9 ||
		seconds > 0 && nanos < 0 || seconds < 0 && nanos > 0 {
		return errDuration
	}
	return nil
}

// TimestampNow returns the time that it is now.
func TimestampNow() *Timestamp { return TimestampOf(time.Now()) }
