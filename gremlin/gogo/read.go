package gogo

import (
	"encoding/binary"
	"math"
)

// MaxDepth is how many messages may lie in one another within a package. gogo has no limit: its
// process dies of a stack that overflows.
const MaxDepth = 10000

// Truncated is the offset that stands for input which ends too early.
const Truncated = truncated

// Negative offsets say what went wrong.
const (
	truncated = -1 - iota
	overflow
	negativeLength
	endOfGroup
	wireType6
	wireType7
)

// Varint reads a varint. Bits above the 64th are dropped, as gogo drops them. Generated code reads
// those of one byte itself where there is one for each field: a call is too much for them, and this
// function is too long to be inlined.
func Varint(b []byte, i int) (v uint64, next int) {
	if uint(i) < uint(len(b)) && b[i] < 0x80 {
		return uint64(b[i]), i + 1
	}
	return longVarint(b, i)
}

func longVarint(b []byte, i int) (v uint64, next int) {
	if uint(i) >= uint(len(b)) {
		if i < 0 {
			return 0, i
		}
		return 0, truncated
	}
	for shift, c := range b[i:] {
		if c < 0x80 {
			return v | uint64(c)<<(7*uint(shift)&63), i + shift + 1
		}
		if shift == 9 {
			return 0, overflow
		}
		v |= uint64(c&0x7f) << (7 * uint(shift) & 63)
	}
	return 0, truncated
}

// Tag reads a tag; generated code reads those of one byte itself. The number of the field has 32
// bits, as in gogo's code; those above are dropped.
func Tag(b []byte, i int) (tag uint64, next int) {
	if uint(i) < uint(len(b)) && b[i] < 0x80 {
		return uint64(b[i]), i + 1
	}
	v, next := longVarint(b, i)
	return v & (1<<35 - 1), next
}

// Zigzag32 reads an int32 in zigzag form.
func Zigzag32(b []byte, i int) (v int32, next int) {
	u, next := Varint(b, i)
	return int32(uint32(u)>>1) ^ -int32(u&1), next
}

// Zigzag64 reads an int64 in zigzag form.
func Zigzag64(b []byte, i int) (v int64, next int) {
	u, next := Varint(b, i)
	return int64(u>>1) ^ -int64(u&1), next
}

// Fixed32 reads four bytes.
func Fixed32(b []byte, i int) (v uint32, next int) {
	if i < 0 {
		return 0, i
	}
	if len(b)-i < 4 {
		return 0, truncated
	}
	return binary.LittleEndian.Uint32(b[i:]), i + 4
}

// Fixed64 reads eight bytes.
func Fixed64(b []byte, i int) (v uint64, next int) {
	if i < 0 {
		return 0, i
	}
	if len(b)-i < 8 {
		return 0, truncated
	}
	return binary.LittleEndian.Uint64(b[i:]), i + 8
}

// Float reads a float.
func Float(b []byte, i int) (v float32, next int) {
	u, next := Fixed32(b, i)
	return math.Float32frombits(u), next
}

// Double reads a double.
func Double(b []byte, i int) (v float64, next int) {
	u, next := Fixed64(b, i)
	return math.Float64frombits(u), next
}

// Length reads a length. What is so long may end behind b.
func Length(b []byte, i int) (n, next int) {
	v, i := Varint(b, i)
	switch {
	case i < 0:
		return 0, i
	case v > math.MaxInt || i+int(v) < 0:
		return 0, negativeLength
	}
	return int(v), i
}

// End reads a length and returns where what is so long starts and ends.
func End(b []byte, i int) (start, end int) {
	n, i := Length(b, i)
	switch {
	case i < 0:
		return i, i
	case n > len(b)-i:
		return truncated, truncated
	}
	return i, i + n
}

// Bytes reads a length and returns the bytes behind it, which lie in b.
func Bytes(b []byte, i int) (s []byte, next int) {
	start, end := End(b, i)
	if end < 0 {
		return nil, end
	}
	return b[start:end], end
}
