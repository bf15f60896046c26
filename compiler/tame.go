package compiler

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	options "github.com/octopus-framework/octopus/compiler/oldoptions"
)

// tame returns what protocompile is given to read in place of a text, of the same length, so that
// places in both are the same. It refuses some strings and comments that protoc does not mind, and
// reads the messages that options have as values in another way than protoc: options and reserved
// names are read from the text itself, see readOptions and readReserved.
func tame(text string) string {
	if !utf8.ValidString(text) || slices.ContainsFunc(misread, func(part string) bool {
		return strings.Contains(text, part)
	}) {
		var b strings.Builder
		last := 0
		for _, at := range stringOrComment.FindAllStringIndex(text, -1) {
			b.WriteString(text[last:at[0]])
			last = at[1]
			b.WriteString(tameToken(text[at[0]:last], text[last:]))
		}
		text = b.String() + text[last:]
	}
	return options.Hide(text)
}

// misread is what strings have that protocompile may misread: they are empty and just before
// another one, or have characters by number, which may be halves of surrogate pairs or too high.
var misread = []string{`"""`, "'''", `\u`, `\U`}

const (
	pair      = `\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}`
	surrogate = `\\(?:u|U0000)[dD][89a-fA-F][0-9a-fA-F]{2}`
	tooHigh   = `\\U001[1-9a-fA-F][0-9a-fA-F]{4}`
)

var (
	stringOrComment = regexp.MustCompile(
		`"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?|//[^\n]*|(?s:/\*.*?\*/)`)
	escaped = regexp.MustCompile(pair + `|` + surrogate + `|` + tooHigh + `|(?s:\\.)`)
)

// tameToken returns a string or comment without what protocompile cannot read. An empty string
// before another one is nothing: it takes the two for one that begins with three quotes.
func tameToken(token, behind string) string {
	if token == `""` && strings.HasPrefix(behind, `"`) || token == `''` &&
		strings.HasPrefix(behind, `'`) {
		return "  "
	}
	length := len(token)
	if token[0] != '/' {
		token = escaped.ReplaceAllStringFunc(token, func(escape string) string {
			switch len(escape) {
			case len(`\n`):
				return escape
			case len(`\ud83d\ude00`):
				character, _ := options.Strings(`"`+escape+`"`, 0)
				return character
			}
			return strings.Repeat("?", len(escape))
		})
	}
	return legible(token) + strings.Repeat(" ", length-len(token))
}

// legible replaces every byte that is not part of a character.
func legible(text string) string {
	if utf8.ValidString(text) {
		return text
	}
	b := []byte(text)
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 {
			b[i] = '?'
		}
		i += n
	}
	return string(b)
}
