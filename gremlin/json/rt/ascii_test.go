package rt

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestPlain puts each kind of byte at each place of texts around the sizes of blocks, behind
// anything or nothing, and compares with a loop by bytes. What lies around the copy must stay as it
// was.
func TestPlain(t *testing.T) {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 !#[]^~\x7f"
	text := strings.Repeat(alphabet, 3)
	check := func(s string) {
		t.Helper()
		for _, start := range []int{0, 1, 9} {
			if start > len(s) {
				break
			}
			n, wide := 0, false
			for start+n < len(s) && s[start+n] >= ' ' && s[start+n] != '"' && s[start+n] != '\\' {
				wide = wide || s[start+n] >= utf8.RuneSelf
				n++
			}
			if gotN, gotWide := plain(s, start); gotN != n || gotWide != wide {
				t.Fatalf("plain(%q, %d) = %d, %v, want %d, %v", s, start, gotN, gotWide, n, wide)
			}
			if start > 0 {
				continue
			}
			for _, name := range []string{"", `"a":`, `,"a":`, `,"abcd":`, `,"abcde":`,
				`,"abcdefghijkl":`, `,"abcdefghijklm":`, `,"abcdefghijklmnopqrstuvwxyz0123":`} {
				const before, after = 3, 5
				size := len(name) + len(s) + 2
				b := bytes.Repeat([]byte{0xee}, before+size+after)
				ok := putText(b[:before], name, s)
				if want := n == len(s) && !wide; ok != want {
					t.Fatalf("putText of %q: %v, want %v", s, ok, want)
				}
				if text := string(b[before : before+size]); ok && text != name+`"`+s+`"` ||
					!strings.HasPrefix(text, name) {
					t.Fatalf("putText of %q and %q wrote %q", name, s, b)
				}
				for i, c := range b {
					if (i < before || i >= before+size) && c != 0xee {
						t.Fatalf("putText of %q and %q wrote at %d: %q", name, s, i, b)
					}
				}
			}
		}
	}
	for n := range 3*minBlocks + 9 {
		s := text[n : 2*n]
		check(s)
		for i := range n {
			for _, c := range []string{"\"", "\\", "\x00", "\x1f", "\x7f", "\x80", "\x9f", "\xa2",
				"\xdc", "\xff"} {
				check(s[:i] + c + s[i+1:])
			}
		}
	}
}
