package rt

import "slices"

// grow returns b with room for n more bytes.
func grow(b []byte, n int) []byte {
	if n > cap(b)-len(b) {
		return growSlow(b, n)
	}
	return b
}

// growSlow at least doubles the capacity; append would add a quarter, and copy long text three
// times as often.
//
//go:noinline
func growSlow(b []byte, n int) []byte { return slices.Grow(b, max(n, cap(b))) }
