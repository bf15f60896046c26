//go:build !count

package rt

// move copies src to dst, which may overlap.
func move(dst, src []byte) { copy(dst, src) }
