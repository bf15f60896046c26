package rt

import (
	"math"
	"math/bits"
)

// shortest returns m and exp such that m*10**exp is, of the shortest decimals that are read as v,
// the one next to v. v is positive, finite, and a number of the given size.
//
// What is read as v is an interval around it, as wide as the distance to the next number. v is
// scaled by a power of ten so that this width is from 1 to 10: there is at most one multiple of ten
// in the interval, which is the shortest then, and the integer next to v is in it for sure, which
// is the shortest otherwise. The product of v and the power is a little too small, as powers are
// rounded down; where that may matter, schubfach decides.
func shortest(v float64, size int) (m uint64, exp int) {
	c, q, least := mantissa(v, size)
	if c&(c-1) == 0 || q == least {
		return schubfach(v, size)
	}
	k := floorLog10(q)
	g := &powers()[-k-minPower]
	h := uint(q + floorLog2(-k) + 1) // 1 to 4
	m, below := bits.Mul64(c<<h, g.hi)
	more, _ := bits.Mul64(c<<h, g.lo)
	below, carry := bits.Add64(below, more, 0)
	m += carry

	// The distances of v to the multiple of ten below it and to either end of the interval. All
	// have 60 binary places, and are less than two units of the last place too small.
	tens := m / 10
	over := (m-tens*10)<<60 | below>>4
	half := g.hi >> (5 - h)
	const slack = 4
	switch {
	case over+slack < half:
		return tens, k + 1
	case 10<<60-over+slack < half:
		return tens + 1, k + 1
	case over > half+slack && 10<<60-over > half+slack && below-(1<<63-slack) > 2*slack:
		return m + below>>63, k
	}
	return schubfach(v, size)
}

// schubfach is shortest for what it does not take. It is the algorithm of Raffaello Giulietti, in
// quarters, so that the ends of the interval are integers too.
func schubfach(v float64, size int) (m uint64, exp int) {
	c, q, least := mantissa(v, size)
	irregular := uint64(0) // the next smaller number is only half as far as the next larger one
	k := floorLog10(q)
	if c == 1<<52 && q > least || size == 32 && c == 1<<23 && q > least {
		irregular = 1
		k = (q*1262611 - 524031) >> 22
	}
	g := powers()[-k-minPower]
	if -k < 0 || -k > 55 { // the others are exact
		var carry uint64
		g.lo, carry = bits.Add64(g.lo, 1, 0)
		g.hi += carry
	}
	h := uint(q + floorLog2(-k) + 1)
	odd := c & 1 // the ends belong to numbers that are even
	low := scale(g, (4*c-2+irregular)<<h) + odd
	mid := scale(g, 4*c<<h)
	high := scale(g, (4*c+2)<<h) - odd
	s := mid / 4
	if s >= 10 {
		t := s / 10
		down, up := low <= 40*t, 40*t+40 <= high
		if down != up {
			if up {
				t++
			}
			return t, k + 1
		}
	}
	down, up := low <= 4*s, 4*s+4 <= high
	if down == up {
		up = mid > 4*s+2 || mid == 4*s+2 && s&1 != 0
	}
	if up {
		s++
	}
	return s, k
}

// mantissa returns c and q such that v is c*2**q, and the least q there is.
func mantissa(v float64, size int) (c uint64, q, least int) {
	b, digits, bias := math.Float64bits(v), 52, 1075
	if size == 32 {
		b, digits, bias = uint64(math.Float32bits(float32(v))), 23, 150
	}
	c, q = b&(1<<digits-1), int(b>>digits)
	if q == 0 {
		return c, 1 - bias, 1 - bias
	}
	return c | 1<<digits, q - bias, 1 - bias
}

// scale returns the upper part of g*x, with the lowest bit set if what is cut off is not nothing.
func scale(g power, x uint64) uint64 {
	below, _ := bits.Mul64(g.lo, x)
	hi, lo := bits.Mul64(g.hi, x)
	lo, carry := bits.Add64(lo, below, 0)
	hi += carry
	if lo > 1 {
		hi |= 1
	}
	return hi
}

// nearest returns the double next to m*10**exp. It gives up on what is close to the middle between
// two doubles, and on what is no normal number: one in many millions of numbers that are not made
// for it. It is the algorithm of Michael Eisel and Daniel Lemire.
func nearest(m uint64, exp int) (v float64, ok bool) {
	if m == 0 {
		return 0, true
	}
	if exp < minPower || exp > maxPower {
		return 0, false
	}
	g := powers()[exp-minPower]
	zeros := bits.LeadingZeros64(m)
	m <<= zeros
	hi, lo := bits.Mul64(m, g.hi)
	if hi&0x1ff == 0x1ff && lo+m < m { // the lower half of g may matter
		below, rest := bits.Mul64(m, g.lo)
		var carry uint64
		lo, carry = bits.Add64(lo, below, 0)
		hi += carry
		if hi&0x1ff == 0x1ff && lo+1 == 0 && rest+m < m {
			return 0, false
		}
	}
	top := hi >> 63
	c := hi >> (top + 9) // 54 bits
	if lo == 0 && hi&0x1ff == 0 && c&3 == 1 {
		return 0, false
	}
	e := floorLog2(exp) + 1087 - zeros - int(1-top)
	c = (c + c&1) >> 1
	if c == 1<<53 {
		c, e = c>>1, e+1
	}
	if e < 1 || e > 2046 {
		return 0, false
	}
	return math.Float64frombits(c&(1<<52-1) | uint64(e)<<52), true
}
