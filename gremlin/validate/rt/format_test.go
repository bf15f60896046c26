package rt

import "testing"

func TestFormats(t *testing.T) {
	for _, c := range []struct {
		name     string
		is       func(string) bool
		yes, not []string
	}{
		{"email", IsEmail, []string{"a@b", "foo.bar+x@sub.example.com", ".@a", "a@1"},
			[]string{"", "a", "@b", "a@", "a@-b", "a@b-", "a@b..c", "a b@c", "a@b_c", "ä@b",
				"a@b."}},
		{"hostname", IsHostname, []string{"a", "example.com", "example.com.", "1a", "x-y.z"},
			[]string{"", ".", "a..b", "1.2.3.4", "a_b", "-a", "a-", "a.-b", "ä.de", "a.1"}},
		{"ip", func(s string) bool { return IsIP(s, 0) },
			[]string{"1.2.3.4", "::", "::1", "1::", "1:2:3:4:5:6:7:8", "::ffff:1.2.3.4",
				"fe80::1%eth0",
				"1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:7::"},
			[]string{"", "1.2.3", "1.2.3.256", "01.2.3.4", "1.2.3.4.", ":", ":::", "1:2",
				"1::2::3",
				"::1%", "12345::", "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7:8::", ":1::", "1:",
				"[::1]",
				"1:2:3:4:5:1.2.3.4", "::1.2.3"}},
		{"prefix", func(s string) bool { return IsIPPrefix(s, 0, true) },
			[]string{"1.2.3.0/24", "0.0.0.0/0", "1.2.3.4/32", "::/0", "1::/16", "::1/128",
				"0:0:0:1::/64"},
			[]string{"", "1.2.3.4/24", "1.2.3.0/33", "1.2.3.0/024", "1.2.3.0", "1::1/16",
				"::1/127",
				"::/129", "::%e/0", "/1"}},
		{"uri", IsURI, []string{"a:", "http://example.com/a?b#c", "https://[::1]:80/",
			"a://u:p@h:1/x",
			"urn:isbn:1", "a:/b", "a://h%C3%B6st", "http://[fe80::1%25e]/",
			"http://[v1.a:b]", "a:%20"},
			[]string{"", ":", "1:a", "a", "a:%2", "http://[::1", "http://h:p", "a://h%ff",
				"a:#b#c",
				"a: ", "http://a@b@c", "http://[::1%e]", "a://é"}},
		{"uri_ref", IsURIReference, []string{"", "a/b:c", "?a", "#b", "//h/p", "/x", "a:b"},
			[]string{":a", "1:a", "a b", "%"}},
		{"host_and_port", func(s string) bool { return IsHostAndPort(s, true) },
			[]string{"a:1", "1.2.3.4:65535", "[::1]:0"},
			[]string{"", ":", "a:", "a:65536", "a:01", "[::1]", "::1:80", "[::1]x:1",
				"[]:1", "[1.2.3.4]:1"}},
		{"uuid", IsUUID, []string{"00000000-0000-0000-0000-00000000000A"},
			[]string{"", "00000000-0000-0000-0000-00000000000g",
				"000000000000-0000-0000-00000000000a"}},
		{"tuuid",
			IsTrimmedUUID, []string{"0123456789abcdefABCDEF0123456789"}, []string{"", "01"}},
		{"ulid", IsULID, []string{"01ARZ3NDEKTSV4RRFFQ69G5FAV", "7zzzzzzzzzzzzzzzzzzzzzzzzz"},
			[]string{"", "81ARZ3NDEKTSV4RRFFQ69G5FAV", "01ARZ3NDEKTSV4RRFFQ69G5FAU"}},
		{"fqn", IsName, []string{"a", "_a.B1"}, []string{"", ".a", "a.", "1a", "a..b", "a.1"}},
		{"dot_fqn", IsDotName, []string{".a", ".a.b"}, []string{"", "a", "."}},
		{"header name", func(s string) bool { return IsHeaderName(s, true) },
			[]string{"a", ":path", "x-y"}, []string{"", ":", "a b", "a:b", "a\n"}},
		{"header value", func(s string) bool { return IsHeaderValue(s, true) },
			[]string{"", "a b\tc", "ä"}, []string{"\n", "\x7f", "\x00"}},
	} {
		for _, s := range c.yes {
			if !c.is(s) {
				t.Errorf("%s: %q is refused", c.name, s)
			}
		}
		for _, s := range c.not {
			if c.is(s) {
				t.Errorf("%s: %q is accepted", c.name, s)
			}
		}
	}
}
