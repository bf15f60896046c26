package gremlin

import (
	"testing"
	"unicode/utf8"
)

// TestValidUTF8 compares with the library: every sequence of up to three bytes that matter, and every rune, at each place
// of a text.
func TestValidUTF8(t *testing.T) {
	check := func(b []byte) {
		t.Helper()
		if got, want := validUTF8(ptrOf(b), 0, uint(len(b))), utf8.Valid(b); got != want {
			t.Fatalf("validUTF8(%x) = %v", b, got)
		}
	}
	edges := []byte{0x00, 0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xec, 0xed, 0xee, 0xef, 0xf0, 0xf4, 0xf5, 0xff}
	for _, tail := range []string{"", "a", "abcd", "abcdefgh", "abcdefghijklmnop"} {
		for _, a := range edges {
			check(append([]byte{a}, tail...))
			for _, b := range edges {
				check(append([]byte{a, b}, tail...))
				for _, c := range edges {
					check(append([]byte{a, b, c}, tail...))
					for _, d := range edges {
						check(append([]byte{a, b, c, d}, tail...))
						check(append([]byte{'x', a, b, c, d}, tail...))
					}
				}
			}
		}
	}
	for r := rune(0); r <= utf8.MaxRune; r += 1 + r/0x800 {
		for pad := range 9 {
			check(append(utf8.AppendRune([]byte("grüße, 世界 "[:pad]), r), "世界, und weiter"...))
		}
	}
}
