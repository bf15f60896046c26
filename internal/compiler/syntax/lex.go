package syntax

import "strings"

// class is what a byte may begin.
type class uint8

const (
	control class = iota // nothing
	space
	letter
	digit
	quote
	symbol
	foreign // a byte that is not ASCII
)

var classes = func() (c [256]class) {
	for i := range c {
		switch b := byte(i); {
		case b == ' ' || '\t' <= b && b <= '\r':
			c[i] = space
		case isLetter(b):
			c[i] = letter
		case isDigit(b):
			c[i] = digit
		case b == '"' || b == '\'':
			c[i] = quote
		case b >= 0x80:
			c[i] = foreign
		case b >= ' ':
			c[i] = symbol
		}
	}
	return c
}()

// words tells which bytes go on with a word.
var words = func() (w [256]bool) {
	for i := range w {
		w[i] = isLetter(byte(i)) || isDigit(byte(i))
	}
	return w
}()

// lexer cuts a text into tokens as protoc does: a sign is never part of a number.
type lexer struct {
	text   string
	pos    int
	tokens []Token
	wrong  func(start, end int, message, hint string)
}

// run reads all of the text. What is wrong in it is reported and passed over.
func (l *lexer) run() {
	for l.pos < len(l.text) {
		start := l.pos
		c := l.text[start]
		switch classes[c] {
		case space:
			l.pos++
		case letter:
			for l.pos++; l.pos < len(l.text) && words[l.text[l.pos]]; {
				l.pos++
			}
			l.add(Ident, start)
		case digit:
			l.add(l.number(), start)
		case quote:
			l.quoted()
			l.add(String, start)
		case symbol:
			switch {
			case c == '/' && l.comment():
			case c == '.' && start+1 < len(l.text) && isDigit(l.text[start+1]):
				l.point()
				l.add(l.number(), start)
			default:
				l.pos++
				l.add(Symbol, start)
			}
		case control:
			l.pass(control)
			l.wrong(start, l.pos, "a control character that has no meaning here", "remove it")
		case foreign:
			l.pass(foreign)
			l.wrong(start, l.pos, "characters that are not ASCII have no meaning outside of "+
				"strings and comments", "")
		}
	}
	l.add(EOF, l.pos)
}

func (l *lexer) add(k Kind, start int) {
	l.tokens = append(l.tokens, Token{int32(start), int32(l.pos), k})
}

// pass passes over all bytes of a class.
func (l *lexer) pass(c class) {
	for l.pos < len(l.text) && classes[l.text[l.pos]] == c {
		l.pos++
	}
}

// point refuses a number that begins with a point right behind a word.
func (l *lexer) point() {
	if n := len(l.tokens); n > 0 && l.tokens[n-1].Kind == Ident &&
		int(l.tokens[n-1].End) == l.pos {
		l.wrong(l.pos, l.pos+1, "a point between a word and a digit", "a part of a name begins "+
			"with a letter; put a space before a number")
	}
}

// comment passes over a comment and reports whether there is one.
func (l *lexer) comment() bool {
	start, rest := l.pos, l.text[l.pos:]
	switch {
	case strings.HasPrefix(rest, "//"):
		n := strings.IndexByte(rest, '\n')
		if n < 0 {
			n = len(rest)
		}
		if at := strings.IndexByte(rest[:n], 0); at >= 0 {
			n = at // protoc takes it for the end of the comment, and refuses it then
		}
		l.pos += n
	case strings.HasPrefix(rest, "/*"):
		n := strings.Index(rest[2:], "*/")
		if n < 0 {
			l.pos = len(l.text)
			l.wrong(start, start+2, "a comment that does not end", `end it with "*/"`)
			return true
		}
		l.pos += n + len("/**/")
		if at := strings.Index(rest[2:n+3], "/*"); at >= 0 {
			l.wrong(start+2+at, start+4+at, `"/*" in a comment`, "comments cannot be nested")
		} else if at := strings.IndexByte(rest[:n+2], 0); at >= 0 {
			l.wrong(start+at, start+at+1, "a control character in a comment", "remove it")
		}
	default:
		return false
	}
	return true
}

func (l *lexer) while(fits func(byte) bool) (some bool) {
	start := l.pos
	for l.pos < len(l.text) && fits(l.text[l.pos]) {
		l.pos++
	}
	return l.pos > start
}

// one passes over a byte that is one of those in set.
func (l *lexer) one(set string) bool {
	if l.pos < len(l.text) && strings.IndexByte(set, l.text[l.pos]) >= 0 {
		l.pos++
		return true
	}
	return false
}

func (l *lexer) number() Kind {
	start, k, wrong, hint := l.pos, Integer, "", ""
	zero := l.one("0")
	switch {
	case zero && l.one("xX"):
		if !l.while(isHex) {
			wrong = `"0x" without digits`
		}
	case zero && l.pos < len(l.text) && isDigit(l.text[l.pos]):
		l.while(isOctal)
		if l.while(isDigit) {
			wrong = "a number that begins with 0 is octal, and has no 8 and no 9"
			hint = "leave out the 0 for a decimal number"
		}
	default:
		l.while(isDigit)
		if l.one(".") {
			k = Float
			l.while(isDigit)
		}
		if l.one("eE") {
			k = Float
			l.one("+-")
			if !l.while(isDigit) {
				wrong = "an exponent without digits"
			}
		}
	}
	if l.pos < len(l.text) && wrong == "" {
		switch c := l.text[l.pos]; {
		case isLetter(c):
			wrong, hint = "a number that runs into a word", "put a space between them"
		case c == '.' && k == Float:
			wrong = "a number with two points, or a point behind its exponent"
		case c == '.':
			wrong = "a hexadecimal or octal number is an integer"
		}
	}
	if wrong != "" {
		l.wrong(start, l.pos, wrong, hint)
	}
	return k
}

func (l *lexer) quoted() {
	start, delimiter := l.pos, l.text[l.pos]
	for l.pos++; l.pos < len(l.text); {
		c := l.text[l.pos]
		switch {
		case c == delimiter:
			l.pos++
			return
		case c == '\n' || c == 0:
			l.unterminated(start)
			return
		case c == '\\':
			at := l.pos
			l.pos++
			if message := l.escape(); message != "" {
				l.wrong(at, max(l.pos, min(at+2, len(l.text))), message, "")
			}
		default:
			l.pos++
		}
	}
	l.unterminated(start)
}

func (l *lexer) unterminated(start int) {
	hint := `end it with "`
	if l.text[start] == '\'' {
		hint = "end it with '"
	}
	l.wrong(start, l.pos, "a string that does not end in its line", hint)
}

// escape passes over what follows a backslash, and says what is wrong in it.
func (l *lexer) escape() (wrong string) {
	hex := func(n int) bool {
		for range n {
			if l.pos == len(l.text) || !isHex(l.text[l.pos]) {
				return false
			}
			l.pos++
		}
		return true
	}
	switch {
	case l.one(`abfnrtv\?'"01234567`):
	case l.one("xX"):
		if !hex(1) {
			wrong = `"\x" is followed by hexadecimal digits`
		}
	case l.one("u"):
		if !hex(4) {
			wrong = `"\u" is followed by four hexadecimal digits`
		}
	case l.one("U"):
		zeros := 0
		for zeros < 2 && l.one("0") {
			zeros++
		}
		if zeros < 2 || !l.one("01") || !hex(5) {
			wrong = `"\U" is followed by eight hexadecimal digits, up to 0010ffff`
		}
	default:
		wrong = "an escape that there is not"
	}
	return wrong
}

func isLetter(c byte) bool { return c == '_' || 'a' <= c|0x20 && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isOctal(c byte) bool  { return '0' <= c && c <= '7' }
func isHex(c byte) bool    { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }
