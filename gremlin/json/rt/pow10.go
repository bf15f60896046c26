package rt

import (
	"math/bits"
	"sync/atomic"
)

// Conversions between doubles and decimals multiply by powers of ten that are rounded down to 128
// bits. The table of them is made when the first number needs it, in a tenth of a millisecond: as
// text it would be longer than all the rest of the package.

// The powers of ten that doubles need.
const (
	minPower = -348
	maxPower = 347
)

// power is the first 128 bits of a power of ten: 10**k is about (hi<<64 | lo) *
// 2**(floorLog2(k)-127).
type power struct{ hi, lo uint64 }

type powerTable [maxPower - minPower + 1]power

var powersMade atomic.Pointer[powerTable]

func powers() *powerTable {
	if t := powersMade.Load(); t != nil {
		return t
	}
	return makePowers()
}

// makePowers makes the table. Two goroutines that do it at once make the same.
func makePowers() *powerTable {
	t := new(powerTable)
	// A power of ten starts with the same bits as the power of five.
	x := [16]uint64{1} // lowest word first
	for k := 0; k <= maxPower; k++ {
		t[k-minPower] = leading(&x)
		carry := uint64(0)
		for i := range x {
			hi, lo := bits.Mul64(x[i], 5)
			lo, c := bits.Add64(lo, carry, 0)
			x[i], carry = lo, hi+c
		}
	}
	// Dividing again what was divided and rounded down gives what one division would.
	x = [16]uint64{15: 1 << 63}
	for k := -1; k >= minPower; k-- {
		rest := uint64(0)
		for i := len(x) - 1; i >= 0; i-- {
			x[i], rest = bits.Div64(rest, x[i], 5)
		}
		t[k-minPower] = leading(&x)
	}
	powersMade.Store(t)
	return t
}

// leading returns the first 128 bits of x, which is not 0.
func leading(x *[16]uint64) power {
	i := len(x) - 1
	for x[i] == 0 {
		i--
	}
	word := func(i int) uint64 {
		if i < 0 {
			return 0
		}
		return x[i]
	}
	n := uint(bits.LeadingZeros64(x[i]))
	return power{x[i]<<n | word(i-1)>>(64-n), word(i-1)<<n | word(i-2)>>(64-n)}
}

// floorLog10 returns the exponent of the largest power of ten that is at most 2**q.
func floorLog10(q int) int { return q * 1262611 >> 22 }

// floorLog2 returns the exponent of the largest power of two that is at most 10**k.
func floorLog2(k int) int { return k * 1741647 >> 19 }
