package gogo

import (
	"encoding/binary"
	"math"
)

// The Put functions write a value that ends before offset i of b and return where it starts. b must
// have the room: an offset below zero is a panic, as it is in gogo's code.

// PutVarint writes a varint.
func PutVarint(b []byte, i int, v uint64) int {
	if v < 0x80 {
		b[i-1] = byte(v)
		return i - 1
	}
	return putLongVarint(b, i, v)
}

func putLongVarint(b []byte, i int, v uint64) int {
	i -= SizeVarint(v)
	for at := i; ; at++ {
		if v < 0x80 {
			b[at] = byte(v)
			return i
		}
		b[at] = byte(v) | 0x80
		v >>= 7
	}
}

// PutZigzag writes v, which is sign-extended, in zigzag form.
func PutZigzag(b []byte, i int, v int64) int { return PutVarint(b, i, uint64(v)<<1^uint64(v>>63)) }

// PutBool writes a bool.
func PutBool(b []byte, i int, v bool) int {
	b[i-1] = 0
	if v {
		b[i-1] = 1
	}
	return i - 1
}

// PutFixed32 writes four bytes.
func PutFixed32(b []byte, i int, v uint32) int {
	binary.LittleEndian.PutUint32(b[i-4:], v)
	return i - 4
}

// PutFixed64 writes eight bytes.
func PutFixed64(b []byte, i int, v uint64) int {
	binary.LittleEndian.PutUint64(b[i-8:], v)
	return i - 8
}

// PutFloat writes a float.
func PutFloat(b []byte, i int, v float32) int { return PutFixed32(b, i, math.Float32bits(v)) }

// PutDouble writes a double.
func PutDouble(b []byte, i int, v float64) int { return PutFixed64(b, i, math.Float64bits(v)) }

// PutString writes a string with its length before it.
func PutString(b []byte, i int, s string) int {
	i -= len(s)
	copy(b[i:], s)
	return PutVarint(b, i, uint64(len(s)))
}

// PutBytes writes bytes with their length before them.
func PutBytes(b []byte, i int, s []byte) int {
	i -= len(s)
	copy(b[i:], s)
	return PutVarint(b, i, uint64(len(s)))
}

// PutRaw writes bytes as they are.
func PutRaw(b []byte, i int, s []byte) int {
	i -= len(s)
	copy(b[i:], s)
	return i
}

// PutVarints writes a packed list with its length before it.
//
// Negative values of an enum take ten bytes, as the specification has it. gogo's code writes one
// byte and is corrupt then.
func PutVarints[T integer](b []byte, i int, list []T) int {
	end := i
	for k := len(list) - 1; k >= 0; k-- {
		i = PutVarint(b, i, uint64(list[k]))
	}
	return PutVarint(b, i, uint64(end-i))
}

// PutZigzags writes a packed list in zigzag form with its length before it.
func PutZigzags[T ~int32 | ~int64](b []byte, i int, list []T) int {
	end := i
	for k := len(list) - 1; k >= 0; k-- {
		i = PutZigzag(b, i, int64(list[k]))
	}
	return PutVarint(b, i, uint64(end-i))
}

// PutFixed32s writes a packed list with its length before it.
func PutFixed32s[T ~int32 | ~uint32](b []byte, i int, list []T) int {
	for k := len(list) - 1; k >= 0; k-- {
		i = PutFixed32(b, i, uint32(list[k]))
	}
	return PutVarint(b, i, uint64(4*len(list)))
}

// PutFixed64s writes a packed list with its length before it.
func PutFixed64s[T ~int64 | ~uint64](b []byte, i int, list []T) int {
	for k := len(list) - 1; k >= 0; k-- {
		i = PutFixed64(b, i, uint64(list[k]))
	}
	return PutVarint(b, i, uint64(8*len(list)))
}

// PutFloats writes a packed list with its length before it.
func PutFloats[T ~float32](b []byte, i int, list []T) int {
	for k := len(list) - 1; k >= 0; k-- {
		i = PutFloat(b, i, float32(list[k]))
	}
	return PutVarint(b, i, uint64(4*len(list)))
}

// PutDoubles writes a packed list with its length before it.
func PutDoubles[T ~float64](b []byte, i int, list []T) int {
	for k := len(list) - 1; k >= 0; k-- {
		i = PutDouble(b, i, float64(list[k]))
	}
	return PutVarint(b, i, uint64(8*len(list)))
}

// PutBools writes a packed list with its length before it.
func PutBools[T ~bool](b []byte, i int, list []T) int {
	for k := len(list) - 1; k >= 0; k-- {
		i = PutBool(b, i, bool(list[k]))
	}
	return PutVarint(b, i, uint64(len(list)))
}
