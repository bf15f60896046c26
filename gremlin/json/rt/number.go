package rt

import (
	"math"
	"math/bits"
	"strconv"
)

// FloatField appends a field of type float. -0 is not zero.
func (e *Encoder) FloatField(b []byte, f *Field, v float32) []byte {
	if math.Float32bits(v) == 0 && !e.all {
		return b
	}
	return e.Float(append(b, e.name(f)...), v)
}

// Float appends a value.
func (e *Encoder) Float(b []byte, v float32) []byte {
	b = grow(b, floatRoom)
	return b[:e.putFloat(b, len(b), float64(v), 32)]
}

// DoubleField appends a field of type double. -0 is not zero.
func (e *Encoder) DoubleField(b []byte, f *Field, v float64) []byte {
	if math.Float64bits(v) == 0 && !e.all {
		return b
	}
	name := f.Name
	if e.proto {
		name = e.name(f)
	}
	b = grow(b, len(name)+floatRoom)
	return b[:e.putFloat(b, putName(b, len(b), name), v, 64)]
}

// Double appends a value.
func (e *Encoder) Double(b []byte, v float64) []byte {
	b = grow(b, floatRoom)
	return b[:e.putFloat(b, len(b), v, 64)]
}

// floatRoom is how many bytes putFloat may write to.
const floatRoom = 40

// putFloat writes the shortest decimal that is read as v again, in the form of JavaScript, to b
// from n on and returns where it ends.
func (e *Encoder) putFloat(b []byte, n int, v float64, size int) int {
	if v-v != 0 {
		return n + copy(b[n:n+floatRoom], noNumber(v))
	}
	bits := math.Float64bits(v)
	putByte(b, n, '-')
	n += int(bits >> 63)
	v = math.Float64frombits(bits &^ (1 << 63))
	if e.opts.SixDigits {
		m, exp := sixDigits(v)
		return putDecimal(b, n, m*1e10, exp-10)
	}
	if v < 1<<53 && size == 64 || v < 1<<24 {
		if m := int64(v); float64(m) == v {
			return putInteger(b, n, uint64(m), 0, 0)
		}
	}
	m, exp := shortest(v, size)
	return putDecimal(b, n, m, exp)
}

// noNumber returns the name of what is no number.
func noNumber(v float64) string {
	switch {
	case v > 0:
		return `"Infinity"`
	case v < 0:
		return `"-Infinity"`
	}
	return `"NaN"`
}

// pow10 is the powers of ten that a double holds exactly.
var pow10 = [23]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13,
	1e14, 1e15, 1e16, 1e17, 1e18,
	1e19, 1e20, 1e21, 1e22}

// sixDigits rounds v to six significant digits.
func sixDigits(v float64) (m uint64, exp int) {
	if v == 0 {
		return 0, 0
	}
	if v >= 1e15 || v < 1e-15 { // no power of ten that is exact leads there
		return sixDigitsSlow(v)
	}
	exp = floorLog10(int(math.Float64bits(v)>>52)-1023) - 5 // or one more
	if v >= 1e6 {
		if v >= pow10[exp+6] {
			exp++
		}
		return uint64(v/pow10[exp] + 0.5), exp
	}
	// The conversion keeps machines that can from adding to an unrounded product: results are the
	// same everywhere.
	k := max(-1-exp, 0)
	x := float64(v * pow10[k])
	if x < 1e5 {
		k++
		x = float64(v * pow10[k])
	}
	return uint64(x + 0.5), -k
}

// sixDigitsSlow is sixDigits for what is very large or small.
func sixDigitsSlow(v float64) (m uint64, exp int) {
	// One digit, a point, more digits, an exponent of two or three.
	var space [32]byte
	t := strconv.AppendFloat(space[:0], v, 'e', 5, 64)
	m, i := uint64(t[0]-'0'), 2
	for ; t[i] != 'e'; i++ {
		m, exp = m*10+uint64(t[i]-'0'), exp-1
	}
	x, _ := strconv.Atoi(string(t[i+1:]))
	return m, exp + x
}

// putDecimal writes m*10**exp to b from at on as JavaScript does, with an exponent below 1e-6 and
// from 1e21 on, and returns where that ends. m is below 1e17.
func putDecimal(b []byte, at int, m uint64, exp int) int {
	if m == 0 {
		putByte(b, at, '0')
		return at + 1
	}
	// 17 digits, whatever m is: the first, and twice eight, x and y.
	for m < 1e15 {
		m, exp = m*10, exp-1
	}
	less := (m - 1e16) >> 63 // without a branch: this is a matter of chance
	m, exp = m*(1+9*less), exp-int(less)
	high := m / 1e8
	low := m - high*1e8
	first := high / 1e8
	x, y := eight(high-first*1e8), uint64(0)
	n := 17 // digits without the zeros at the end
	if low != 0 {
		y = eight(low)
		n -= bits.LeadingZeros64(y) / 8
	} else {
		n -= 8 + bits.LeadingZeros64(x)/8
	}
	x, y, first = x|asciiZeros, y|asciiZeros, first|'0'
	point := 17 + exp // digits before the point
	switch {
	case point > 21 || point <= -6:
		putByte(b, at, byte(first))
		putByte(b, at+1, '.')
		putWord(b, at+2, x)
		putWord(b, at+10, y)
		if at++; n > 1 {
			at += n
		}
		exponent, minus := magnitude(int64(point - 1))
		putByte(b, at, 'e')
		putByte(b, at+1, "+-"[minus])
		n := length(exponent)
		putWord(b, at+2, text(exponent, n))
		return at + 2 + n
	case point <= 0:
		putWord(b, at, asciiZeros-('0'-'.')<<8)
		at += 2 - point
	case n <= point:
		putWord(b, at+17, asciiZeros)
		n = point
	case point <= 8:
		putByte(b, at, byte(first))
		putWord(b, at+2, x)
		putWord(b, at+10, y)
		left := 8 * (point - 1) // bits before the point
		mask := uint64(1)<<(left&63) - 1
		putWord(b, at+1, x&mask|'.'<<(left&63)|x&^mask<<8)
		return at + 1 + n
	default:
		putByte(b, at, byte(first))
		putWord(b, at+2, x)
		putWord(b, at+10, y)
		w := b[at+1 : at+1+point]
		copy(w, w[1:])
		putByte(b, at+point, '.')
		return at + 1 + n
	}
	putByte(b, at, byte(first))
	putWord(b, at+1, x)
	putWord(b, at+9, y)
	return at + n
}
