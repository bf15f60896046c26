package rt

import "unsafe"

// wordsOf views b as words. b must be 8-byte aligned, which pages and large allocations are, and
// its length a multiple of WordSize; the result is valid as long as b is.
func wordsOf(b []byte) []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/WordSize)
}

// bytesOf views s as bytes, for texts. The result is valid as long as s is.
func bytesOf(s []uint64) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*WordSize)
}

type unsafePointer = unsafe.Pointer

const wordSize = unsafe.Sizeof(uintptr(0))

// elementBits reads element i, of 1, 2, 4 or 8 bytes, of a slice that has it and starts at first.
// The race detector does not see it: the program may write there, and its own reads are what
// counts.
//
//go:norace
//go:nosplit
func elementBits(first unsafe.Pointer, i int, size uintptr) uint64 {
	p := unsafe.Add(first, uintptr(i)*size)
	switch size {
	case 1:
		return uint64(*(*uint8)(p))
	case 2:
		return uint64(*(*uint16)(p))
	case 4:
		return uint64(*(*uint32)(p))
	}
	return *(*uint64)(p)
}
