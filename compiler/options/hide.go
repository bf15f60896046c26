package options

import "strings"

// Hide returns a text in which the values in braces of custom options are empty: spaces stand in the place of all that is
// printed there, so that whatever comes behind keeps its place. Nobody but [Set.Read] has to understand them then.
func Hide(text string) string {
	if !mayHide(text) {
		return text
	}
	var hidden []byte
	s := scanner{src: text}
	custom, equals := false, false // an option with a name in parentheses; "=" is before, or "=" and "-"
	for t := s.next(); t.kind != end; t = s.next() {
		c := text[t.start]
		switch {
		case t.kind != symbol:
		case c == '{' && custom && equals:
			stop := s.body()
			if stop < 0 {
				break
			}
			if hidden == nil {
				hidden = []byte(text)
			}
			for i := t.end; i < stop; i++ {
				if hidden[i] != '\n' && hidden[i] != '\r' && hidden[i] != '\t' {
					hidden[i] = ' '
				}
			}
		case c == '(':
			custom = true
		case strings.IndexByte(";{}[],", c) >= 0:
			custom = false
		}
		equals = t.kind == symbol && (c == '=' || equals && c == '-')
	}
	if hidden == nil {
		return text
	}
	return string(hidden)
}

// mayHide tells whether there may be a value in braces; most files have none.
func mayHide(text string) bool {
	for {
		_, rest, ok := strings.Cut(text, "=")
		if !ok {
			return false
		}
		text = rest
		if rest = strings.TrimLeft(rest, " \t\r\n\v\f"); rest != "" && strings.IndexByte("{/-", rest[0]) >= 0 {
			return true
		}
	}
}

// body passes over what is in braces, behind the first one, and returns where the last one is, or -1.
func (s *scanner) body() int {
	for depth := 1; ; {
		t := s.next()
		switch {
		case t.kind == end:
			return -1
		case t.kind == symbol && s.src[t.start] == '{':
			depth++
		case t.kind == symbol && s.src[t.start] == '}':
			if depth--; depth == 0 {
				return t.start
			}
		}
	}
}
