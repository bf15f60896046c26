package std_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/octopus-framework/octopus/gremlin/std"
)

// put writes t and returns its message without the length.
func put(t *testing.T, at time.Time) ([]byte, error) {
	t.Helper()
	b := make([]byte, 32)
	i, err := std.PutTime(b, len(b), at)
	if err != nil {
		return nil, err
	}
	if n := int(b[i]); n != len(b)-i-1 || n != std.SizeTime(at) {
		t.Errorf("%v: length %d, %d bytes, SizeTime %d", at, n, len(b)-i-1, std.SizeTime(at))
	}
	return b[i+1:], nil
}

func TestTimeRoundTrip(t *testing.T) {
	for _, at := range []time.Time{
		{}, time.Unix(0, 0), time.Unix(0, 1), time.Unix(-1, 0), time.Unix(-1, 999999999),
		time.Unix(1e9, 1),
		time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC),
		time.Date(9999, 12, 31, 23, 59, 59, 999999999, time.UTC),
		time.Date(2026, 3, 1, 12, 0, 0, 5, time.FixedZone("east", 7200)),
	} {
		b, err := put(t, at)
		if err != nil {
			t.Errorf("%v: %v", at, err)
			continue
		}
		got, err := std.Time(b)
		if err != nil || !got.Equal(at) || got.Location() != time.UTC {
			t.Errorf("%v came back as %v, %v", at, got, err)
		}
	}
}

func TestTimeOutOfRange(t *testing.T) {
	for _, at := range []time.Time{
		time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC),
		time.Date(0, 12, 31, 23, 59, 59, 999999999, time.UTC),
		time.Unix(math.MaxInt64, 0), time.Unix(math.MinInt64, 0),
	} {
		if b, err := put(t, at); err == nil || !strings.HasPrefix(err.Error(), "timestamp: ") ||
			std.SizeTime(at) != 0 {
			t.Errorf("%v: %x, %v", at, b, err)
		}
	}
	for _, in := range []string{
		"\x08\x80\xc4\xa4\xde\xb0\x07",                 // the year 10000
		"\x10\x80\x94\xeb\xdc\x03",                     // nanos 1e9
		"\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", // nanos -1
		"\x08", "\x0a\x00", "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "\x00\x00", "\x0c",
	} {
		if got, err := std.Time([]byte(in)); err == nil {
			t.Errorf("%x is read as %v", in, got)
		}
	}
}

func TestTimeReadsTheLast(t *testing.T) {
	got, err := std.Time([]byte("\x08\x01\x1a\x01x\x10\x05\x08\x02"))
	if err != nil || !got.Equal(time.Unix(2, 5)) {
		t.Errorf("%v, %v", got, err)
	}
}

func TestDuration(t *testing.T) {
	for _, d := range []time.Duration{0, 1, -1, 999999999, -999999999, time.Second, -time.Second,
		1500 * time.Millisecond,
		math.MaxInt64, math.MinInt64} {
		b := make([]byte, 32)
		i := std.PutDuration(b, len(b), d)
		if n := int(b[i]); n != len(b)-i-1 || n != std.SizeDuration(d) {
			t.Errorf("%v: length %d, SizeDuration %d", d, n, std.SizeDuration(d))
		}
		if got, err := std.Duration(b[i+1:]); err != nil || got != d {
			t.Errorf("%v came back as %v, %v", d, got, err)
		}
	}
	for in, why := range map[string]string{
		"\x08\x80\xb0\x9c\xde\xca\x49":                         "seconds out of range",
		"\x10\x80\x94\xeb\xdc\x03":                             "nanos out of range",
		"\x08\x01\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01": "different signs",
		"\x08\x80\xa0\xb7\x87\xe9\x05":                         "out of range for time.Duration",
		"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x10\x01": "different signs",
		"\x08\xf4\xc7\xc1\xae\x22\x10\x80\x94\xeb\xdc\x02":     "out of range for time.Duration",

		"\x08\x8c\xb8\xbe\xd1\xdd\xff\xff\xff\xff\x01\x10\x80\xec\x94\xa3\xfd\xff\xff\xff\xff\x01": "out of range for time.Duration",
	} {
		if got, err := std.Duration([]byte(in)); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%x is read as %v, %v; want %s", in, got, err, why)
		}
	}
}

func TestWrappers(t *testing.T) {
	b := make([]byte, 32)
	for _, v := range []float64{0, math.Copysign(0, -1), 1.5, math.Inf(-1)} {
		i := std.PutDouble(b, len(b), v)
		if int(b[i]) != std.SizeDouble(v) {
			t.Errorf("%v: length %d, SizeDouble %d", v, b[i], std.SizeDouble(v))
		}
		if got, err := std.Double(b[i+1:]); err != nil || got != v {
			t.Errorf("%v came back as %v, %v", v, got, err)
		}
	}
	if got, err := std.String([]byte("\x0a\x01a\x12\x01x\x0a\x02bc")); err != nil || got != "bc" {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := std.Bytes([]byte("\x0a\x00")); err != nil || got == nil {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := std.Int64([]byte("\x0a\x00")); err == nil ||
		!strings.Contains(err.Error(), "wrong wireType = 2 for field Value") {
		t.Errorf("%v", err)
	}
	if _, err := std.Bool([]byte("\x08")); err == nil {
		t.Error("a bool is cut off and read")
	}
}

func TestAllocations(t *testing.T) {
	b, at := make([]byte, 32), time.Unix(1700000000, 5)
	if n := testing.AllocsPerRun(100, func() {
		i, err := std.PutTime(b, len(b), at)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := std.Time(b[i+1:]); err != nil {
			t.Fatal(err)
		}
		i = std.PutDuration(b, len(b), time.Hour+1)
		if _, err := std.Duration(b[i+1:]); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
