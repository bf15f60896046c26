package rt

import "unicode/utf8"

// Skip goes behind a value, which it checks.
func (d *Decoder) Skip() {
	if end := valueEnd(d.s, d.off, d.depth); end >= 0 {
		d.off = end
		return
	}
	d.skip()
}

// skip is Skip for values with an error, which it finds: nothing of what valueEnd does is kept for
// that.
func (d *Decoder) skip() {
	switch c := d.next(); c {
	case '{':
		d.begin('{')
		for more := false; d.element(more, '}'); more = true {
			d.raw()
			d.colon()
			d.skip()
		}
	case '[':
		d.begin('[')
		for more := false; d.element(more, ']'); more = true {
			d.skip()
		}
	case '"':
		d.raw()
	case 't':
		d.literal("true")
	case 'f':
		d.literal("false")
	case 'n':
		d.literal("null")
	default:
		d.number("a value")
	}
}

// valueEnd returns the offset behind the value at s[i], -1 if there is none or it is nested too
// deeply.
func valueEnd(s string, i, depth int) int {
	i = spaceEnd(s, i)
	if i >= len(s) {
		return -1
	}
	switch open := s[i]; open {
	case '"':
		return stringEnd(s, i)
	case '{', '[':
		i = spaceEnd(s, i+1)
		if depth == 0 || i >= len(s) {
			return -1
		}
		end := open + 2 // in ASCII
		if s[i] == end {
			return i + 1
		}
		for {
			if open == '{' {
				if i = spaceEnd(s, i); i >= len(s) || s[i] != '"' {
					return -1
				}
				if i = stringEnd(s, i); i < 0 {
					return -1
				}
				if i = spaceEnd(s, i); i >= len(s) || s[i] != ':' {
					return -1
				}
				i++
			}
			if i = valueEnd(s, i, depth-1); i < 0 {
				return -1
			}
			switch i = spaceEnd(s, i); {
			case i < len(s) && s[i] == ',':
				i++
			case i < len(s) && s[i] == end:
				return i + 1
			default:
				return -1
			}
		}
	case 't':
		return wordEnd(s, i, "true")
	case 'f':
		return wordEnd(s, i, "false")
	case 'n':
		return wordEnd(s, i, "null")
	}
	return numberEnd(s, i)
}

// spaceEnd returns the offset behind the space at s[i].
func spaceEnd(s string, i int) int {
	for i < len(s) && s[i] <= ' ' && (s[i] == ' ' || s[i] == '\n' || s[i] == '\r' || s[i] == '\t') {
		i++
	}
	return i
}

func wordEnd(s string, i int, word string) int {
	if len(s)-i < len(word) || s[i:i+len(word)] != word {
		return -1
	}
	return i + len(word)
}

// stringEnd returns the offset behind the string at s[i], -1 if it is not right.
func stringEnd(s string, i int) int {
	i++
	start := i
	n, wide := plain(s, i)
	for i += n; i+1 < len(s) && s[i] == '\\'; {
		if unescapes[s[i+1]] != 0 {
			i += 2
		} else if _, size := escape(s[i:]); size != 0 {
			i += size
		} else {
			return -1
		}
		n, w := plain(s, i)
		i, wide = i+n, wide || w
	}
	if i >= len(s) || s[i] != '"' || wide && !utf8.ValidString(s[start:i]) {
		return -1
	}
	return i + 1
}
