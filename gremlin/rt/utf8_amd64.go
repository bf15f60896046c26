//go:build gc && !purego

package rt

// minVector is how long text must be for validVector: behind the first block of 16 bytes, each
// looks at three before it.
const minVector = 19

// hasVector tells whether validVector works here; any x86 processor since 2006 can.
var hasVector = hasSSSE3()

func hasSSSE3() bool {
	_, _, features := cpuid(1)
	return features&(1<<9) != 0
}

// What may be wrong with a byte and the one behind it, one bit each; the last one is right where a
// rune of three or four bytes goes on, and wrong elsewhere. Of a pair, each half of the first byte
// and the upper half of the second have a set of what they allow to be wrong; a bit that is in all
// three sets is wrong.
const (
	tooShort  = 1 << iota // no continuation behind the start of a rune
	tooLong               // a continuation behind ASCII
	overlong3             // E0 80..9F
	tooLarge              // F4 90..BF, and F5..FF 90..BF
	surrogate             // ED A0..BF
	overlong2             // C0..C1
	overlong4             // F0 80..8F; F5..FF 80..8F has the same bit
	twice                 // a continuation behind a continuation

	anyLow = tooShort | tooLong | twice // do not depend on the lower half of the first byte
)

// vectorTables is what validBlocks works with: the three sets, and constants.
var vectorTables = [7][16]byte{
	{
		tooLong, tooLong, tooLong, tooLong, tooLong, tooLong, tooLong, tooLong, twice, twice, twice,
		twice,
		tooShort | overlong2, tooShort, tooShort | overlong3 | surrogate,
		tooShort | tooLarge | overlong4,
	},
	{
		anyLow | overlong2 | overlong3 | overlong4, anyLow | overlong2, anyLow, anyLow,
		anyLow | tooLarge,
		anyLow | tooLarge | overlong4, anyLow | tooLarge | overlong4, anyLow | tooLarge | overlong4,
		anyLow | tooLarge | overlong4,
		anyLow | tooLarge | overlong4, anyLow | tooLarge | overlong4, anyLow | tooLarge | overlong4,
		anyLow | tooLarge | overlong4,
		anyLow | tooLarge | overlong4 | surrogate, anyLow | tooLarge | overlong4,
		anyLow | tooLarge | overlong4,
	},
	{
		tooShort, tooShort, tooShort, tooShort, tooShort, tooShort, tooShort, tooShort,
		tooLong | twice | overlong2 | overlong3 | overlong4,
		tooLong | twice | overlong2 | overlong3 | tooLarge,
		tooLong | twice | overlong2 | surrogate | tooLarge,
		tooLong | twice | overlong2 | surrogate | tooLarge,
		tooShort, tooShort, tooShort, tooShort,
	},
	sixteen(0x0f),
	// what is left of a byte from E0 on when this is taken away has its top bit
	sixteen(0xe0 - 0x80),
	sixteen(0xf0 - 0x80),
	sixteen(0x80),
}

func sixteen(c byte) (v [16]byte) {
	for i := range v {
		v[i] = c
	}
	return v
}

// validVector tells whether the bytes from start to end, minVector or more, are UTF-8. It looks at
// 16 at a time, by the lookup algorithm of Keiser and Lemire, "Validating UTF-8 In Less Than One
// Instruction Per Byte" (2020): what can be wrong with a pair of bytes is looked up by three of its
// four halves, in registers.
func validVector(p Ptr, start, end uint) bool {
	if load8(p, end-1) >= 0xc0 || load8(p, end-2) >= 0xe0 || load8(p, end-3) >= 0xf0 {
		return false // the last rune is cut
	}
	return validBlocks((*byte)(ptrAdd(p, start)), end-start, &vectorTables)
}

//go:noescape
func validBlocks(p *byte, n uint, t *[7][16]byte) bool
