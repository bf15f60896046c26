package json

import (
	"math"
	"strconv"

	"github.com/octopus-framework/octopus/gremlin"
)

// integer reads an integer: digits, in quotes or not, or a number with a fraction or exponent whose value is an integer. Its
// absolute value is at most maxNegative or maxPositive.
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
	}
	if !ok || m > limit {
		d.fail(gremlin.BadValue, at, "")
		return 0, false
	}
	return m, negative
}

// integerSlow reads what is not just a few digits.
func (d *Decoder) integerSlow(c byte) (m uint64, negative, ok bool) {
	text := ""
	if c == '"' {
		if text = d.content(); numberEnd(text, 0) != len(text) {
			return 0, false, false
		}
	} else {
		text = d.number()
	}
	return parseInteger(text)
}

// parseInteger returns the value of a number if it is an integer of 64 bits. It takes time in proportion to the number's
// length, whatever its exponent.
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
		d.unexpected("true or false")
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
		if v, ok := d.shortFloat(size); ok {
			return v
		}
		text = d.number()
	}
	if d.code != 0 {
		return 0
	}
	v, err := strconv.ParseFloat(text, size)
	if err != nil {
		d.fail(gremlin.BadValue, at, "")
	}
	return v
}

// shortFloat reads a number of few digits without exponent: an integer that is exact divided by a power of ten that is exact.
func (d *Decoder) shortFloat(size int) (v float64, ok bool) {
	s, i := d.s, d.off
	negative := i < len(s) && s[i] == '-'
	if negative {
		i++
	}
	start, point := i, 0
	m := uint64(0)
	for i < len(s) {
		c := s[i] - '0'
		if c > 9 {
			if s[i] != '.' || point != 0 || i == start {
				break
			}
			point = i + 1
		} else {
			m = m*10 + uint64(c)
		}
		i++
	}
	n := i - start
	if n == 0 || n > 16 || m >= 1<<53 || point == i || i < len(s) && s[i]|0x20 == 'e' ||
		s[start] == '0' && n > 1 && point != start+2 {
		return 0, false
	}
	v = float64(m)
	if point != 0 {
		v /= pow10[i-point]
		if size == 32 {
			return 0, false // rounding twice is not rounding once
		}
	} else if size == 32 && m >= 1<<24 {
		return 0, false
	}
	if negative {
		v = -v
	}
	d.off = i
	return v, true
}

// Enum reads the name or the number of an enum value. It returns false for a name that is to be passed over.
func Enum[E ~int32](d *Decoder, v *E, info *gremlin.EnumInfo) bool {
	n, ok := d.enum(info)
	*v = E(n)
	return ok
}

// EnumElement is Enum for elements of lists and values of maps.
func EnumElement[E ~int32](d *Decoder, v *E, info *gremlin.EnumInfo) {
	if !Enum(d, v, info) && d.code == 0 {
		d.omit = true
	}
}

func (d *Decoder) enum(info *gremlin.EnumInfo) (n int32, ok bool) {
	switch c := d.next(); {
	case c == '"':
		at := d.off
		name := d.content()
		if n, ok := info.Number(name); ok {
			return n, true
		}
		if d.opts.DiscardUnknown {
			return 0, false
		}
		d.fail(gremlin.UnknownName, at, "unknown enum value "+strconv.Quote(name[:min(len(name), 100)]))
		return 0, false
	case c == 'n' && info.Name == nullValue:
		return 0, d.literal("null")
	}
	d.Int32(&n)
	return n, d.code == 0
}
