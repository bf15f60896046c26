//go:build !gc || purego || !amd64

package rt

// There is no validVector here.
const (
	hasVector = false
	minVector = 0
)

func validVector(p Ptr, start, end uint) bool { return validRunes(p, start, end) }
