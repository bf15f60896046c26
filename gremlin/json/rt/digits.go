package rt

import "math/bits"

// Digits are made eight at a time, in a word whose first byte in memory is its lowest. Words are
// stored whole and only what is wanted of them is kept, so that no branch depends on how long a
// number is: lengths vary, and a branch that is guessed wrong costs more than all the digits. What
// writes digits therefore needs more room than they take.

const asciiZeros = ones * '0'

// eight returns the eight digits of x, which is below 1e8, as numbers from 0 to 9: four and four,
// then pairs, then digits. The quotients are products with reciprocals that are exact for numbers
// this small.
func eight(x uint64) uint64 {
	q := x / 1e4
	x = x<<32 - q*(1e4<<32-1)
	q = x * 10486 >> 20 & 0x0000007f0000007f
	x = x<<16 - q*(100<<16-1)
	q = x * 103 >> 10 & 0x000f000f000f000f
	return x<<8 - q*(10<<8-1)
}

// text returns the last n digits of x, which is below 1e8, as text. What n is of a number without
// zeros in front, length tells: taken from the digits it would be known only when they are, and
// where to write next would be, too. Meanwhile nothing could be read that might be written there.
func text(x uint64, n int) uint64 { return (eight(x) | asciiZeros) >> (uint(-8*n) & 63) }

// length returns how many digits x has, which is below 1e8.
func length(x uint64) int { return int((x + lengths[bits.Len64(x|1)&31]) >> 32) }

// lengths is for each number of bits how many digits a number of so many bits has, times 1<<32, or
// for those with a power of ten among them what has to be added to a number so that it is carried
// there.
var lengths = func() (all [32]uint64) {
	digits, ten := uint64(1), uint64(10)
	for n := range all {
		if all[n] = digits << 32; 1<<n > ten {
			digits++
			all[n] = digits<<32 - ten
			ten *= 10
		}
	}
	return all
}()

// room is how many bytes an integer needs at most, with a sign and quotes: it has 20 digits, and a
// word is written where the last eight of them start.
const room = 24

// putLong writes the digits of v, which is at least 1e8, to b from n on and returns where they end.
func putLong(b []byte, n int, v uint64) int {
	high := v / 1e8
	low := eight(v-high*1e8) | asciiZeros
	if high >= 1e8 {
		top := high / 1e8
		high -= top * 1e8
		k := length(top)
		putWord(b, n, text(top, k))
		n += k
		putWord(b, n, eight(high)|asciiZeros)
		n += 8
	} else {
		k := length(high)
		putWord(b, n, text(high, k))
		n += k
	}
	putWord(b, n, low)
	return n + 8
}

// putInteger writes the digits of v to b from n on, behind a minus sign if minus is 1 and in quotes
// if quote is 1, and returns where they end. There is room.
func putInteger(b []byte, n int, v uint64, minus, quote int) int {
	putByte(b, n, '"')
	n += quote
	putByte(b, n, '-')
	n += minus
	if v < 1e8 {
		k := length(v)
		putWord(b, n, text(v, k))
		n += k
	} else {
		n = putLong(b, n, v)
	}
	putByte(b, n, '"')
	return n + quote
}

// appendInteger appends what putInteger writes.
func appendInteger(b []byte, v uint64, minus, quote int) []byte {
	b = grow(b, room)
	return b[:putInteger(b, len(b), v, minus, quote)]
}

func appendUint(b []byte, v uint64) []byte { return appendInteger(b, v, 0, 0) }

func appendInt(b []byte, v int64) []byte {
	u, minus := magnitude(v)
	return appendInteger(b, u, minus, 0)
}

// magnitude returns the absolute value of v, and 1 if v is negative.
func magnitude(v int64) (u uint64, minus int) {
	sign := uint64(v >> 63)
	return uint64(v) ^ sign - sign, int(sign & 1)
}
