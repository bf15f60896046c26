package oldoptions

import "strings"

// kind is what a token is.
type kind byte

const (
	end kind = iota // of the text
	identifier
	integer
	float // a number with a point or an exponent
	quoted
	symbol // one byte
)

// token is a piece of a text.
type token struct {
	kind       kind
	start, end int
	wrong      string // what protoc would say against it, or ""
}

// scanner cuts a text into tokens as protoc does: its comments are those of Go, and a sign is never
// part of a number.
type scanner struct {
	src string
	pos int
}

func (s *scanner) next() token {
	s.space()
	t := token{start: s.pos}
	if s.pos == len(s.src) {
		t.end = s.pos
		return t
	}
	switch c := s.src[s.pos]; {
	case isLetter(c):
		t.kind = identifier
		s.while(isWord)
	case isDigit(c) || c == '.' && s.pos+1 < len(s.src) && isDigit(s.src[s.pos+1]):
		t.kind, t.wrong = s.number()
	case c == '"' || c == '\'':
		t.kind, t.wrong = quoted, s.quoted()
	default:
		t.kind = symbol
		if c < ' ' || c >= 0x7f {
			t.wrong = "this character has no meaning outside of strings and comments"
		}
		s.pos++
	}
	t.end = s.pos
	return t
}

// Skip returns what follows the white space and comments that a text begins with.
func Skip(text string) string {
	s := scanner{src: text}
	s.space()
	return text[s.pos:]
}

// space passes over white space and comments.
func (s *scanner) space() {
	for {
		rest := strings.TrimLeft(s.src[s.pos:], " \t\r\n\v\f")
		s.pos = len(s.src) - len(rest)
		stop := ""
		switch {
		case strings.HasPrefix(rest, "//"):
			stop = "\n"
		case strings.HasPrefix(rest, "/*"):
			stop = "*/"
		default:
			return
		}
		n := strings.Index(rest[2:], stop)
		if n < 0 {
			s.pos = len(s.src)
			return
		}
		s.pos += 2 + n + len(stop)
	}
}

func (s *scanner) while(fits func(byte) bool) (some bool) {
	start := s.pos
	for s.pos < len(s.src) && fits(s.src[s.pos]) {
		s.pos++
	}
	return s.pos > start
}

// one passes over a byte that is one of those in set.
func (s *scanner) one(set string) bool {
	if s.pos < len(s.src) && strings.IndexByte(set, s.src[s.pos]) >= 0 {
		s.pos++
		return true
	}
	return false
}

func (s *scanner) number() (k kind, wrong string) {
	k = integer
	zero := s.one("0")
	switch {
	case zero && s.one("xX"):
		if !s.while(isHex) {
			wrong = `"0x" without digits`
		}
	case zero && s.pos < len(s.src) && isDigit(s.src[s.pos]):
		s.while(isOctal)
		if s.while(isDigit) {
			wrong = "a number that begins with 0 is an octal one"
		}
	default:
		s.while(isDigit)
		if s.one(".") {
			k = float
			s.while(isDigit)
		}
		if s.one("eE") {
			k = float
			s.one("+-")
			if !s.while(isDigit) {
				wrong = "an exponent without digits"
			}
		}
	}
	if s.pos < len(s.src) && wrong == "" {
		switch c := s.src[s.pos]; {
		case isLetter(c):
			wrong = "a number that runs into a word"
		case c == '.':
			wrong = "a point that does not belong into this number"
		}
	}
	return k, wrong
}

func (s *scanner) quoted() (wrong string) {
	delimiter := s.src[s.pos]
	for s.pos++; s.pos < len(s.src); {
		c := s.src[s.pos]
		switch {
		case c == '\n' || c == 0:
			return "a string that does not end in its line"
		case c == delimiter:
			s.pos++
			return wrong
		case c == '\\':
			s.pos++
			if !s.escape() {
				wrong = "a string with an escape that there is not"
			}
		default:
			s.pos++
		}
	}
	return "a string that does not end in its line"
}

// escape passes over what follows a backslash.
func (s *scanner) escape() bool {
	hex := func(n int) bool {
		for range n {
			if s.pos == len(s.src) || !isHex(s.src[s.pos]) {
				return false
			}
			s.pos++
		}
		return true
	}
	switch {
	case s.one(`abfnrtv\?'"01234567`):
		return true
	case s.one("xX"):
		return hex(1)
	case s.one("u"):
		return hex(4)
	case s.one("U"):
		for range 2 {
			if !s.one("0") {
				return false
			}
		}
		return s.one("01") && hex(5)
	}
	return false
}

func isLetter(c byte) bool { return c == '_' || 'a' <= c|0x20 && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isOctal(c byte) bool  { return '0' <= c && c <= '7' }
func isHex(c byte) bool    { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }
func isWord(c byte) bool   { return isLetter(c) || isDigit(c) }
