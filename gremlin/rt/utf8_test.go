package rt

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestValidUTF8 compares with the library: every sequence of up to three bytes that matter, and
// every rune, at each place of a text.
func TestValidUTF8(t *testing.T) {
	check := func(b []byte) {
		t.Helper()
		sameVerdict(t, b)
	}
	edges := []byte{0x00, 0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf,
		0xe0, 0xe1, 0xec, 0xed, 0xee, 0xef, 0xf0, 0xf4, 0xf5, 0xff}
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

// TestValidUTF8Everywhere compares with the library again, for what processors look at 16 bytes at
// a time: sequences at all places of texts of all lengths, so that they lie across the borders of
// blocks, begin the text and are cut by its end.
func TestValidUTF8Everywhere(t *testing.T) {
	fills := []string{strings.Repeat("a", 64), strings.Repeat("\u0436", 32),
		strings.Repeat("x\u4e16", 16), strings.Repeat("\U0001f600", 16)}
	edges := []byte{0x00, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0,
		0xe1, 0xec, 0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff}
	var sequences [][]byte
	for a := range 256 {
		for b := range 256 {
			sequences = append(sequences, []byte{byte(a), byte(b)})
		}
	}
	for _, a := range edges {
		for _, b := range edges {
			for _, c := range edges {
				sequences = append(sequences, []byte{a, b, c})
				for _, d := range edges {
					if a >= 0xe0 && b >= 0x80 {
						sequences = append(sequences, []byte{a, b, c, d})
					}
				}
			}
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	text := make([]byte, 0, 64)
	for _, seq := range sequences {
		for _, fill := range fills {
			// A length and a place by chance for each sequence, and every place for a few of them.
			n := len(seq) + r.IntN(60)
			from, to := r.IntN(n-len(seq)+1), 0
			if to = from + 1; r.IntN(64) == 0 {
				from, to = 0, n-len(seq)+1
			}
			for at := from; at < to; at++ {
				text = append(text[:0], fill[:n]...)
				copy(text[at:], seq)
				sameVerdict(t, text)
			}
		}
	}
	for range 100_000 {
		text = text[:1+r.IntN(63)]
		for i := range text {
			text[i] = edges[r.IntN(len(edges))]
		}
		sameVerdict(t, text)
	}
}

func sameVerdict(t *testing.T, b []byte) {
	t.Helper()
	if got, want := validUTF8(ptrOf(b), 0, uint(len(b))), utf8.Valid(b); got != want {
		t.Fatalf("validUTF8(%x) = %v", b, got)
	}
}

func FuzzValidUTF8(f *testing.F) {
	f.Add(
		[]byte(
			"\u0412\u0430\u0448\u0430 \u043f\u043e\u0441\u044b\u043b\u043a\u0430 \u2014 \U0001f4e6 \xed\xa0\x80"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) > 0 {
			sameVerdict(t, b)
		}
	})
}
