package compiler

import (
	"regexp"
	"unicode/utf8"

	"github.com/octopus-framework/octopus/compiler/options"
)

// tame returns what protocompile is given to read in place of a text, of the same length, so that places in both are the
// same. It refuses bytes that are not UTF-8, which protoc does not mind in comments and strings, and reads the messages that
// custom options have as values in another way than protoc: those are read from the text itself, see readOptions.
func tame(text string) string {
	if !utf8.ValidString(text) {
		text = stringOrComment.ReplaceAllStringFunc(text, legible)
	}
	return options.Hide(text)
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

var stringOrComment = regexp.MustCompile(`"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?|//[^\n]*|(?s:/\*.*?\*/)`)
