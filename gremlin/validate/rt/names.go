package rt

import "strings"

// IsUUID tells whether s is a UUID in its usual form.
func IsUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		switch i {
		case 8, 13, 18, 23:
			if s[i] != '-' {
				return false
			}
		default:
			if hexDigit(s[i]) > 15 {
				return false
			}
		}
	}
	return true
}

// IsTrimmedUUID tells whether s is a UUID without dashes.
func IsTrimmedUUID(s string) bool {
	for i := range len(s) {
		if hexDigit(s[i]) > 15 {
			return false
		}
	}
	return len(s) == 32
}

// IsULID tells whether s is a ULID: 26 digits of Crockford's base 32, and no more than 128 bits.
func IsULID(s string) bool {
	if len(s) != 26 || s[0] > '7' {
		return false
	}
	for i := range len(s) {
		c := s[i]
		if !isDigit(c) && (!isLetter(c) || strings.IndexByte("ilou", c|0x20) >= 0) {
			return false
		}
	}
	return true
}

// IsName tells whether s is the full name of something in a .proto file.
func IsName(s string) bool {
	start := true
	for i := range len(s) {
		switch c := s[i]; {
		case isLetter(c), c == '_', isDigit(c) && !start:
			start = false
		case c == '.' && !start:
			start = true
		default:
			return false
		}
	}
	return !start
}

// IsDotName tells whether s is a full name with a dot before it.
func IsDotName(s string) bool { return s != "" && s[0] == '.' && IsName(s[1:]) }

// headerName are the characters of names of HTTP headers. protobuf's pattern says "+-.", which is
// also a range: it has the comma.
var headerName = classOf("!#$%&'*+,-.^_|~`")

// IsHeaderName tells whether s is the name of an HTTP header; a colon may come before it. If it is
// not to be strict, anything in one line is.
func IsHeaderName(s string, strict bool) bool {
	if !strict {
		return s != "" && inOneLine(s)
	}
	s = strings.TrimPrefix(s, ":")
	return s != "" && headerName.span(s) == len(s)
}

// IsHeaderValue tells whether s is the value of an HTTP header. If it is not to be strict, anything
// in one line is.
func IsHeaderValue(s string, strict bool) bool {
	if !strict {
		return inOneLine(s)
	}
	for i := range len(s) {
		if c := s[i]; c < ' ' && c != '\t' || c == 0x7f {
			return false
		}
	}
	return true
}

func inOneLine(s string) bool { return !strings.ContainsAny(s, "\x00\n\r") }
