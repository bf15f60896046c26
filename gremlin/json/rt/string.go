package rt

import (
	"math/bits"
	"unicode/utf8"

	"github.com/octopus-framework/octopus/gremlin/rt"
)

// Eight bytes of text at a time are looked at as one number; the first byte is the lowest.
const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// load returns the eight bytes of s from i on.
func load(s string, i int) uint64 {
	s = s[i : i+8]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 | uint64(s[4])<<32 |
		uint64(s[5])<<40 |
		uint64(s[6])<<48 | uint64(s[7])<<56
}

// Of bytes below 0x80, b^0x02 is below 0x21 for control characters and for quotes alone, and b^'\\'
// is 0 for backslashes alone. What is added makes the highest bit say so, without a carry to the
// next byte.

// special marks the bytes of w that end a run of plain characters, by their highest bit: quotes,
// backslashes and control characters. Bytes above 0x7f are not marked.
func special(w uint64) uint64 {
	t := w &^ highs
	return ^(((t ^ ones*0x02) + ones*0x5f) & ((t ^ ones*'\\') + ones*0x7f)) &^ w & highs
}

// plain returns the length of the run of plain characters that starts at s[i], and whether it holds
// bytes above 0x7f.
func plain(s string, i int) (n int, wide bool) {
	start, seen := i, uint64(0)
	for i+8 <= len(s) {
		w := load(s, i)
		if m := special(w); m != 0 {
			k := bits.TrailingZeros64(m)
			seen |= w & (1<<(uint(k)&^7) - 1)
			return i - start + k>>3, seen&highs != 0
		}
		seen |= w
		i += 8
		if hasBlocks && i == start+8 && len(s)-i >= minBlocks {
			n, wide := plainBlocks(s[i:])
			i += n
			if wide {
				seen = highs
			}
		}
	}
	for ; i < len(s); i++ {
		c := s[i]
		if c < ' ' || c == '"' || c == '\\' {
			break
		}
		seen |= uint64(c)
	}
	return i - start, seen&highs != 0
}

// StringField appends a field of type string.
func (e *Encoder) StringField(b []byte, f *Field, v string) []byte {
	if v == "" && !e.all {
		return b
	}
	name := f.Name
	if e.proto {
		name = e.name(f)
	}
	n := len(name) + len(v) + 2
	b = grow(b, n)
	if !putText(b, name, v) {
		return e.stringSlow(b[:len(b)+len(name)], v)
	}
	return b[:len(b)+n]
}

// String appends a value. Invalid UTF-8 is an error.
func (e *Encoder) String(b []byte, v string) []byte {
	n := len(v) + 2
	b = grow(b, n)
	if !putText(b, "", v) {
		return e.stringSlow(b, v)
	}
	return b[:len(b)+n]
}

func (e *Encoder) stringSlow(b []byte, v string) []byte {
	nb, ok := appendQuoted(b, v)
	if !ok {
		return e.fail(b, rt.InvalidUTF8, "")
	}
	return nb
}

const hexDigits = "0123456789abcdef"

// appendQuoted appends v between quotes, and tells whether it is UTF-8. No more is escaped than
// must be. Eight bytes without anything to escape are copied as one; otherwise each has its word in
// escapes, so that no branch depends on where the escapes are.
func appendQuoted(b []byte, v string) (nb []byte, ok bool) {
	const most = 8*longestEscape + 8
	b = grow(b, 1+most)
	n := len(b)
	putByte(b, n, '"')
	n++
	wide, wideEnd := len(v), 0 // all that is not ASCII lies between
	i := 0
	for ; i+8 <= len(v); i += 8 {
		if cap(b)-n < most {
			b = growSlow(b[:n], most)
		}
		x := word(v, i)
		if x&highs != 0 {
			wide, wideEnd = min(wide, i), i+8
		}
		if special(x) == 0 {
			putWord(b, n, x)
			n += 8
			continue
		}
		w := v[i : i+8]
		n = putEscaped(b, putEscaped(b, n, w[0]), w[1])
		n = putEscaped(b, putEscaped(b, n, w[2]), w[3])
		n = putEscaped(b, putEscaped(b, n, w[4]), w[5])
		n = putEscaped(b, putEscaped(b, n, w[6]), w[7])
	}
	b = grow(b[:n], most)
	for ; i < len(v); i++ {
		if v[i] >= utf8.RuneSelf {
			wide, wideEnd = min(wide, i), len(v)
		}
		n = putEscaped(b, n, v[i])
	}
	putByte(b, n, '"')
	return b[:n+1], wide >= wideEnd || utf8.ValidString(v[wide:wideEnd])
}

// putEscaped writes what stands for c to b from n on and returns where it ends.
func putEscaped(b []byte, n int, c byte) int {
	e := escapes[c]
	putWord(b, n, e)
	return n + int(e>>56)
}

// longestEscape is how many bytes stand for one at most.
const longestEscape = 6

// escapes has for each byte what stands for it in a string, the first byte lowest, and in the
// highest byte how many bytes that is.
var escapes = func() (all [256]uint64) {
	for c := range all {
		text := string([]byte{byte(c)})
		if short := shortEscapes[c]; short != 0 {
			text = string([]byte{'\\', short})
		} else if c < ' ' {
			text = string([]byte{'\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15]})
		}
		for i := range len(text) {
			all[c] |= uint64(text[i]) << (8 * i)
		}
		all[c] |= uint64(len(text)) << 56
	}
	return all
}()

// shortEscapes has the letters of the escapes that have one.
var shortEscapes = [256]byte{'"': '"', '\\': '\\', '\n': 'n', '\r': 'r', '\t': 't', '\b': 'b',
	'\f': 'f'}

// store writes w to the eight bytes of b.
func store(b []byte, w uint64) {
	_ = b[7]
	b[0], b[1], b[2], b[3] = byte(w), byte(w>>8), byte(w>>16), byte(w>>24)
	b[4], b[5], b[6], b[7] = byte(w>>32), byte(w>>40), byte(w>>48), byte(w>>56)
}

const base64Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

// Bytes appends a value in base64.
func (e *Encoder) Bytes(b []byte, v []byte) []byte {
	at := len(b)
	n := (len(v) + 2) / 3 * 4
	b = grow(b, n+2)[:at+n+2]
	w := b[at+1:]
	for len(v) >= 3 && len(w) >= 4 {
		x := uint(v[0])<<16 | uint(v[1])<<8 | uint(v[2])
		w[0], w[1], w[2], w[3] = base64Digits[x>>18&63], base64Digits[x>>12&63],
			base64Digits[x>>6&63], base64Digits[x&63]
		v, w = v[3:], w[4:]
	}
	switch len(v) {
	case 1:
		w[0], w[1], w[2], w[3] = base64Digits[v[0]>>2], base64Digits[v[0]<<4&63], '=', '='
	case 2:
		w[0], w[1], w[2], w[3] = base64Digits[v[0]>>2], base64Digits[v[0]<<4&63|v[1]>>4],
			base64Digits[v[1]<<2&63], '='
	}
	b[at], b[len(b)-1] = '"', '"'
	return b
}
