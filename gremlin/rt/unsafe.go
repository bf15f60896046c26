//go:build !purego && (amd64 || arm64 || 386 || ppc64le || wasm)

package rt

import (
	"strings"
	"unsafe"
)

// This file is the only one of the package that uses unsafe; purego.go gives the same functions
// without it, for the purego build tag and for machines that are big-endian or dislike unaligned
// loads. Each function's precondition is what its callers must have checked: nothing here checks a
// bound.

// Ptr points to the first byte of a message. It is opaque to generated code.
type Ptr = unsafe.Pointer

// ptrOf returns a pointer to the bytes of b; nil when b is nil.
func ptrOf(b []byte) Ptr { return Ptr(unsafe.SliceData(b)) }

// ptrAdd returns p moved forward. The caller must know that off is at most the length of what p
// points to.
func ptrAdd(p Ptr, off uint) Ptr { return unsafe.Add(p, off) }

// load8 to load64 read little-endian values at p+i. All bytes read must be inside the message.
func load8(p Ptr, i uint) uint    { return uint(*(*byte)(unsafe.Add(p, i))) }
func load16(p Ptr, i uint) uint   { return uint(*(*uint16)(unsafe.Add(p, i))) }
func load32(p Ptr, i uint) uint32 { return *(*uint32)(unsafe.Add(p, i)) }
func load64(p Ptr, i uint) uint64 { return *(*uint64)(unsafe.Add(p, i)) }

// store8 to store64 write little-endian values at p+i. All bytes written must be inside the
// buffer's capacity.
func store8(p Ptr, i uint, v byte)    { *(*byte)(unsafe.Add(p, i)) = v }
func store16(p Ptr, i uint, v uint16) { *(*uint16)(unsafe.Add(p, i)) = v }
func store32(p Ptr, i uint, v uint32) { *(*uint32)(unsafe.Add(p, i)) = v }
func store64(p Ptr, i uint, v uint64) { *(*uint64)(unsafe.Add(p, i)) = v }

// No view of no bytes is made: at the end of a message its pointer would be behind the memory,
// which the garbage collector may take for a pointer to something else.

// viewString returns the l bytes at p+i as a string that shares their memory.
func viewString(p Ptr, i, l uint) string { return unsafe.String((*byte)(unsafe.Add(p, i)), l) }

// viewBytes returns the l bytes at p+i as a slice that shares their memory and has no spare
// capacity.
func viewBytes(p Ptr, i, l uint) []byte {
	return unsafe.Slice((*byte)(unsafe.Add(p, i)), l)[:l:l]
}

// setString makes *v the l bytes at p+i, as viewString does without the checks of unsafe.String.
func setString(v *string, p Ptr, i, l uint) {
	*(*stringHeader)(unsafe.Pointer(v)) = stringHeader{unsafe.Add(p, i), l}
}

// setBytes makes *v the l bytes at p+i, without spare capacity.
func setBytes(v *[]byte, p Ptr, i, l uint) {
	*(*sliceHeader)(unsafe.Pointer(v)) = sliceHeader{unsafe.Add(p, i), l, l}
}

type stringHeader struct {
	p unsafe.Pointer
	l uint
}

type sliceHeader struct {
	p    unsafe.Pointer
	l, c uint
}

// AppendStringAlways appends a string. The tag has one byte.
//
// Short strings are copied by two overlapping loads and stores of fixed size, which cost less than
// a call of memmove; and they are copied here, because a function that does it is too large to be
// inlined and a call costs as much again.
//
//go:noinline
func AppendStringAlways(b []byte, tag uint32, s string) []byte {
	i, l := uint(len(b)), uint(len(s))
	head := uint(2) // tag and length
	if l >= 0x80 {
		head = 3
	}
	if uint(cap(b))-i < l+head || l >= 1<<14 {
		return appendStringSlow(b, tag, s)
	}
	p := ptrOf(b)
	if l >= 0x80 {
		store8(p, i, byte(tag))
		store16(p, i+1, uint16(l&0x7f|0x80|l>>7<<8))
		i += 3
	} else {
		store16(p, i, uint16(tag)|uint16(l)<<8)
		i += 2
	}
	if l == 0 {
		return b[:i] // there may be no memory behind it to point to
	}
	src, dst := Ptr(unsafe.StringData(s)), unsafe.Add(p, i)
	switch {
	case l > 32:
		copy(unsafe.Slice((*byte)(dst), l), s)
	case l >= 16:
		a, z := *(*[16]byte)(src), *(*[16]byte)(unsafe.Add(src, l-16))
		*(*[16]byte)(dst) = a
		*(*[16]byte)(unsafe.Add(dst, l-16)) = z
	case l >= 8:
		a, z := load64(src, 0), load64(src, l-8)
		store64(dst, 0, a)
		store64(dst, l-8, z)
	case l >= 4:
		a, z := *(*uint32)(src), *(*uint32)(unsafe.Add(src, l-4))
		*(*uint32)(dst) = a
		*(*uint32)(unsafe.Add(dst, l-4)) = z
	default:
		a, m, z := *(*byte)(src), *(*byte)(unsafe.Add(src, l/2)), *(*byte)(unsafe.Add(src, l-1))
		*(*byte)(dst) = a
		*(*byte)(unsafe.Add(dst, l/2)) = m
		*(*byte)(unsafe.Add(dst, l-1)) = z
	}
	return b[:i+l]
}

// AppendBytesAlways appends a bytes value. The tag may have any length.
func AppendBytesAlways(b []byte, tag uint32, v []byte) []byte {
	return AppendStringWideAlways(b, tag, unsafe.String(unsafe.SliceData(v), len(v)))
}

// ownString turns bytes that are never modified again into a string that shares their memory.
func ownString(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// rawFixed returns the memory of a slice of 4- or 8-byte numbers as bytes. It is what packed
// fixed-size fields hold on the wire, because the machines of this file are little-endian.
func rawFixed[T fixedNumber](s []T) []byte {
	if len(s) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(Ptr(unsafe.SliceData(s))), uintptr(len(s))*unsafe.Sizeof(s[0]))
}

// appendRaw appends numbers of 4 or 8 bytes as the wire has them.
func appendRaw[T fixedNumber](b []byte, s []T) []byte { return append(b, rawFixed(s)...) }

// appendBools appends bools as the wire has them.
func appendBools(b []byte, s []bool) []byte {
	return append(b, unsafe.Slice((*byte)(Ptr(unsafe.SliceData(s))), len(s))...)
}

// appendFixed appends the packed fixed-size numbers in b, whose length is a multiple of the element
// size.
func appendFixed[T fixedNumber](dst []T, b []byte) []T {
	var zero T
	n, more := len(dst), len(b)/int(unsafe.Sizeof(zero))
	dst = growSlice(dst, more)[:n+more]
	copyInput(rawFixed(dst[n:]), b)
	return dst
}

// piece is a number of bytes below 2 KiB, from where on memmove takes the processor's instruction
// for strings, which is four times as slow where the source is not aligned to words. What lies in
// an encoding hardly ever is.
const piece = 1984

// copyInput is copy, for a source that may start anywhere.
func copyInput(dst, src []byte) {
	if uintptr(ptrOf(src))%8 != 0 {
		for len(src) > piece {
			copy(dst[:piece], src[:piece])
			dst, src = dst[piece:], src[piece:]
		}
	}
	copy(dst, src)
}

// copyOfLong is copyOf for more than piece bytes.
//
//go:noinline
func copyOfLong(b []byte) []byte {
	c := unsafe.Slice((*byte)(uncleared(uint(len(b)))), len(b))[:len(b):len(b)]
	copyInput(c, b)
	return c
}

// makeNumbers returns a slice for n numbers or bools, n not 0. What is behind its length may be
// anything.
func makeNumbers[T any](d *Decoder, n int) []T {
	var zero T
	size := (uint(n)*uint(unsafe.Sizeof(zero)) + 7) / 8
	if size > maxNumbers {
		return unsafe.Slice((*T)(uncleared(size*8)), n)[:0]
	}
	return unsafe.Slice((*T)(Ptr(unsafe.SliceData(d.words(size)))), n)[:0]
}

// uncleared returns memory for n bytes, more than a word, that holds anything. Clearing a long list
// takes as long as a copy of it, and a Builder is how the library gives such memory.
func uncleared(n uint) Ptr {
	var b strings.Builder
	b.Grow(int(n))
	b.WriteByte(0)
	return Ptr(unsafe.StringData(b.String()))
}

// minUncleared is from how many bytes on uncleared is faster than memory that is cleared.
const minUncleared = 2 << 10

// MakeBuffer returns an empty buffer with room for n bytes. It is for generated code.
func MakeBuffer(n int) []byte {
	if n < minUncleared {
		return make([]byte, 0, n)
	}
	return unsafe.Slice((*byte)(uncleared(uint(n))), n)[:0]
}

// sizeFixed returns the size of T in bytes.
func sizeFixed[T fixedNumber]() uint {
	var zero T
	return uint(unsafe.Sizeof(zero))
}

// fixedAt reads a number of 4 or 8 bytes at p+off, all of which are inside the message.
func fixedAt[T fixedNumber](p Ptr, off uint) T { return *(*T)(unsafe.Add(p, off)) }

// NoEscape returns p and hides from the compiler that the result is p: what p points to may be on
// the stack. The result must not be kept. It is for methods of Messages that are values, which hand
// a pointer to their copy on.
//
//go:nosplit
func NoEscape[T any](p *T) *T {
	x := uintptr(unsafe.Pointer(p))
	return *(**T)(unsafe.Pointer(&x))
}
