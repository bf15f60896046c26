//go:build !gc || purego || !amd64

package json

// This file gives the functions of plain_amd64.go word by word; see there.

const (
	minBlocks = 32
	hasBlocks = false
)

func copyPlain(b []byte, n int, v string) bool {
	ok := isPlain(v)
	if ok {
		copy(b[n:n+len(v)], v)
	}
	return ok
}

// isPlain tells whether s, which has eight bytes at least, is ASCII without anything to escape.
func isPlain(s string) bool {
	i, last := 0, len(s)-8
	all := ordinary(word(s, last))
	for ; i+24 <= last; i += 32 {
		all &= ordinary(word(s, i)) & ordinary(word(s, i+8)) & ordinary(word(s, i+16)) & ordinary(word(s, i+24))
		if all&highs != highs {
			return false
		}
	}
	for ; i < last; i += 8 {
		all &= ordinary(word(s, i))
	}
	return all&highs == highs
}

func plainBlocks(string) (n int, wide bool) { return 0, false }
