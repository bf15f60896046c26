package gremlincel

import "unsafe"

// bytesOf returns the bytes of s, which nobody changes. What is in an Any is read where it lies.
func bytesOf(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }
