//go:build !gc || purego || !amd64

package rt

// There is no unspread here.
const hasUnspread = false

func unspread[T varintNumber](dst []T, _ Ptr, _, off, _ uint) ([]T, uint) { return dst, off }

func unspreadSome(_ *[someVarints]uint64, _ Ptr, _, off, _ uint) (count int, next uint) {
	return 0, off
}
