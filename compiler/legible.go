package compiler

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// legible replaces what is not UTF-8 in the comments of a text. protoc does not care about comments, and there are files with
// names in Latin-1; protocompile rejects them. Anywhere else such bytes stay for it to report.
func legible(text string) string {
	if utf8.ValidString(text) {
		return text
	}
	return stringOrComment.ReplaceAllStringFunc(text, func(s string) string {
		if s[0] == '/' {
			return strings.ToValidUTF8(s, "\ufffd")
		}
		return s
	})
}

var stringOrComment = regexp.MustCompile(`"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?|//[^\n]*|(?s:/\*.*?\*/)`)
