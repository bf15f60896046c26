package wkt

import (
	"math"
	"testing"
	"time"
)

func TestTimestampRoundTrip(t *testing.T) {
	for _, want := range []time.Time{
		{},
		time.Unix(0, 0).UTC(),
		time.Date(1969, 12, 31, 23, 59, 59, 999999999, time.UTC),
		time.Date(9999, 12, 31, 23, 59, 59, 999999999, time.UTC),
		time.Date(2026, 2, 28, 1, 2, 3, 4, time.FixedZone("x", 3600)),
	} {
		m := TimestampOf(want)
		if err := m.CheckValid(); err != nil {
			t.Errorf("%v: %v", want, err)
		}
		r := NewTimestampReader()
		if err := r.Unmarshal(m.Marshal()); err != nil {
			t.Fatal(err)
		}
		if !m.AsTime().Equal(want) || !r.AsTime().Equal(want) || m.AsTime().Location() != time.UTC {
			t.Errorf("%v came back as %v and %v", want, m.AsTime(), r.AsTime())
		}
	}
	var none *Timestamp
	if got := none.AsTime(); !got.Equal(time.Unix(0, 0)) {
		t.Errorf("nil is %v", got)
	}
}

func TestTimestampRange(t *testing.T) {
	for _, m := range []*Timestamp{{Seconds: minTimestamp - 1}, {Seconds: maxTimestamp + 1},
		{Nanos: -1}, {Nanos: 1e9}} {
		if m.CheckValid() == nil {
			t.Errorf("%v is said to be valid", m)
		}
	}
}

func TestDuration(t *testing.T) {
	for _, want := range []time.Duration{0, 1, -1, time.Second, -1500 * time.Millisecond,
		math.MaxInt64, math.MinInt64} {
		m := DurationOf(want)
		r := NewDurationReader()
		if err := r.Unmarshal(m.Marshal()); err != nil {
			t.Fatal(err)
		}
		if m.AsDuration() != want || r.AsDuration() != want || m.CheckValid() != nil {
			t.Errorf("%v came back as %v and %v", want, m.AsDuration(), r.AsDuration())
		}
	}
	for _, c := range []struct {
		m    *Duration
		want time.Duration
	}{
		{&Duration{Seconds: math.MaxInt64}, math.MaxInt64},
		{&Duration{Seconds: math.MinInt64}, math.MinInt64},
		{&Duration{Seconds: math.MaxInt64 / 1_000_000_000, Nanos: 999999999}, math.MaxInt64},
		{&Duration{Seconds: math.MinInt64 / 1_000_000_000, Nanos: -999999999}, math.MinInt64},
	} {
		if got := c.m.AsDuration(); got != c.want {
			t.Errorf("%v is %d, want %d", c.m, got, c.want)
		}
	}
	for _, m := range []*Duration{{Seconds: 1, Nanos: -1}, {Seconds: -1, Nanos: 1}, {Nanos: 1e9},
		{Seconds: maxDuration + 1}} {
		if m.CheckValid() == nil {
			t.Errorf("%v is said to be valid", m)
		}
	}
}
