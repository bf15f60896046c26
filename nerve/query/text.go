package query

import (
	"strconv"
	"strings"
)

// keywords begin the parts of a query in one text.
var keywords = []string{"select", "by", "where", "having", "order", "limit"}

// Parse reads a query in one text: what to select, and behind the words by, where, having, order
// and limit the other parts.
//
//	sum(amount), count() by user.id where type == CARD order -count limit 10
//
// The error is an *Error.
func Parse(text string) (Query, error) {
	var q Query
	seen := map[string]bool{}
	word, begin := "select", 0
	take := func(end int) error {
		part := text[begin:end]
		if seen[word] {
			return &Error{Text: text, Offset: begin, Message: "a second " + word}
		}
		empty := strings.TrimSpace(part) == ""
		if empty && word == "select" {
			return nil
		}
		seen[word] = true
		if empty {
			return &Error{Text: text, Offset: begin, Message: "there is nothing behind " + word}
		}
		switch word {
		case "select":
			q.Select = split(part)
		case "by":
			q.By = split(part)
		case "where":
			q.Where = strings.TrimSpace(part)
		case "having":
			q.Having = strings.TrimSpace(part)
		case "order":
			q.Order = split(part)
		case "limit":
			n, err := strconv.Atoi(strings.TrimSpace(part))
			if err != nil || n < 0 {
				return &Error{Text: text, Offset: begin, Message: "a limit is a number of rows"}
			}
			q.Limit = n
		}
		return nil
	}
	for t := range tokens(text) {
		if t.depth != 0 || t.kind != wordToken {
			continue
		}
		for _, k := range keywords {
			if text[t.start:t.end] != k || !keywordAt(text, t) {
				continue
			}
			if err := take(t.start); err != nil {
				return Query{}, err
			}
			word, begin = k, t.end
			// "order by" is what SQL calls it.
			if k == "order" {
				rest := strings.TrimLeft(text[t.end:], " \t\n")
				if after, found := strings.CutPrefix(rest, "by "); found {
					begin = len(text) - len(after)
				}
			}
		}
	}
	if err := take(len(text)); err != nil {
		return Query{}, err
	}
	return q, nil
}

// keywordAt tells a keyword from a field that is called like it: one has a word, a bracket or
// nothing before it, and a value behind it.
func keywordAt(text string, t token) bool {
	before := strings.TrimRight(text[:t.start], " \t\r\n")
	after := strings.TrimLeft(text[t.end:], " \t\r\n")
	if before != "" && strings.ContainsRune("+-*/%<>=!&|?:,.(", rune(before[len(before)-1])) {
		return false
	}
	if after != "" && strings.ContainsRune("+*/%<>=!&|?:,.", rune(after[0])) {
		return false
	}
	// The "by" of "order by" is no part of its own.
	return !(text[t.start:t.end] == "by" && strings.HasSuffix(before, "order"))
}

// split splits a list at its commas, brackets and quotes left alone.
func split(list string) []string {
	var parts []string
	begin := 0
	for t := range tokens(list) {
		if t.depth == 0 && t.kind == otherToken && list[t.start] == ',' {
			parts = append(parts, strings.TrimSpace(list[begin:t.start]))
			begin = t.end
		}
	}
	return append(parts, strings.TrimSpace(list[begin:]))
}

type tokenKind uint8

const (
	wordToken  tokenKind = iota // a name, or a keyword
	otherToken                  // one character
	textToken                   // in quotes
)

// token is a piece of an expression; depth is how many brackets are open around it.
type token struct {
	kind       tokenKind
	start, end int
	depth      int
}

// tokens yields the tokens of an expression, spaces left out. Quotes are those of CEL.
func tokens(s string) func(yield func(token) bool) {
	return func(yield func(token) bool) {
		depth := 0
		for i := 0; i < len(s); {
			c := s[i]
			t := token{kind: otherToken, start: i, end: i + 1}
			switch {
			case c == ' ' || c == '\t' || c == '\n' || c == '\r':
				i++
				continue
			case c == '"' || c == '\'':
				t.kind, t.end = textToken, textEnd(s, i, false)
			case c == '`':
				t.kind = wordToken
				if n := strings.IndexByte(s[i+1:], '`'); n >= 0 {
					t.end = i + n + 2
				}
			case letter(c):
				t.kind = wordToken
				for t.end < len(s) && (letter(s[t.end]) || s[t.end] >= '0' && s[t.end] <= '9') {
					t.end++
				}
				prefix := strings.ToLower(s[i:t.end])
				quoted := t.end < len(s) && (s[t.end] == '"' || s[t.end] == '\'')
				if quoted && (prefix == "r" || prefix == "b" || prefix == "rb" || prefix == "br") {
					t.kind = textToken
					t.end = textEnd(s, t.end, strings.Contains(prefix, "r"))
				}
			case c == ')' || c == ']' || c == '}':
				depth = max(depth-1, 0)
			}
			t.depth = depth
			if c == '(' || c == '[' || c == '{' {
				depth++
			}
			if !yield(t) {
				return
			}
			i = t.end
		}
	}
}

func letter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_'
}

// textEnd returns where a text that begins at i ends.
func textEnd(s string, i int, raw bool) int {
	quote := s[i : i+1]
	if strings.HasPrefix(s[i:], strings.Repeat(quote, 3)) {
		quote = s[i : i+3]
	}
	for j := i + len(quote); j < len(s); j++ {
		switch {
		case s[j] == '\\' && !raw:
			j++
		case strings.HasPrefix(s[j:], quote):
			return j + len(quote)
		}
	}
	return len(s)
}
