package oldoptions

import "strings"

// Hide returns a text in which the values in braces of custom options and of declarations of
// extensions are empty: spaces stand in the place of all that is printed there, so that whatever
// comes behind keeps its place. Nobody but [Set.Read] has to understand them then. Of other options
// it hides what "#" takes away.
func Hide(text string) string {
	if !mayHide(text) {
		return text
	}
	var hidden []byte
	s := scanner{src: text}
	// the name of the option begins with parentheses, or is "declaration"
	custom := false
	begins, equals := false, false // "option", "[" or "," is before; "=" is, or "=" and "-"
	for t := s.next(); t.kind != end; t = s.next() {
		c := text[t.start]
		switch {
		case t.kind != symbol:
			custom = custom || begins && text[t.start:t.end] == "declaration"
		case c == '{' && equals:
			comment, stop := s.body()
			if stop < 0 || !custom && comment < 0 {
				break
			}
			if hidden == nil {
				hidden = []byte(text)
			}
			start := t.end
			if !custom {
				start = comment
			}
			for i := start; i < stop; i++ {
				if hidden[i] != '\n' && hidden[i] != '\r' && hidden[i] != '\t' {
					hidden[i] = ' '
				}
			}
		case c == '(' && begins:
			custom = true
		case strings.IndexByte(";{}[],", c) >= 0:
			custom = false
		}
		begins = t.kind == symbol && (c == '[' || c == ',') || t.kind == identifier &&
			text[t.start:t.end] == "option"
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
		if rest = strings.TrimLeft(rest, " \t\r\n\v\f"); rest != "" &&
			strings.IndexByte("{/-", rest[0]) >= 0 {
			return true
		}
	}
}

// body passes over what is in braces, behind the first one, and returns where "#" and the last one
// are, or -1.
func (s *scanner) body() (comment, stop int) {
	comment = -1
	for depth := 1; ; {
		t := s.next()
		switch {
		case t.kind == end:
			return comment, -1
		case t.kind == symbol && s.src[t.start] == '#' && comment < 0:
			comment = t.start
		case t.kind == symbol && s.src[t.start] == '{':
			depth++
		case t.kind == symbol && s.src[t.start] == '}':
			if depth--; depth == 0 {
				return comment, t.start
			}
		}
	}
}
