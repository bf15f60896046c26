package rt

import (
	"strings"
	"unicode/utf8"
)

// The sets of characters of RFC 3986, percent-encoding aside.
var (
	uriUnreserved = classOf("-._~")
	uriName       = classOf("-._~!$&'()*+,;=")     // of a host
	uriUser       = classOf("-._~!$&'()*+,;=:")    // of what comes before the host
	uriPath       = classOf("-._~!$&'()*+,;=:@/")  // of a path
	uriQuery      = classOf("-._~!$&'()*+,;=:@/?") // of a query or fragment
	uriScheme     = classOf("+-.")
)

// IsURI tells whether s is a URI as RFC 3986 defines it.
func IsURI(s string) bool {
	scheme, rest, ok := strings.Cut(s, ":")
	return ok && scheme != "" && isLetter(scheme[0]) && uriScheme.span(scheme) == len(scheme) &&
		isHierarchy(rest)
}

// IsURIReference tells whether s is a URI or a relative reference as RFC 3986 defines them.
func IsURIReference(s string) bool {
	if IsURI(s) {
		return true
	}
	// The first segment of a relative path has no colon: it would be a scheme.
	first := s
	if i := strings.IndexAny(s, "/?#"); i >= 0 {
		first = s[:i]
	}
	return strings.IndexByte(first, ':') < 0 && isHierarchy(s)
}

// isHierarchy checks what comes behind a scheme: authority, path, query and fragment.
func isHierarchy(s string) bool {
	s, fragment, _ := strings.Cut(s, "#")
	s, query, _ := strings.Cut(s, "?")
	if !areAll(fragment, &uriQuery) || !areAll(query, &uriQuery) {
		return false
	}
	if strings.HasPrefix(s, "//") {
		authority := s[2:]
		s = ""
		if i := strings.IndexByte(authority, '/'); i >= 0 {
			authority, s = authority[:i], authority[i:]
		}
		if !isAuthority(authority) {
			return false
		}
	}
	return areAll(s, &uriPath)
}

// areAll tells whether s has characters of c only, and percent-encoded ones.
func areAll(s string, c *class) bool {
	for {
		s = s[c.span(s):]
		switch {
		case s == "":
			return true
		case s[0] != '%' || len(s) < 3 || hexDigit(s[1]) > 15 || hexDigit(s[2]) > 15:
			return false
		}
		s = s[3:]
	}
}

func isAuthority(s string) bool {
	if i := strings.IndexByte(s, '@'); i >= 0 {
		if !areAll(s[:i], &uriUser) {
			return false
		}
		s = s[i+1:]
	}
	if strings.HasPrefix(s, "[") {
		end := strings.IndexByte(s, ']')
		if end < 0 || !isIPLiteral(s[1:end]) {
			return false
		}
		s = s[end+1:]
		return s == "" || s[0] == ':' && areDigits(s[1:])
	}
	host, port, _ := strings.Cut(s, ":")
	return areDigits(port) && areAll(host, &uriName) && isDecodedUTF8(host)
}

func areDigits(s string) bool {
	for i := range len(s) {
		if !isDigit(s[i]) {
			return false
		}
	}
	return true
}

// isIPLiteral checks what is between the brackets: an IPv6 address, maybe with a zone behind %25
// (RFC 6874), or one of a version to come.
func isIPLiteral(s string) bool {
	if strings.HasPrefix(s, "v") {
		version, address, ok := strings.Cut(s[1:], ".")
		for i := range len(version) {
			ok = ok && hexDigit(version[i]) < 16
		}
		return ok && version != "" && address != "" && uriUser.span(address) == len(address)
	}
	address, zone, zoned := strings.Cut(s, "%25")
	if _, ok := parseIPv6(address); !ok {
		return false
	}
	return !zoned || zone != "" && areAll(zone, &uriUnreserved) && isDecodedUTF8(zone)
}

// isDecodedUTF8 tells whether s, which is well-formed, is UTF-8 once it is decoded.
func isDecodedUTF8(s string) bool {
	if strings.IndexByte(s, '%') < 0 {
		return true // it is ASCII
	}
	// A character has at most 4 bytes: what is decoded is checked piece by piece.
	var piece [utf8.UTFMax]byte
	n := 0
	for i := 0; i < len(s) || n > 0; {
		for n < len(piece) && i < len(s) {
			piece[n] = s[i]
			if s[i] == '%' {
				piece[n] = hexDigit(s[i+1])<<4 | hexDigit(s[i+2])
				i += 2
			}
			n++
			i++
		}
		r, size := utf8.DecodeRune(piece[:n])
		if r == utf8.RuneError && size == 1 {
			return false
		}
		n = copy(piece[:], piece[size:n])
	}
	return true
}
