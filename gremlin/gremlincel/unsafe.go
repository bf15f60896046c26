package gremlincel

import "unsafe"

// bytesOf returns the bytes of s, which nobody changes. What is in an Any is read where it lies.
func bytesOf(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

// within tells whether part lies in the memory of all.
func within(part, all []byte) bool {
	p := uintptr(unsafe.Pointer(unsafe.SliceData(part)))
	a := uintptr(unsafe.Pointer(unsafe.SliceData(all)))
	return len(part) == 0 || a <= p && p < a+uintptr(len(all))
}
