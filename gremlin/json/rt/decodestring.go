package rt

import (
	"math/bits"
	"strings"
	"unicode/utf8"

	"github.com/octopus-framework/octopus/gremlin/rt"
)

// Short strings are copied into chunks that they share, because an allocation each costs more than
// all the rest of decoding. A string that outlives its message keeps at most maxChunk bytes alive.
const (
	maxChunk = 1024
	// longer strings are allocated alone, unless those of all the text fit into a chunk
	maxShort = 128
)

// text returns a copy of s.
func (d *Decoder) text(s string) string {
	if len(s) == 0 || len(s) > maxShort && len(d.s) > maxChunk {
		return strings.Clone(s)
	}
	if d.chunk.Cap()-d.chunk.Len() < len(s) {
		d.chunk = strings.Builder{}
		// No more than what the text has left, so that one small message does not pay for a whole
		// chunk.
		d.chunk.Grow(min(maxChunk, max(len(s), len(d.s)-d.off)))
	}
	n := d.chunk.Len()
	d.chunk.WriteString(s)
	return d.chunk.String()[n:]
}

// raw goes behind a string and returns what is between the quotes, and whether it has escapes. It
// is valid.
func (d *Decoder) raw() (text string, escaped bool) {
	if d.next() != '"' {
		d.wrongValue("a string")
		return "", false
	}
	s, start := d.s, d.off+1
	n, wide := plain(s, start)
	i := start + n
	for i < len(s) && s[i] == '\\' {
		_, size := escape(s[i:])
		if size == 0 {
			d.fail(rt.BadSyntax, i, "bad escape")
			return "", false
		}
		escaped = true
		i += size
		n, w := plain(s, i)
		i, wide = i+n, wide || w
	}
	if wide && !utf8.ValidString(s[start:i]) {
		d.fail(rt.InvalidUTF8, start, "")
		return "", false
	}
	if i >= len(s) || s[i] != '"' {
		d.off = i
		d.unexpected("the end of a string")
		return "", false
	}
	d.off = i + 1
	return s[start:i], escaped
}

// escape returns the character of the escape at the start of s, and the length of the escape: 0 for
// one that does not exist.
func escape(s string) (r rune, size int) {
	if len(s) < 2 {
		return 0, 0
	}
	switch c := s[1]; c {
	case '"', '\\', '/':
		return rune(c), 2
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	case 'u':
		r := hex4(s[2:])
		switch {
		case r < 0 || 0xdc00 <= r && r < 0xe000:
			return 0, 0
		case r < 0xd800 || r >= 0xe000:
			return r, 6
		case len(s) < 8 || s[6] != '\\' || s[7] != 'u':
			return 0, 0
		}
		if low := hex4(s[8:]); 0xdc00 <= low && low < 0xe000 {
			return (r-0xd800)<<10 + low - 0xdc00 + 0x10000, 12
		}
	}
	return 0, 0
}

func hex4(s string) rune {
	if len(s) < 4 {
		return -1
	}
	r := rune(0)
	for i := range 4 {
		c := s[i]
		switch {
		case c-'0' <= 9:
			c -= '0'
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return -1
		}
		r = r<<4 | rune(c)
	}
	return r
}

// unescape returns what s, which has valid escapes, says. The result is valid until the next call.
func (d *Decoder) unescape(s string) string {
	b := d.scratch[:0]
	for i := 0; i < len(s); {
		if s[i] == '\\' {
			r, size := escape(s[i:])
			b = utf8.AppendRune(b, r)
			i += size
			continue
		}
		n, _ := plain(s, i)
		b = append(b, s[i:i+n]...)
		i += n
	}
	d.scratch = b
	return view(b)
}

// content goes behind a string and returns what it says. The result is valid until the next call.
func (d *Decoder) content() string {
	if d.next() != '"' {
		d.wrongValue("a string")
		return ""
	}
	s, start := d.s, d.off+1
	n, wide := plain(s, start)
	if i := start + n; i < len(s) && s[i] == '"' && (!wide || utf8.ValidString(s[start:i])) {
		d.off = i + 1
		return s[start:i]
	}
	return d.unquote(start, start+n, wide)
}

// unescapes is what the escapes of one letter say.
var unescapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'n': '\n', 'r': '\r', 't': '\t',
	'b': '\b', 'f': '\f'}

// unquote goes behind the string whose text starts at start and is plain up to i, and returns what
// it says.
func (d *Decoder) unquote(start, i int, wide bool) string {
	s := d.s
	b := append(d.scratch[:0], s[start:i]...)
	seen := uint64(0)
	for i < len(s) && s[i] >= ' ' && s[i] != '"' {
		if s[i] != '\\' {
			if i+8 > len(s) {
				seen |= uint64(s[i])
				b = append(b, s[i])
				i++
				continue
			}
			b = grow(b, 8)
			n, k := len(b), 8
			x := load(s, i)
			store(b[n:n+8], x)
			if m := special(x); m != 0 {
				k = bits.TrailingZeros64(m) >> 3
				x &= 1<<(8*k) - 1
			}
			seen |= x
			b = b[:n+k]
			i += k
			continue
		}
		if i+1 < len(s) && unescapes[s[i+1]] != 0 {
			b = append(b, unescapes[s[i+1]])
			i += 2
			continue
		}
		r, size := escape(s[i:])
		if size == 0 {
			d.fail(rt.BadSyntax, i, "bad escape")
			return ""
		}
		b = utf8.AppendRune(b, r)
		i += size
	}
	d.scratch = b
	if (wide || seen&highs != 0) && !utf8.ValidString(s[start:i]) {
		d.fail(rt.InvalidUTF8, start, "")
		return ""
	}
	if d.off = i; i >= len(s) || s[i] != '"' {
		d.unexpected("the end of a string")
		return ""
	}
	d.off++
	return view(b)
}

// String reads a string.
func (d *Decoder) String(v *string) { *v = d.text(d.content()) }

// The digits of base64, both alphabets, with what tells them apart. 0 is no digit.
const (
	isStd = 1 << 8
	isURL = 1 << 9
)

// base64Values is the value of each digit and 1.
var base64Values = [256]uint16{
	'A': 1, 'B': 2, 'C': 3, 'D': 4, 'E': 5, 'F': 6, 'G': 7, 'H': 8, 'I': 9, 'J': 10, 'K': 11,
	'L': 12, 'M': 13,
	'N': 14, 'O': 15, 'P': 16, 'Q': 17, 'R': 18, 'S': 19, 'T': 20, 'U': 21, 'V': 22, 'W': 23,
	'X': 24, 'Y': 25, 'Z': 26,
	'a': 27, 'b': 28, 'c': 29, 'd': 30, 'e': 31, 'f': 32, 'g': 33, 'h': 34, 'i': 35, 'j': 36,
	'k': 37, 'l': 38, 'm': 39,
	'n': 40, 'o': 41, 'p': 42, 'q': 43, 'r': 44, 's': 45, 't': 46, 'u': 47, 'v': 48, 'w': 49,
	'x': 50, 'y': 51, 'z': 52,
	'0': 53, '1': 54, '2': 55, '3': 56, '4': 57, '5': 58, '6': 59, '7': 60, '8': 61, '9': 62,
	'+': 63 | isStd, '/': 64 | isStd, '-': 63 | isURL, '_': 64 | isURL,
}

// Bytes reads base64, in either alphabet, with or without padding.
func (d *Decoder) Bytes(v *[]byte) {
	d.next()
	at := d.off
	if s := d.content(); d.code == 0 {
		*v = d.base64(make([]byte, 0, len(s)/4*3+2), s, at)
	}
}

// base64 appends what s, a string at offset at, says.
func (d *Decoder) base64(b []byte, s string, at int) []byte {
	if len(s)%4 == 0 && strings.HasSuffix(s, "=") {
		s = strings.TrimSuffix(s[:len(s)-1], "=")
	}
	seen, x, n := uint16(0), uint(0), 0
	for ; n < len(s); n++ {
		v := base64Values[s[n]]
		if v == 0 {
			break
		}
		seen |= v
		if x = x<<6 | uint(v-1)&63; n&3 == 3 {
			b = append(b, byte(x>>16), byte(x>>8), byte(x))
		}
	}
	if n < len(s) || n&3 == 1 || seen&(isStd|isURL) == isStd|isURL {
		d.fail(rt.BadValue, at, "not base64")
		return b
	}
	switch n & 3 {
	case 2:
		b = append(b, byte(x>>4))
	case 3:
		b = append(b, byte(x>>10), byte(x>>2))
	}
	return b
}
