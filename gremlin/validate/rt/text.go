package rt

import "unicode/utf8"

// Len returns how many characters s has.
func Len(s string) uint64 { return uint64(utf8.RuneCountInString(s)) }

// class is a set of ASCII characters.
type class [2]uint64

// classOf returns the letters and digits, and the characters of more.
func classOf(more string) (c class) {
	for _, r := range "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz" + more {
		c[r>>6] |= 1 << (r & 63)
	}
	return c
}

func (c *class) has(b byte) bool { return b < 0x80 && c[b>>6]>>(b&63)&1 != 0 }

// span returns how many characters of c s starts with.
func (c *class) span(s string) int {
	for i := range len(s) {
		if !c.has(s[i]) {
			return i
		}
	}
	return len(s)
}

func isDigit(b byte) bool  { return '0' <= b && b <= '9' }
func isLetter(b byte) bool { return 'a' <= b|0x20 && b|0x20 <= 'z' }

// hexDigit returns the value of a hex digit, 16 for anything else.
func hexDigit(b byte) byte {
	switch {
	case isDigit(b):
		return b - '0'
	case 'a' <= b|0x20 && b|0x20 <= 'f':
		return b | 0x20 - 'a' + 10
	}
	return 16
}
