package query

import "unsafe"

// view returns b as a string that shares its memory. It changes when b does.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
