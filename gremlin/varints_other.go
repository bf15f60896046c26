//go:build !gc || purego || !amd64

package gremlin

// There is no unspread here.
const (
	hasUnspread = false
	fewBytes    = 0
)

func unspread[T varintNumber](dst []T, _ Ptr, _, off, _ uint) ([]T, uint) { return dst, off }
