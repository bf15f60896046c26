package rt

import (
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// What defines the formats, in protovalidate's own words where it has some.
var (
	emailPattern = regexp.MustCompile("^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9]" +
		"(?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$")
	uuidPattern = regexp.MustCompile(
		`^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$`)
	tuuidPattern  = regexp.MustCompile(`^[0-9a-fA-F]{32}$`)
	ulidPattern   = regexp.MustCompile(`^[0-7][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{25}$`)
	namePattern   = regexp.MustCompile(`^[A-Za-z_][A-Za-z_0-9]*(\.[A-Za-z_][A-Za-z_0-9]*)*$`)
	headerPattern = regexp.MustCompile("^:?[0-9a-zA-Z!#$%&'*+-.^_|~\x60]+$")
	valuePattern  = regexp.MustCompile("^[^\u0000-\u0008\u000A-\u001F\u007F]*$")
	loosePattern  = regexp.MustCompile("^[^\u0000\u000A\u000D]+$")
)

// FuzzFormats compares the scanners of formats with what defines them: the patterns, and parsers of
// the standard library as far as they agree.
func FuzzFormats(f *testing.F) {
	for _, s := range []string{"", "a@b.c", "1.2.3.4", "::1", "fe80::1%eth0", "1::8/128",
		"1.2.0.0/16", "http://u@[::1]:80/p?q#f", "urn:a", "//h%C3%B6/", "00000000-0000-0000-0000-00000000000A",
		"01ARZ3NDEKTSV4RRFFQ69G5FAV", "a.B_1", ":path", "a\tb", "x.-y", "1:2:3:4:5:6:1.2.3.4",
		"::ffff:0:1.2.3.4/96", strings.Repeat("a", 64) + ".b", strings.Repeat("0", 32)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if !utf8.ValidString(s) {
			return // regexp reads what is not UTF-8 as U+FFFD
		}
		for _, c := range []struct {
			name      string
			got, want bool
		}{
			{"email", IsEmail(s), emailPattern.MatchString(s)},
			{"uuid", IsUUID(s), uuidPattern.MatchString(s)},
			{"tuuid", IsTrimmedUUID(s), tuuidPattern.MatchString(s)},
			{"ulid", IsULID(s), ulidPattern.MatchString(s)},
			{"fqn", IsName(s), namePattern.MatchString(s)},
			{"header name", IsHeaderName(s, true), headerPattern.MatchString(s)},
			{"header value", IsHeaderValue(s, true), valuePattern.MatchString(s)},
			{"loose header name", IsHeaderName(s, false), loosePattern.MatchString(s)},
			{"loose header value", IsHeaderValue(s, false), s == "" || loosePattern.MatchString(s)},
			{"ip", IsIP(s, 0), isIP(s, 0)},
			{"ipv4", IsIP(s, 4), isIP(s, 4)},
			{"ipv6", IsIP(s, 6), isIP(s, 6)},
			{"prefix", IsIPPrefix(s, 0, false), isPrefix(s, false)},
			{"strict prefix", IsIPPrefix(s, 0, true), isPrefix(s, true)},
		} {
			if c.got != c.want {
				t.Errorf("%s of %q: %v, want %v", c.name, s, c.got, c.want)
			}
		}
		// A URI is a reference, and net/url, which is laxer, reads both.
		if IsURI(s) && !IsURIReference(s) {
			t.Errorf("%q is a URI and no reference", s)
		}
		if _, err := url.Parse(s); err != nil && IsURIReference(s) && !strings.Contains(s, "//") {
			t.Errorf("%q is a reference and net/url says %v", s, err)
		}
		if IsHostname(s) && !IsAddress(s) || IsIP(s, 0) && !IsAddress(s) {
			t.Errorf("%q is no address", s)
		}
		if IsHostname(s) && !IsHostAndPort(s+":1", true) {
			t.Errorf("%q is no host", s)
		}
	})
}

func isIP(s string, version int) bool {
	a, err := netip.ParseAddr(s)
	if err != nil {
		return false
	}
	return version == 0 || (version == 4) == a.Is4()
}

func isPrefix(s string, strict bool) bool {
	p, err := netip.ParsePrefix(s)
	return err == nil && (!strict || p == p.Masked())
}
