//go:build !purego && (amd64 || arm64 || 386 || ppc64le || wasm)

package rt

import "unsafe"

// This file is the only one of the package that uses unsafe; purego.go gives the same functions
// without it, for the purego build tag and for machines that are big-endian or dislike unaligned
// stores. What must hold is what callers have checked: nothing here checks a bound.

// view returns b as a string that shares its memory. b must not change while the string is in use;
// what is decoded from it is copied, so that nothing refers to it afterwards.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

func at(b []byte, i int) unsafe.Pointer {
	return unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), i)
}

func atText(s string, i int) unsafe.Pointer {
	return unsafe.Add(unsafe.Pointer(unsafe.StringData(s)), i)
}

// putByte, putHalf and putWord write one, four and eight bytes, the lowest first, to b from i on:
// below its capacity, maybe above its length.
func putByte(b []byte, i int, x byte)   { *(*byte)(at(b, i)) = x }
func putHalf(b []byte, i int, x uint32) { *(*uint32)(at(b, i)) = x }
func putWord(b []byte, i int, x uint64) { *(*uint64)(at(b, i)) = x }

// half and word return the four and the eight bytes of s from i on, all of which are there.
func half(s string, i int) uint32 {
	return *(*uint32)(atText(s, i))
}
func word(s string, i int) uint64 {
	return *(*uint64)(atText(s, i))
}
