package agg

import (
	"math"
	"math/big"
	"math/bits"
)

// exactSum is a sum of doubles without rounding, so that it does not depend on their order: a
// number in two's complement, in words from 2^(64*base-1074) up.
type exactSum struct {
	words         []uint64
	base          int32
	nan, inf, neg bool // there were some: NaN, +Inf, -Inf
}

// lowest is the exponent of the lowest bit that a double can have.
const lowest = -1074

func (s *exactSum) add(x float64) {
	raw := math.Float64bits(x)
	exponent := int(raw >> 52 & 0x7ff)
	mantissa := raw & (1<<52 - 1)
	switch {
	case exponent == 0x7ff:
		s.nan = s.nan || mantissa != 0
		s.inf = s.inf || x > math.MaxFloat64
		s.neg = s.neg || x < -math.MaxFloat64
		return
	case exponent != 0:
		mantissa |= 1 << 52
		exponent--
	}
	if mantissa == 0 {
		return
	}
	at, shift := exponent/64, uint(exponent%64)
	low := mantissa << shift
	high := mantissa >> (64 - shift) // 0 for a shift of 0
	s.cover(int32(at))
	i := at - int(s.base)
	if x < 0 {
		s.subtract(i, low, high)
		return
	}
	var carry uint64
	s.words[i], carry = bits.Add64(s.words[i], low, 0)
	s.words[i+1], carry = bits.Add64(s.words[i+1], high, carry)
	for i += 2; carry != 0 && i < len(s.words); i++ {
		s.words[i], carry = bits.Add64(s.words[i], 0, carry)
	}
}

func (s *exactSum) subtract(i int, low, high uint64) {
	var borrow uint64
	s.words[i], borrow = bits.Sub64(s.words[i], low, 0)
	s.words[i+1], borrow = bits.Sub64(s.words[i+1], high, borrow)
	for i += 2; borrow != 0 && i < len(s.words); i++ {
		s.words[i], borrow = bits.Sub64(s.words[i], 0, borrow)
	}
}

// cover makes sure that there are the words at and at+1, and one more for sign and carries: it is
// enough for 2^63 values.
func (s *exactSum) cover(at int32) {
	if len(s.words) == 0 {
		s.words, s.base = make([]uint64, 3), at
		return
	}
	if at < s.base {
		s.words = append(make([]uint64, s.base-at), s.words...)
		s.base = at
	}
	for int(at-s.base)+3 > len(s.words) {
		s.words = append(s.words, s.sign())
	}
}

// sign is the word that all words above have.
func (s *exactSum) sign() uint64 {
	if n := len(s.words); n > 0 && s.words[n-1]>>63 != 0 {
		return math.MaxUint64
	}
	return 0
}

func (s *exactSum) merge(o *exactSum) {
	s.nan, s.inf, s.neg = s.nan || o.nan, s.inf || o.inf, s.neg || o.neg
	if len(o.words) == 0 {
		return
	}
	s.cover(o.base)
	s.cover(o.base + int32(len(o.words)) - 2)
	sign, carry := o.sign(), uint64(0)
	for i := int(o.base - s.base); i < len(s.words); i++ {
		w := sign
		if k := i - int(o.base-s.base); k < len(o.words) {
			w = o.words[k]
		}
		s.words[i], carry = bits.Add64(s.words[i], w, carry)
	}
}

// value is the sum, rounded once.
func (s *exactSum) value() float64 {
	switch {
	case s.nan || s.inf && s.neg:
		return math.NaN()
	case s.inf:
		return math.Inf(1)
	case s.neg:
		return math.Inf(-1)
	case len(s.words) == 0:
		return 0
	}
	negative := s.sign() != 0
	n := new(big.Int)
	for i := len(s.words) - 1; i >= 0; i-- {
		w := s.words[i]
		if negative {
			w = ^w
		}
		n.Lsh(n, 64).Or(n, new(big.Int).SetUint64(w))
	}
	if negative {
		n.Add(n, big.NewInt(1)).Neg(n)
	}
	f := new(big.Float).SetInt(n)
	f.SetMantExp(f, 64*int(s.base)+lowest)
	v, _ := f.Float64()
	return v
}
