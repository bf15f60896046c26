package gogo

import "math/bits"

// integer is an integer type of generated code, enums and casts included.
type integer interface {
	~int | ~int32 | ~int64 | ~uint | ~uint32 | ~uint64
}

// SizeVarint returns the encoded length of v.
func SizeVarint(v uint64) int { return (9*bits.Len64(v|1) + 64) >> 6 } // 7 bits a byte

// SizeZigzag returns the encoded length of v, which is sign-extended, in zigzag form.
func SizeZigzag(v uint64) int { return SizeVarint(v<<1 ^ uint64(int64(v)>>63)) }

// SizeBytes returns the length of n bytes with their length before them.
func SizeBytes(n int) int { return n + SizeVarint(uint64(n)) }

// SizeVarints returns the length of a packed list, without its own length.
func SizeVarints[T integer](list []T) (n int) {
	for _, v := range list {
		n += SizeVarint(uint64(v))
	}
	return n
}

// SizeZigzags returns the length of a packed list in zigzag form, without its own length.
func SizeZigzags[T ~int32 | ~int64](list []T) (n int) {
	for _, v := range list {
		n += SizeZigzag(uint64(v))
	}
	return n
}
