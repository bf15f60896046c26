package rt

import "unsafe"

// wordsOf views b as words. b must be 8-byte aligned, which pages and large allocations are, and its length a multiple of
// WordSize; the result is valid as long as b is.
func wordsOf(b []byte) []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/WordSize)
}

// bytesOf views s as bytes, for texts. The result is valid as long as s is.
func bytesOf(s []uint64) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*WordSize)
}
