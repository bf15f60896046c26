//go:build !gc || purego || !amd64

package rt

import "unicode/utf8"

// This file gives the functions of ascii_amd64.go word by word; see there.

const (
	minBlocks = 32
	hasBlocks = false
)

func putText(b []byte, name, v string) bool {
	n := len(b)
	if name != "" {
		n = putName(b, n, name)
	}
	_, ok := putPlain(b, n, v)
	return ok
}

// putPlain writes v in quotes to b from n on, where there is room, and returns where that ends. It
// fails if v is not ASCII without anything to escape. Short text is two or four words, which
// overlap: no loop, and no branch on how long it is.
func putPlain(b []byte, n int, v string) (end int, ok bool) {
	putByte(b, n, '"')
	n++
	end = n + len(v)
	last := len(v) - 8 // of the words
	switch {
	case len(v) >= minBlocks:
		if !isPlain(v) {
			return 0, false
		}
		copy(b[n:end], v)
	case len(v) >= 16:
		w, x, y, z := word(v, 0), word(v, 8), word(v, last-8), word(v, last)
		putWord(b, n, w)
		putWord(b, n+8, x)
		putWord(b, end-16, y)
		putWord(b, end-8, z)
		if ordinary(w)&ordinary(x)&ordinary(y)&ordinary(z)&highs != highs {
			return 0, false
		}
	case len(v) >= 8:
		w, x := word(v, 0), word(v, last)
		putWord(b, n, w)
		putWord(b, end-8, x)
		if ordinary(w)&ordinary(x)&highs != highs {
			return 0, false
		}
	case len(v) >= 4:
		w, x := half(v, 0), half(v, len(v)-4)
		putHalf(b, n, w)
		putHalf(b, end-4, x)
		if ordinary(uint64(w)|uint64(x)<<32)&highs != highs {
			return 0, false
		}
	default:
		for i := range len(v) {
			c := v[i]
			if c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf {
				return 0, false
			}
			putByte(b, n+i, c)
		}
	}
	putByte(b, end, '"')
	return end + 1, true
}

// isPlain tells whether s, which has eight bytes at least, is ASCII without anything to escape.
func isPlain(s string) bool {
	i, last := 0, len(s)-8
	all := ordinary(word(s, last))
	for ; i+24 <= last; i += 32 {
		all &= ordinary(word(s, i)) & ordinary(word(s, i+8)) & ordinary(word(s,
			i+16)) & ordinary(word(s, i+24))
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

// ordinary has the highest bit of each byte set if none of w is special or above 0x7f.
func ordinary(w uint64) uint64 {
	return ((w ^ ones*0x02) + ones*0x5f) & ((w ^ ones*'\\') + ones*0x7f) &^ w
}
