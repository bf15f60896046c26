package rt

import "strings"

const (
	maxHostname = 253
	maxLabel    = 63
)

// emailLocal are the characters before the @ of an email address, as HTML defines it.
var emailLocal = classOf(".!#$%&'*+/=?^_`{|}~-")

// IsEmail tells whether s is an email address as HTML defines it, which is neither more nor less
// than what RFC 5322 does.
func IsEmail(s string) bool {
	n := emailLocal.span(s)
	return n > 0 && n < len(s) && s[n] == '@' && areLabels(s[n+1:])
}

// IsHostname tells whether s is a name as RFC 1034 defines it; a dot may come behind it, and the
// last label is not a number.
func IsHostname(s string) bool {
	s = strings.TrimSuffix(s, ".")
	if len(s) > maxHostname || !areLabels(s) {
		return false
	}
	for _, c := range []byte(s[strings.LastIndexByte(s, '.')+1:]) {
		if !isDigit(c) {
			return true
		}
	}
	return false
}

// areLabels tells whether s is labels with dots between them: letters, digits and dashes, which are
// neither first nor last.
func areLabels(s string) bool {
	size := 0
	for i := range len(s) {
		switch c := s[i]; {
		case isLetter(c), isDigit(c):
			size++
		case c == '-' && size > 0:
			size++
		case c == '.' && size > 0 && s[i-1] != '-':
			size = 0
		default:
			return false
		}
		if size > maxLabel {
			return false
		}
	}
	return size > 0 && s[len(s)-1] != '-'
}

// IsAddress tells whether s is a hostname or an IP address.
func IsAddress(s string) bool { return IsHostname(s) || IsIP(s, 0) }

// IsHostAndPort tells whether s is a host with a port behind a colon, which may be missing unless
// it is required; an IPv6 address has brackets.
func IsHostAndPort(s string, portRequired bool) bool {
	colon := strings.LastIndexByte(s, ':')
	if strings.HasPrefix(s, "[") {
		end := strings.LastIndexByte(s, ']')
		switch {
		case end < 0 || !IsIP(s[1:end], 6):
			return false
		case end+1 == len(s):
			return !portRequired
		}
		return end+1 == colon && isPort(s[colon+1:])
	}
	if colon < 0 {
		return !portRequired && (IsHostname(s) || IsIP(s, 4))
	}
	return (IsHostname(s[:colon]) || IsIP(s[:colon], 4)) && isPort(s[colon+1:])
}

func isPort(s string) bool {
	_, ok := decimal(s, 65535)
	return ok
}

// decimal returns the number that s is, which has no zero before it and is at most limit.
func decimal(s string, limit int) (n int, ok bool) {
	if s == "" || len(s) > 1 && s[0] == '0' {
		return 0, false
	}
	for i := range len(s) {
		if !isDigit(s[i]) {
			return 0, false
		}
		if n = n*10 + int(s[i]-'0'); n > limit {
			return 0, false
		}
	}
	return n, true
}
