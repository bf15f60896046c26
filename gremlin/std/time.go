package std

import (
	"strconv"
	"time"

	"github.com/octopus-framework/octopus/gremlin/gogo"
)

// The range of google.protobuf.Timestamp, the years 1 to 9999, and of google.protobuf.Duration,
// 10,000 years.
const (
	minTime     = -62135596800
	maxTime     = 253402300799
	maxDuration = 315576000000
)

var (
	fileErrors = gogo.Errors{
		InvalidLength:        gogo.NewError("proto: negative length found during unmarshaling"),
		IntOverflow:          gogo.NewError("proto: integer overflow"),
		UnexpectedEndOfGroup: gogo.NewError("proto: unexpected end of group"),
	}
	timestampInfo = gogo.Message{Name: "Timestamp", Errors: &fileErrors, Fields: secondsAndNanos}
	durationInfo  = gogo.Message{Name: "Duration", Errors: &fileErrors, Fields: secondsAndNanos}
)

var secondsAndNanos = []gogo.Field{{Number: 1, Name: "Seconds"}, {Number: 2, Name: "Nanos"}}

func rangeError(what string, seconds int64, nanos int32, why string) error {
	return gogo.NewError(what + ": seconds:" + strconv.FormatInt(seconds, 10) + " nanos:" +
		strconv.Itoa(int(nanos)) + ": " + why)
}

func checkTime(seconds int64, nanos int32) error {
	switch {
	case seconds < minTime:
		return rangeError("timestamp", seconds, nanos, "before 0001-01-01")
	case seconds > maxTime:
		return rangeError("timestamp", seconds, nanos, "after 10000-01-01")
	case nanos < 0 || nanos >= 1e9:
		return rangeError("timestamp", seconds, nanos, "nanos not in range [0, 1e9)")
	}
	return nil
}

// SizeTime returns the length of t's message, without its own length. What is out of range has
// none, and is an error when it is written.
func SizeTime(t time.Time) int {
	seconds := t.Unix()
	if seconds < minTime || seconds > maxTime {
		return 0
	}
	return sizePair(seconds, int32(t.Nanosecond()))
}

// PutTime writes t, or returns an error when t lies outside of the years 1 to 9999.
func PutTime(b []byte, i int, t time.Time) (int, error) {
	seconds, nanos := t.Unix(), int32(t.Nanosecond())
	if seconds < minTime || seconds > maxTime {
		return 0, checkTime(seconds, nanos)
	}
	return putPair(b, i, seconds, nanos), nil
}

// Time reads a time, in UTC.
func Time(b []byte) (time.Time, error) {
	seconds, nanos, err := pair(b, &timestampInfo)
	if err == nil {
		err = checkTime(seconds, nanos)
	}
	if err != nil {
		return time.Time{}, err
	}
	return time.Unix(seconds, int64(nanos)).UTC(), nil
}

// SizeDuration returns the length of d's message, without its own length.
func SizeDuration(d time.Duration) int {
	return sizePair(int64(d/time.Second), int32(d%time.Second))
}

// PutDuration writes d.
func PutDuration(b []byte, i int, d time.Duration) int {
	return putPair(b, i, int64(d/time.Second), int32(d%time.Second))
}

// Duration reads a duration. One that google.protobuf.Duration allows and that does not fit in a
// time.Duration, which ends at 292 years, is an error too.
func Duration(b []byte) (time.Duration, error) {
	seconds, nanos, err := pair(b, &durationInfo)
	switch {
	case err != nil:
		return 0, err
	case seconds < -maxDuration || seconds > maxDuration:
		return 0, rangeError("duration", seconds, nanos, "seconds out of range")
	case nanos <= -1e9 || nanos >= 1e9:
		return 0, rangeError("duration", seconds, nanos, "nanos out of range")
	case seconds < 0 && nanos > 0 || seconds > 0 && nanos < 0:
		return 0, rangeError("duration", seconds, nanos, "seconds and nanos have different signs")
	}
	d := time.Duration(seconds) * time.Second
	if int64(d/time.Second) != seconds {
		return 0, rangeError("duration", seconds, nanos, "out of range for time.Duration")
	}
	if nanos != 0 {
		if d += time.Duration(nanos); (d < 0) != (nanos < 0) {
			return 0, rangeError("duration", seconds, nanos, "out of range for time.Duration")
		}
	}
	return d, nil
}

// A pair is what Timestamp and Duration have in common: seconds with number 1, nanos with number 2,
// zero not written.

func sizePair(seconds int64, nanos int32) (n int) {
	if seconds != 0 {
		n = 1 + gogo.SizeVarint(uint64(seconds))
	}
	if nanos != 0 {
		n += 1 + gogo.SizeVarint(uint64(nanos))
	}
	return n
}

func putPair(b []byte, i int, seconds int64, nanos int32) int {
	end := i
	if nanos != 0 {
		i = gogo.PutVarint(b, i, uint64(nanos)) - 1
		b[i] = 0x10
	}
	if seconds != 0 {
		i = gogo.PutVarint(b, i, uint64(seconds)) - 1
		b[i] = 0x08
	}
	i--
	b[i] = byte(end - i - 1) // at most 22
	return i
}

func pair(b []byte, m *gogo.Message) (seconds int64, nanos int32, err error) {
	i := 0
	for uint(i) < uint(len(b)) {
		var tag, v uint64
		at := i
		switch tag, i = gogo.Tag(b, i); tag {
		case 0x08:
			v, i = gogo.Varint(b, i)
			seconds = int64(v)
		case 0x10:
			v, i = gogo.Varint(b, i)
			nanos = int32(v)
		default:
			if _, i, err = m.Unknown(b, at, i, tag); err != nil {
				return 0, 0, err
			}
		}
	}
	if i < 0 {
		return 0, 0, m.Error(i)
	}
	return seconds, nanos, nil
}
