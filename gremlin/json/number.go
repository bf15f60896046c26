package json

import (
	"math"
	"math/bits"
	"strconv"
)

// digits is the numbers 00 to 99.
const digits = "00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748495051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899"

// tens[n] is the smallest number of n+1 digits.
var tens = [20]uint64{0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19}

// decimals returns how many digits v has.
func decimals(v uint64) int {
	n := bits.Len64(v|1) * 1233 >> 12 // log10(2), rounded down
	if v >= tens[n] {
		n++
	}
	return max(n, 1)
}

func appendInt(b []byte, v int64) []byte {
	if v < 0 {
		return appendUint(append(b, '-'), -uint64(v))
	}
	return appendUint(b, uint64(v))
}

func appendUint(b []byte, v uint64) []byte {
	if v < 10 {
		return append(b, '0'+byte(v))
	}
	n := decimals(v)
	at := len(b)
	b = grow(b, n)[:at+n]
	putUint(b[at:], v)
	return b
}

// putUint writes the digits of v, as many as w is long.
func putUint(w []byte, v uint64) {
	i := len(w)
	for v >= 10000 {
		q := v / 10000
		r := uint32(v - q*10000)
		v = q
		hi := r / 100
		lo := (r - hi*100) * 2
		hi *= 2
		i -= 4
		x := w[i : i+4]
		x[0], x[1], x[2], x[3] = digits[hi], digits[hi+1], digits[lo], digits[lo+1]
	}
	r := uint32(v)
	if r >= 100 {
		q := r / 100
		d := (r - q*100) * 2
		r = q
		i -= 2
		w[i], w[i+1] = digits[d], digits[d+1]
	}
	if r < 10 {
		w[0] = '0' + byte(r)
	} else {
		w[0], w[1] = digits[r*2], digits[r*2+1]
	}
}

// FloatField appends a field of type float. -0 is not zero.
func (e *Encoder) FloatField(b []byte, f *Field, v float32) []byte {
	if math.Float32bits(v) == 0 && !e.all {
		return b
	}
	return e.float(append(b, e.name(f)...), float64(v), 32)
}

// Float appends a value.
func (e *Encoder) Float(b []byte, v float32) []byte { return e.float(b, float64(v), 32) }

// DoubleField appends a field of type double. -0 is not zero.
func (e *Encoder) DoubleField(b []byte, f *Field, v float64) []byte {
	if math.Float64bits(v) == 0 && !e.all {
		return b
	}
	return e.float(append(b, e.name(f)...), v, 64)
}

// Double appends a value.
func (e *Encoder) Double(b []byte, v float64) []byte { return e.float(b, v, 64) }

// float appends the shortest decimal that is read as v again, in the form of JavaScript.
func (e *Encoder) float(b []byte, v float64, size int) []byte {
	switch {
	case v != v:
		return append(b, `"NaN"`...)
	case v > math.MaxFloat64:
		return append(b, `"Infinity"`...)
	case v < -math.MaxFloat64:
		return append(b, `"-Infinity"`...)
	}
	if math.Signbit(v) {
		b, v = append(b, '-'), -v
	}
	if e.opts.SixDigits {
		if m, exp, ok := sixDigits(v); ok {
			return appendDecimal(b, m, exp)
		}
	} else if v < 1<<24 || size == 64 && v < 1e15 {
		if m := uint64(v); float64(m) == v {
			return appendUint(b, m)
		}
		if size == 64 {
			if m, exp, ok := shortDecimal(v); ok {
				return appendDecimal(b, m, exp)
			}
		}
	}
	if !e.opts.SixDigits {
		m, exp := shortest(v, size)
		return appendDecimal(b, m, exp)
	}
	return appendSix(b, v)
}

// appendSix appends v, rounded to six digits, where sixDigits gives up.
func appendSix(b []byte, v float64) []byte {
	// One digit, a point, more digits, an exponent of two or three.
	var space [32]byte
	t := strconv.AppendFloat(space[:0], v, 'e', 5, 64)
	m, exp, i := uint64(t[0]-'0'), 0, 2
	for ; t[i] != 'e'; i++ {
		m, exp = m*10+uint64(t[i]-'0'), exp-1
	}
	x, _ := strconv.Atoi(string(t[i+1:]))
	return appendDecimal(b, m, exp+x)
}

// pow10 is the powers of ten that a double holds exactly.
var pow10 = [23]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
	1e19, 1e20, 1e21, 1e22}

// shortDecimal returns m and exp such that m*10**exp is the shortest decimal that is read as v, where that has up to 15 digits,
// as most numbers that people and programs write down have. 0 < v < 1e15. Decimals of 15 digits are all different doubles, so
// that it is enough to find one that is read as v: m is an exact integer and so is the power of ten, hence their quotient is
// what reading gives.
func shortDecimal(v float64) (m uint64, exp int, ok bool) {
	k := 15
	if v >= 1 {
		k -= decimals(uint64(v))
	} else {
		for limit := 0.1; v < limit; limit /= 10 {
			if k++; k > 20 {
				return 0, 0, false
			}
		}
	}
	// The conversion keeps machines that can from adding to an unrounded product: results are the same everywhere.
	x := float64(v*pow10[k]) + 0.5
	if x >= 1e15 {
		return 0, 0, false
	}
	m = uint64(x)
	return m, -k, float64(m)/pow10[k] == v
}

// sixDigits rounds v to six significant digits. It gives up where no power of ten that is exact leads there.
func sixDigits(v float64) (m uint64, exp int, ok bool) {
	switch {
	case v == 0:
		return 0, 0, true
	case v >= 1e15 || v < 1e-15:
		return 0, 0, false
	case v >= 1e6:
		exp = decimals(uint64(v)) - 6
		m = uint64(v/pow10[exp] + 0.5)
	default:
		for k := 0; k <= 20; k++ {
			if x := float64(v * pow10[k]); x >= 1e5 {
				m, exp = uint64(x+0.5), -k
				break
			}
		}
	}
	return m, exp, true
}

// appendDecimal appends m*10**exp as JavaScript writes it: with an exponent below 1e-6 and from 1e21 on.
func appendDecimal(b []byte, m uint64, exp int) []byte {
	for m >= 1e8 && m%1e8 == 0 {
		m, exp = m/1e8, exp+8
	}
	for m >= 10 && m%10 == 0 {
		m, exp = m/10, exp+1
	}
	n := decimals(m)
	point := n + exp // digits before the point
	at := len(b)
	switch {
	case m == 0:
		return append(b, '0')
	case point > 21 || point <= -6:
		b = appendUint(append(b, ' '), m)
		b[at] = b[at+1]
		if n > 1 {
			b[at+1] = '.'
		} else {
			b = b[:at+1]
		}
		b = append(b, 'e')
		if point > 0 {
			b = append(b, '+')
		}
		return appendInt(b, int64(point-1))
	case exp >= 0:
		return append(appendUint(b, m), "000000000000000000000"[:exp]...)
	case point > 0:
		b = appendUint(append(b, ' '), m)
		copy(b[at:at+point], b[at+1:])
		b[at+point] = '.'
		return b
	}
	return appendUint(append(append(b, "0."...), "00000"[:-point]...), m)
}
