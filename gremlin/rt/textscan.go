package rt

import (
	"math"
	"strconv"
	"unicode/utf8"
)

// textScanner reads the tokens of the text format. Its methods return nil or what is wrong.
type textScanner struct {
	text string // UTF-8
	off  int    // offset of what comes next
}

// fail returns an error about what is at an offset.
func (s *textScanner) fail(off int, code Code, detail string) *Error {
	e := &Error{Code: code, Offset: off, Detail: detail, Line: 1, Column: 1}
	for _, c := range s.text[:off] {
		e.Column++
		if c == '\n' {
			e.Line++
			e.Column = 1
		}
	}
	return e
}

// expected returns the error that something else was expected than what comes next.
func (s *textScanner) expected(what string) *Error {
	if s.off >= len(s.text) {
		return s.fail(s.off, BadSyntax, "expected "+what+", found the end")
	}
	r, _ := utf8.DecodeRuneInString(s.text[s.off:])
	return s.fail(s.off, BadSyntax, "expected "+what+", found "+strconv.QuoteRune(r))
}

// quoted returns a name for an error.
func quoted(name string) string {
	if len(name) > maxPath {
		return strconv.Quote(name[:maxPath]) + "..."
	}
	return strconv.Quote(name)
}

// peek passes over white space and comments and returns the byte behind them, 0 at the end.
func (s *textScanner) peek() byte {
	for s.off < len(s.text) {
		switch c := s.text[s.off]; c {
		case ' ', '\t', '\n', '\r', '\v', '\f':
			s.off++
		case '#':
			for s.off < len(s.text) && s.text[s.off] != '\n' {
				s.off++
			}
		default:
			return c
		}
	}
	return 0
}

// accept passes over c if it comes next.
func (s *textScanner) accept(c byte) bool {
	if s.peek() != c {
		return false
	}
	s.off++
	return true
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' || c == '_' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }

// word returns the letters and digits that come next.
func (s *textScanner) word() string {
	start := s.off
	for s.off < len(s.text) && (isLetter(s.text[s.off]) || isDigit(s.text[s.off])) {
		s.off++
	}
	return s.text[start:s.off]
}

// identifier returns the name that comes next, empty if there is none.
func (s *textScanner) identifier() string {
	if !isLetter(s.peek()) {
		return ""
	}
	return s.word()
}

// bracketed returns the name in brackets that comes next, without white space, and whether it is
// one of a type, which an Any holds, or one of an extension.
func (s *textScanner) bracketed() (name string, isType bool, err *Error) {
	start := s.off
	s.off++
	var kept []byte
	spaced := false // there was white space before off
	for {
		before := s.off
		c := s.peek()
		spaced = spaced || s.off != before
		if c == ']' {
			break
		}
		if c == 0 || !isURL(c) {
			return "", false, s.expected(`"]"`)
		}
		// A name may be broken at its dots and slashes.
		if spaced && len(kept) > 0 && c != '.' && c != '/' && kept[len(kept)-1] != '.' &&
			kept[len(kept)-1] != '/' {
			return "", false, s.expected(`"]"`)
		}
		spaced = false
		kept = append(kept, c)
		s.off++
	}
	s.off++
	name = string(kept)
	isType = typeOfURL(name) != ""
	if !isType && !isFullName(name) {
		return "", false, s.fail(start, BadSyntax,
			quoted(name)+" is no name of an extension or a type")
	}
	return name, isType, nil
}

// isURL tells whether c may be in the URL of a type.
func isURL(c byte) bool {
	switch c {
	case '/', '-', '.', '~', '!', '$', '&', '(', ')', '*', '+', ',', ';', '=', '%':
		return true
	}
	return isLetter(c) || isDigit(c)
}

// isFullName tells whether s is identifiers with dots between them.
func isFullName(s string) bool {
	start := true
	for i := range len(s) {
		switch c := s[i]; {
		case c == '.' && !start:
			start = true
		case isLetter(c), isDigit(c) && !start:
			start = false
		default:
			return false
		}
	}
	return !start
}

// typeOfURL returns the name of the type in "type.googleapis.com/shop.v1.Deposit", "" if that
// cannot be a name in text.
func typeOfURL(url string) string {
	slash := -1
	for i := range len(url) {
		switch c := url[i]; {
		case !isURL(c), c == '%' && (i+2 >= len(url) || hexDigit(url[i+1]) > 15 ||
			hexDigit(url[i+2]) > 15):
			return ""
		case c == '/':
			slash = i
		}
	}
	if slash <= 0 || url[0] == '/' || !isFullName(url[slash+1:]) {
		return ""
	}
	return url[slash+1:]
}

// hexDigit returns the value of a hexadecimal digit, 255 if c is none.
func hexDigit(c byte) byte {
	switch {
	case isDigit(c):
		return c - '0'
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10
	}
	return 255
}

// strings appends the string literals that come next, one behind the other, to dst.
func (s *textScanner) strings(dst []byte) ([]byte, *Error) {
	if c := s.peek(); c != '"' && c != '\'' {
		return dst, s.expected("a string")
	}
	for {
		quote := s.peek()
		if quote != '"' && quote != '\'' {
			return dst, nil
		}
		start := s.off
		s.off++
		for {
			plain := s.off
			for s.off < len(s.text) && s.text[s.off] != quote && s.text[s.off] != '\\' &&
				s.text[s.off] != '\n' && s.text[s.off] != 0 {
				s.off++
			}
			dst = append(dst, s.text[plain:s.off]...)
			if s.off == len(s.text) || s.text[s.off] == '\n' || s.text[s.off] == 0 {
				return dst, s.fail(start, BadSyntax, "string without an end")
			}
			s.off++
			if s.text[s.off-1] == quote {
				break
			}
			var ok bool
			at := s.off - 1
			if dst, ok = s.escape(dst); !ok {
				return dst, s.fail(at, BadSyntax, "bad escape sequence in a string")
			}
		}
	}
}

// escape appends what the escape sequence behind a backslash stands for.
func (s *textScanner) escape(dst []byte) (_ []byte, ok bool) {
	if s.off >= len(s.text) {
		return dst, false
	}
	c := s.text[s.off]
	s.off++
	const names, values = `abfnrtv?\'"`, "\a\b\f\n\r\t\v?\\'\""
	for i := range len(names) {
		if c == names[i] {
			return append(dst, values[i]), true
		}
	}
	switch {
	case '0' <= c && c <= '7':
		s.off--
		v, _ := s.digits(3, 8)
		return append(dst, byte(v)), v <= 0xff
	case c == 'x':
		v, n := s.digits(2, 16)
		return append(dst, byte(v)), n > 0
	case c == 'u': // two surrogates are not one character here, as they are in JSON
		v, n := s.digits(4, 16)
		return utf8.AppendRune(dst, rune(v)), n == 4 && utf8.ValidRune(rune(v))
	case c == 'U':
		v, n := s.digits(8, 16)
		return utf8.AppendRune(dst, rune(v)), n == 8 && v <= utf8.MaxRune && utf8.ValidRune(rune(v))
	}
	return dst, false
}

// digits returns the value of the digits that come next and how many there are, no more than limit.
func (s *textScanner) digits(limit int, base uint32) (v uint32, n int) {
	for n < limit && s.off < len(s.text) && uint32(hexDigit(s.text[s.off])) < base {
		v = v*base + uint32(hexDigit(s.text[s.off]))
		s.off++
		n++
	}
	return v, n
}

// literal is a number or a name without quotes.
type literal struct {
	at       int // offset
	negative bool
	text     string // the number without its sign
	name     bool
}

// literal returns the literal that comes next. Of a number only the characters have been looked at.
func (s *textScanner) literal(what string) (l literal, err *Error) {
	c := s.peek()
	l.at = s.off
	if c == '-' {
		l.negative = true
		s.off++
		c = s.peek()
	}
	switch start := s.off; {
	case isLetter(c):
		l.name = true
		l.text = s.word()
	case isDigit(c) || c == '.':
		for s.off < len(s.text) {
			c, last := s.text[s.off], s.text[max(s.off-1, start)]
			if !isDigit(c) && !isLetter(c) && c != '.' &&
				(c != '-' && c != '+' || last|0x20 != 'e') {
				break
			}
			s.off++
		}
		l.text = s.text[start:s.off]
	default:
		return l, s.expected(what)
	}
	if s.off < len(s.text) {
		if c := s.text[s.off]; c == '-' || c == '+' || c == '.' {
			return l, s.expected("a space")
		}
	}
	return l, nil
}

// unsigned returns the magnitude of an integer: decimal, octal with a 0 in front, or hexadecimal
// with 0x.
func (l *literal) unsigned() (v uint64, ok bool) {
	digits, base := l.text, uint64(10)
	if l.name {
		return 0, false
	}
	if len(digits) > 1 && digits[0] == '0' {
		digits, base = digits[1:], 8
		if digits[0]|0x20 == 'x' {
			digits, base = digits[1:], 16
		}
	}
	for i := range len(digits) {
		d := uint64(hexDigit(digits[i]))
		if d >= base || v > math.MaxUint64/base || v*base > math.MaxUint64-d {
			return 0, false
		}
		v = v*base + d
	}
	return v, len(digits) > 0
}

// signed returns an integer of so many bits.
func (l *literal) signed(bits uint) (int64, bool) {
	v, ok := l.unsigned()
	limit := uint64(1) << (bits - 1)
	if l.negative {
		return -int64(v), ok && v <= limit
	}
	return int64(v), ok && v < limit
}

// float returns a number of 32 or 64 bits. What is too large is infinite.
func (l *literal) float(bits int) (v float64, ok bool) {
	digits := l.text
	switch {
	case l.name:
		switch s := l.text; {
		case len(s) > len("infinity"):
			return 0, false
		case equalFold(s, "inf"), equalFold(s, "infinity"):
			v = math.Inf(1)
		case equalFold(s, "nan"):
			return math.NaN(), true
		default:
			return 0, false
		}
	default:
		if last := len(digits) - 1; digits[last]|0x20 == 'f' {
			digits = digits[:last]
		}
		if !isDecimal(digits) {
			return 0, false
		}
		v, _ = strconv.ParseFloat(digits, bits) // the error is that it is too large
	}
	if l.negative {
		v = -v
	}
	return v, true
}

// isDecimal tells whether s is digits with a dot and an exponent in the right places. An integer
// has no needless 0 in front, which would make it octal.
func isDecimal(s string) bool {
	i := 0
	run := func() int {
		start := i
		for i < len(s) && isDigit(s[i]) {
			i++
		}
		return i - start
	}
	n := run()
	if n > 1 && s[0] == '0' {
		return false
	}
	if i < len(s) && s[i] == '.' {
		i++
		n += run()
	}
	if n > 0 && i < len(s) && s[i]|0x20 == 'e' {
		i++
		if i < len(s) && (s[i] == '+' || s[i] == '-') {
			i++
		}
		n = run()
	}
	return n > 0 && i == len(s)
}
