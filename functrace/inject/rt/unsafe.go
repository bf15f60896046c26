package rt

import "unsafe"

// slotsOf views b as slots. b must be 8-byte aligned, which pages and large allocations are, and its length a multiple of
// SlotSize; the result is valid as long as b is.
func slotsOf(b []byte) []slot {
	return unsafe.Slice((*slot)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/SlotSize)
}

// bytesOf views s as bytes, for texts. The result is valid as long as s is.
func bytesOf(s []slot) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*SlotSize)
}
