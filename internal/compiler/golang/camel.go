package golang

import (
	"go/token"
	"strings"
)

func isLower(c byte) bool { return 'a' <= c && c <= 'z' }
func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// camelCase turns a proto name, dots between nested names included, into the exported Go name of
// protoc-gen-go: an underscore or dot before a lower-case letter goes and the letter is raised;
// other dots become underscores.
func camelCase(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c := s[i]
		beforeLower := i+1 < len(s) && isLower(s[i+1])
		switch {
		case c == '.' && beforeLower:
		case c == '.':
			b.WriteByte('_')
		case c == '_' && (i == 0 || s[i-1] == '.'):
			b.WriteByte('X') // so that the name starts with a capital letter
		case c == '_' && beforeLower:
		case isDigit(c):
			b.WriteByte(c)
		default:
			if isLower(c) {
				c -= 'a' - 'A'
			}
			b.WriteByte(c)
			for i+1 < len(s) && isLower(s[i+1]) {
				i++
				b.WriteByte(s[i])
			}
		}
	}
	return b.String()
}

// CamelCase turns a proto name into the exported Go name of protoc-gen-go; nested names are joined
// with dots or underscores.
func CamelCase(s string) string { return camelCase(s) }

// packageName makes a Go package name of any string: what is no letter or digit becomes an
// underscore; a keyword, a leading digit, and what the go command takes for no package that can be
// imported get one in front, and underscores alone, of which one would be no name, two.
func packageName(s string) string {
	s = strings.Map(func(r rune) rune {
		if r == '_' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' {
			return r
		}
		return '_'
	}, s)
	switch {
	case strings.Trim(s, "_") == "":
		return "__" + s
	case isDigit(s[0]) || token.IsKeyword(s), s == "main", s == "documentation":
		return "_" + s
	}
	return s
}
