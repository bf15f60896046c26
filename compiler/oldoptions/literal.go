package oldoptions

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Strings returns the value of the literal that begins at an offset of a text: the bytes of one or
// more strings that follow each other. It reports whether all of them are right, and one is there.
func Strings(text string, offset int) (value string, ok bool) {
	s := scanner{text, offset}
	t := s.next()
	for ; t.kind == quoted; t = s.next() {
		if t.wrong != "" {
			return "", false
		}
		value, ok = value+unquote(text[t.start:t.end]), true
	}
	return value, ok
}

// unquote returns what a string means that the scanner found nothing wrong with.
func unquote(literal string) string {
	literal = literal[1 : len(literal)-1]
	if strings.IndexByte(literal, '\\') < 0 {
		return literal
	}
	var b []byte
	for i := 0; i < len(literal); i++ {
		if literal[i] != '\\' {
			b = append(b, literal[i])
			continue
		}
		i++
		digits := func(most int, fits func(byte) bool) string {
			n := 0
			for n < most && i+n < len(literal) && fits(literal[i+n]) {
				n++
			}
			i += n - 1
			return literal[i+1-n : i+1]
		}
		switch c := literal[i]; c {
		case 'x', 'X':
			i++
			v, _ := strconv.ParseUint(digits(2, isHex), 16, 8)
			b = append(b, byte(v))
		case 'u', 'U':
			i++
			v, _ := strconv.ParseUint(digits(4+4*int(c>>5&1^1), isHex), 16, 32)
			if c == 'u' && 0xd800 <= v && v < 0xdc00 && strings.HasPrefix(literal[i+1:], `\u`) {
				if low, _ := strconv.ParseUint(literal[i+3:i+7], 16, 32); 0xdc00 <= low &&
					low < 0xe000 {
					v = 0x10000 + (v-0xd800)<<10 + (low - 0xdc00)
					i += 6
				}
			}
			b = appendRune(b, v)
		case '0', '1', '2', '3', '4', '5', '6', '7':
			v, _ := strconv.ParseUint(digits(3, isOctal), 8, 16)
			b = append(b, byte(v))
		default:
			b = append(b, "\a\b\f\n\r\t\v\\?'\""[strings.IndexByte(`abfnrtv\?'"`, c)])
		}
	}
	return string(b)
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

// parseInteger reads a decimal, hexadecimal or octal number; ok is false when it has more than 64
// bits.
func parseInteger(literal string) (v uint64, ok bool) {
	v, err := strconv.ParseUint(literal, 0, 64) // an octal number begins with 0, too
	return v, err == nil
}

// parseFloat reads a decimal number; what is out of range is infinite or 0.
func parseFloat(literal string) float64 {
	v, _ := strconv.ParseFloat(literal, 64)
	return v
}

// nan is the one that protoc writes.
var nan = math.Float64frombits(0x7ff8 << 48)
