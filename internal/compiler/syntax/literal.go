package syntax

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Unquote returns what a string literal means; literal has its quotes, and may be any text of a
// String token, one with errors included.
func Unquote(literal string) string {
	if literal == "" {
		return ""
	}
	if n := len(literal); n > 1 && literal[n-1] == literal[0] {
		literal = literal[1 : n-1]
	} else {
		literal = literal[1:]
	}
	if strings.IndexByte(literal, '\\') < 0 {
		return literal
	}
	u := unquoter{rest: literal}
	for u.rest != "" {
		n := strings.IndexByte(u.rest, '\\')
		if n < 0 || n == len(u.rest)-1 {
			u.out = append(u.out, u.rest...)
			break
		}
		u.out = append(u.out, u.rest[:n]...)
		u.rest = u.rest[n+1:]
		u.escape()
	}
	return string(u.out)
}

// unquoter takes escapes from what is left of a literal.
type unquoter struct {
	rest string
	out  []byte
}

// escape reads what follows a backslash, one byte at least.
func (u *unquoter) escape() {
	c := u.rest[0]
	switch c {
	case 'x', 'X':
		u.rest = u.rest[1:]
		u.out = append(u.out, byte(u.digits(2, 16)))
	case 'u', 'U':
		u.rest = u.rest[1:]
		v := u.digits(4+4*int(c>>5&1^1), 16)
		if c == 'u' && 0xd800 <= v && v < 0xdc00 && strings.HasPrefix(u.rest, `\u`) {
			after := unquoter{rest: u.rest[2:]}
			if low := after.digits(4, 16); 0xdc00 <= low && low < 0xe000 {
				v = 0x10000 + (v-0xd800)<<10 + (low - 0xdc00)
				u.rest = after.rest
			}
		}
		u.out = appendRune(u.out, v)
	case '0', '1', '2', '3', '4', '5', '6', '7':
		u.out = append(u.out, byte(u.digits(3, 8)))
	default:
		u.rest = u.rest[1:]
		if at := strings.IndexByte(`abfnrtv\?'"`, c); at >= 0 {
			c = "\a\b\f\n\r\t\v\\?'\""[at]
		}
		u.out = append(u.out, c)
	}
}

// digits reads a number of at most so many digits.
func (u *unquoter) digits(most, base int) (v uint64) {
	fits := isHex
	if base == 8 {
		fits = isOctal
	}
	n := 0
	for n < most && n < len(u.rest) && fits(u.rest[n]) {
		n++
	}
	v, _ = strconv.ParseUint(u.rest[:n], base, 64) // 0 if there are none
	u.rest = u.rest[n:]
	return v
}

// appendRune appends a character as protoc does: half of a surrogate pair gets three bytes, as if
// it were a character, and a number above all characters stays the escape that it was.
func appendRune(b []byte, v uint64) []byte {
	switch {
	case v > utf8.MaxRune:
		return append(b, `\U00`+strconv.FormatUint(v, 16)...)
	case 0xd800 <= v && v < 0xe000:
		return append(b, 0xe0|byte(v>>12), 0x80|byte(v>>6&0x3f), 0x80|byte(v&0x3f))
	}
	return utf8.AppendRune(b, rune(v))
}

// ParseInteger reads the text of an Integer token; ok is false when it has more than 64 bits.
func ParseInteger(literal string) (v uint64, ok bool) {
	if len(literal) == 1 && isDigit(literal[0]) {
		return uint64(literal[0] - '0'), true
	}
	v, err := strconv.ParseUint(literal, 0, 64) // an octal number begins with 0, too
	return v, err == nil
}

// ParseFloat reads the text of a Float token, or of an Integer token that is decimal; what is out
// of range is infinite or 0.
func ParseFloat(literal string) float64 {
	v, _ := strconv.ParseFloat(literal, 64)
	return v
}
