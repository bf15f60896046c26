package rt

import (
	"strings"

	"github.com/octopus-framework/octopus/gremlin/rt"
)

// The range of Timestamp and Duration: years 1 to 9999, and the 10,000 years that go with it.
const (
	minTimestamp = -62135596800
	maxTimestamp = 253402300799
	maxDuration  = 315576000000
)

// appendNanos appends a fraction of 0, 3, 6 or 9 digits.
func appendNanos(b []byte, nanos uint64) []byte {
	if nanos == 0 {
		return b
	}
	one := uint64(1e9)
	for nanos%1000 == 0 {
		nanos, one = nanos/1000, one/1000
	}
	at := len(b)
	b = appendUint(b, one+nanos) // with all the zeros between
	b[at] = '.'
	return b
}

// civil returns the date of a day that is counted from 1970-01-01, in the Gregorian calendar (after
// Howard Hinnant's days_from_civil). Years are counted from March on, in eras of 400 years, so that
// leap days come last.
func civil(day int64) (year, month, dom uint64) {
	z := uint64(day + 719468)
	era := z / 146097
	doe := z - era*146097
	yoe := (doe - doe/1460 + doe/36524 - doe/146096) / 365
	doy := doe - (365*yoe + yoe/4 - yoe/100)
	mp := (5*doy + 2) / 153
	year, month, dom = yoe+era*400, mp+3, doy-(153*mp+2)/5+1
	if month > 12 {
		year, month = year+1, month-12
	}
	return year, month, dom
}

// dayOf is the inverse of civil.
func dayOf(year, month, dom int64) int64 {
	if month <= 2 {
		year, month = year-1, month+12
	}
	era := year / 400
	if year < 0 {
		era = -1
	}
	yoe := year - era*400
	doy := (153*(month-3)+2)/5 + dom - 1
	return era*146097 + yoe*365 + yoe/4 - yoe/100 + doy - 719468
}

// Timestamp appends a google.protobuf.Timestamp.
func (e *Encoder) Timestamp(b []byte, seconds int64, nanos int32) []byte {
	if seconds < minTimestamp || seconds > maxTimestamp || nanos < 0 || nanos >= 1e9 {
		return e.fail(b, rt.BadValue, "timestamp out of range")
	}
	day := (seconds-minTimestamp)/86400 + minTimestamp/86400
	second := uint64(seconds - day*86400)
	year, month, dom := civil(day)
	h, m, s := second/3600, second/60%60, second%60
	pair := func(x uint64) (byte, byte) { return '0' + byte(x/10), '0' + byte(x%10) }
	t := []byte(`"0000-00-00T00:00:00`)
	t[1], t[2] = pair(year / 100)
	t[3], t[4] = pair(year % 100)
	t[6], t[7] = pair(month)
	t[9], t[10] = pair(dom)
	t[12], t[13] = pair(h)
	t[15], t[16] = pair(m)
	t[18], t[19] = pair(s)
	return append(appendNanos(append(b, t...), uint64(nanos)), 'Z', '"')
}

// Duration appends a google.protobuf.Duration.
func (e *Encoder) Duration(b []byte, seconds int64, nanos int32) []byte {
	if seconds < -maxDuration || seconds > maxDuration || nanos <= -1e9 || nanos >= 1e9 ||
		seconds > 0 && nanos < 0 || seconds < 0 && nanos > 0 {
		return e.fail(b, rt.BadValue, "duration out of range")
	}
	b = append(b, '"')
	if seconds < 0 || nanos < 0 {
		b, seconds, nanos = append(b, '-'), -seconds, -nanos
	}
	return append(appendNanos(appendInt(b, seconds), uint64(nanos)), 's', '"')
}

// fraction parses a point and up to nine digits at the start of s, as nanoseconds.
func fraction(s string) (nanos int64, rest string, ok bool) {
	if s == "" || s[0] != '.' {
		return 0, s, true
	}
	n := 0
	for s = s[1:]; s != "" && s[0]-'0' <= 9; s = s[1:] {
		nanos, n = nanos*10+int64(s[0]-'0'), n+1
		if n > 9 {
			return 0, s, false
		}
	}
	for i := n; i < 9; i++ {
		nanos *= 10
	}
	return nanos, s, n > 0
}

// fixed parses the digits at s[i:j].
func fixed(s string, i, j int) (x int64, ok bool) {
	for ; i < j; i++ {
		if s[i]-'0' > 9 {
			return 0, false
		}
		x = x*10 + int64(s[i]-'0')
	}
	return x, true
}

// Timestamp reads a google.protobuf.Timestamp: RFC 3339 with capital letters and any offset.
func (d *Decoder) Timestamp(seconds *int64, nanos *int32) {
	d.next()
	at := d.off
	s, n, ok := parseTimestamp(d.content())
	if !ok && d.code == 0 {
		d.fail(rt.BadValue, at, "not a timestamp of the form 2006-01-02T15:04:05.999999999Z")
	}
	*seconds, *nanos = s, n
}

var daysIn = [13]int64{0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}

func parseTimestamp(t string) (seconds int64, nanos int32, ok bool) {
	const form = "0000-00-00T00:00:00"
	if len(t) <= len(form) || t[4] != '-' || t[7] != '-' || t[10] != 'T' || t[13] != ':' ||
		t[16] != ':' {
		return 0, 0, false
	}
	year, ok1 := fixed(t, 0, 4)
	month, ok2 := fixed(t, 5, 7)
	dom, ok3 := fixed(t, 8, 10)
	h, ok4 := fixed(t, 11, 13)
	m, ok5 := fixed(t, 14, 16)
	s, ok6 := fixed(t, 17, 19)
	ok = ok1 && ok2 && ok3 && ok4 && ok5 && ok6
	if !ok || month < 1 || month > 12 || dom < 1 || h > 23 || m > 59 || s > 59 {
		return 0, 0, false
	}
	last := daysIn[month]
	if month == 2 && year%4 == 0 && (year%100 != 0 || year%400 == 0) {
		last = 29
	}
	n, rest, ok := fraction(t[len(form):])
	if !ok || dom > last {
		return 0, 0, false
	}
	seconds = dayOf(year, month, dom)*86400 + h*3600 + m*60 + s
	if rest != "Z" {
		if len(rest) != 6 || rest[0] != '+' && rest[0] != '-' || rest[3] != ':' {
			return 0, 0, false
		}
		oh, ok1 := fixed(rest, 1, 3)
		om, ok2 := fixed(rest, 4, 6)
		if !ok1 || !ok2 || oh > 23 || om > 59 {
			return 0, 0, false
		}
		if rest[0] == '+' {
			oh, om = -oh, -om
		}
		seconds += oh*3600 + om*60
	}
	return seconds, int32(n), seconds >= minTimestamp && seconds <= maxTimestamp
}

// Duration reads a google.protobuf.Duration.
func (d *Decoder) Duration(seconds *int64, nanos *int32) {
	d.next()
	at := d.off
	s, n, ok := parseDuration(d.content())
	if !ok && d.code == 0 {
		d.fail(rt.BadValue, at, "not a duration of the form 1.5s")
	}
	*seconds, *nanos = s, n
}

func parseDuration(t string) (seconds int64, nanos int32, ok bool) {
	t, ok = strings.CutSuffix(t, "s")
	t, negative := strings.CutPrefix(t, "-")
	digits := 0
	for ; digits < len(t) && t[digits]-'0' <= 9; digits++ {
		if seconds = seconds*10 + int64(t[digits]-'0'); seconds > maxDuration {
			return 0, 0, false
		}
	}
	n, rest, valid := fraction(t[digits:])
	if !ok || !valid || rest != "" || digits == 0 || digits > 1 && t[0] == '0' {
		return 0, 0, false
	}
	if negative {
		return -seconds, -int32(n), true
	}
	return seconds, int32(n), true
}
