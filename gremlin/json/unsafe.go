//go:build !purego

package json

import "unsafe"

// view returns b as a string that shares its memory. b must not change while the string is in use; what is decoded from it is
// copied, so that nothing refers to it afterwards.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
