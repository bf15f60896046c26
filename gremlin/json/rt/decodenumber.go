package rt

import (
	"math"
	"strconv"
	"strings"

	"github.com/octopus-framework/octopus/gremlin/rt"
)

// integer reads an integer: digits, in quotes or not, or a number with a fraction or exponent whose
// value is an integer. Its absolute value is at most maxNegative or maxPositive.
func (d *Decoder) integer(maxNegative, maxPositive uint64) (m uint64, negative bool) {
	c := d.next()
	s, at := d.s, d.off
	i := at
	if c == '"' {
		i++
	}
	if i < len(s) && s[i] == '-' {
		negative = true
		i++
	}
	start := i
	for i < len(s) {
		digit := s[i] - '0'
		if digit > 9 {
			break
		}
		m = m*10 + uint64(digit)
		i++
	}
	n := i - start
	ok := n != 0 && n < 20 && (n == 1 || s[start] != '0')
	if c == '"' {
		ok = ok && i < len(s) && s[i] == '"'
		i++
	} else if ok && i < len(s) {
		ok = s[i] != '.' && s[i]|0x20 != 'e'
	}
	if ok {
		d.off = i
	} else if m, negative, ok = d.integerSlow(c); d.code != 0 {
		return 0, false
	}
	limit := maxPositive
	if negative {
		limit = maxNegative
		// -0 may be a number without sign, but not the key of one
		ok = ok && (limit != 0 || c != '"' || d.next() != ':')
	}
	if !ok || m > limit {
		d.fail(rt.BadValue, at, whyNoInteger(s, at, maxNegative, maxPositive))
		return 0, false
	}
	return m, negative
}

// integerSlow reads what is not just a few digits.
func (d *Decoder) integerSlow(c byte) (m uint64, negative, ok bool) {
	text := ""
	if c == '"' {
		text = d.content()
		isKey := d.next() == ':' // of a map
		if numberEnd(text, 0) != len(text) || isKey && strings.ContainsAny(text, ".eE") {
			return 0, false, false
		}
	} else {
		text = d.number("a number")
	}
	return parseInteger(text)
}

// parseInteger returns the value of a number if it is an integer of 64 bits. It takes time in
// proportion to the number's length, whatever its exponent.
func parseInteger(s string) (m uint64, negative, ok bool) {
	if s == "" {
		return 0, false, false
	}
	if s[0] == '-' {
		negative, s = true, s[1:]
	}
	var digits, fraction, exponent int64
	i := 0
	for point := false; i < len(s) && s[i]|0x20 != 'e'; i++ {
		if s[i] == '.' {
			point = true
			continue
		}
		digits++
		if point {
			fraction++
		}
	}
	if i < len(s) {
		text := s[i+1:]
		minus := text[0] == '-'
		if minus || text[0] == '+' {
			text = text[1:]
		}
		for j := range len(text) {
			exponent = min(exponent*10+int64(text[j]-'0'), 1<<40) // more than any number has digits
		}
		if minus {
			exponent = -exponent
		}
	}
	shift := exponent - fraction // the value is all digits * 10**shift
	for _, c := range []byte(s[:i]) {
		if c == '.' {
			continue
		}
		if digits--; digits < -shift {
			if c != '0' {
				return 0, false, false
			}
			continue
		}
		if m > (math.MaxUint64-uint64(c-'0'))/10 {
			return 0, false, false
		}
		m = m*10 + uint64(c-'0')
	}
	for ; shift > 0 && m != 0; shift-- {
		if m > math.MaxUint64/10 {
			return 0, false, false
		}
		m *= 10
	}
	return m, negative, true
}

// Int32 reads an int32, sint32 or sfixed32.
func (d *Decoder) Int32(v *int32) {
	m, negative := d.integer(1<<31, 1<<31-1)
	if negative {
		m = -m
	}
	*v = int32(m)
}

// Int64 reads an int64, sint64 or sfixed64.
func (d *Decoder) Int64(v *int64) {
	m, negative := d.integer(1<<63, 1<<63-1)
	if negative {
		m = -m
	}
	*v = int64(m)
}

// Uint32 reads a uint32 or fixed32.
func (d *Decoder) Uint32(v *uint32) {
	m, _ := d.integer(0, 1<<32-1)
	*v = uint32(m)
}

// Uint64 reads a uint64 or fixed64.
func (d *Decoder) Uint64(v *uint64) {
	m, _ := d.integer(0, 1<<64-1)
	*v = m
}

// Bool reads a bool.
func (d *Decoder) Bool(v *bool) {
	switch d.next() {
	case 't':
		*v = d.literal("true")
	case 'f':
		d.literal("false")
		*v = false
	default:
		d.wrongValue("true or false")
	}
}

// Float reads a float.
func (d *Decoder) Float(v *float32) { *v = float32(d.float(32)) }

// Double reads a double.
func (d *Decoder) Double(v *float64) { *v = d.float(64) }

// float reads a number, in quotes or not, or the name of one that JSON cannot write.
func (d *Decoder) float(size int) float64 {
	c := d.next()
	at := d.off
	var text string
	if c == '"' {
		switch text = d.content(); text {
		case "NaN":
			return math.NaN()
		case "Infinity":
			return math.Inf(1)
		case "-Infinity":
			return math.Inf(-1)
		}
		if numberEnd(text, 0) != len(text) {
			text = ""
		}
	} else {
		if v, ok := d.usualFloat(size); ok {
			return v
		}
		text = d.number("a number")
	}
	if d.code != 0 {
		return 0
	}
	v, err := strconv.ParseFloat(text, size)
	if err != nil {
		why := isNoNumber
		if text != "" {
			why = isTooLarge
		}
		d.fail(rt.BadValue, at, why)
	}
	return v
}

// usualFloat reads a number of up to 19 digits. It reads nothing where that does not lead to the
// nearest number for sure.
func (d *Decoder) usualFloat(size int) (v float64, ok bool) {
	s, i := d.s, d.off
	negative := i < len(s) && s[i] == '-'
	if negative {
		i++
	}
	m, start := uint64(0), i
	for i < len(s) && s[i]-'0' <= 9 {
		m = m*10 + uint64(s[i]-'0')
		i++
	}
	n, exp := i-start, 0
	if n == 0 || n > 1 && s[start] == '0' {
		return 0, false
	}
	if i < len(s) && s[i] == '.' {
		i++
		point := i
		for i+8 <= len(s) {
			x, all := eightDigits(load(s, i))
			if !all {
				break
			}
			m = m*1e8 + x
			i += 8
		}
		for i < len(s) && s[i]-'0' <= 9 {
			m = m*10 + uint64(s[i]-'0')
			i++
		}
		if exp = point - i; exp == 0 {
			return 0, false
		}
		n -= exp
	}
	if i < len(s) && s[i]|0x20 == 'e' {
		i++
		minus := i < len(s) && s[i] == '-'
		if minus || i < len(s) && s[i] == '+' {
			i++
		}
		x, first := 0, i
		for i < len(s) && s[i]-'0' <= 9 && x < 1000 {
			x = x*10 + int(s[i]-'0')
			i++
		}
		if i == first || x >= 1000 {
			return 0, false
		}
		if minus {
			x = -x
		}
		exp += x
	}
	switch {
	case n > 19:
		return 0, false // m has overflowed
	case m < 1<<53 && exp == 0:
		v = float64(m)
	case m < 1<<53 && exp < 0 && exp >= -22:
		v = float64(m) / pow10[-exp] // both are exact, so that the quotient is rounded once
	default:
		if v, ok = nearest(m, exp); !ok {
			return 0, false
		}
	}
	if size == 32 {
		// v has been rounded already. That does not matter unless it is next to the middle between
		// two floats.
		if r := math.Float64bits(v)&(1<<29-1) - (1<<28 - 1); r <= 2 || v != 0 &&
			(v < 0x1p-126 || v > math.MaxFloat32) {
			return 0, false
		}
		v = float64(float32(v))
	}
	if negative {
		v = -v
	}
	d.off = i
	return v, true
}

// eightDigits returns the value of eight digits, and whether all are.
func eightDigits(w uint64) (x uint64, all bool) {
	w -= ones * '0'
	if (w|(w+ones*0x76))&highs != 0 {
		return 0, false
	}
	w = w*10 + w>>8 // pairs, in every other byte
	return (w&0x000000ff000000ff*(1000000<<32|100) + w>>16&0x000000ff000000ff*(10000<<32|1)) >> 32,
		true
}

// Enum reads the name or the number of an enum value. It returns false for a name that is to be
// passed over.
func Enum[E ~int32](d *Decoder, v *E, info *rt.EnumInfo) bool {
	n, ok := d.enum(info)
	*v = E(n)
	return ok
}

// EnumElement is Enum for elements of lists and values of maps.
func EnumElement[E ~int32](d *Decoder, v *E, info *rt.EnumInfo) {
	if !Enum(d, v, info) && d.code == 0 {
		d.omit = true
	}
}

func (d *Decoder) enum(info *rt.EnumInfo) (n int32, ok bool) {
	switch c := d.next(); {
	case c == '"':
		at := d.off
		name := d.content()
		if n, ok := info.Number(name); ok {
			return n, true
		}
		if d.discard {
			return 0, false
		}
		d.fail(rt.UnknownName, at, "unknown enum value "+strconv.Quote(name[:min(len(name), 100)]))
		return 0, false
	case c == 'n' && info.Name == nullValue:
		return 0, d.literal("null")
	}
	d.Int32(&n)
	return n, d.code == 0
}
