package gremlin

import (
	"math/rand/v2"
	"testing"
)

// TestBadVarint compares the check of packed numbers, which goes by words, with one that decodes them.
func TestBadVarint(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	malformed := 0
	for range 300000 {
		b := make([]byte, 1+r.IntN(40))
		for i := range b {
			if b[i] = byte(r.Uint32()) | 0x80; r.IntN(1+r.IntN(20)) == 0 {
				b[i] &= 0x7f >> r.IntN(8)
			}
		}
		n := uint(len(b))
		want := uint(0)
		for want < n {
			_, next := varintAt(ptrOf(b), n, want)
			if next == bad {
				malformed++
				break
			}
			want = next
		}
		if got := badVarint(ptrOf(b), n, 0); got != want {
			t.Fatalf("%x: malformed at %d, want %d", b, got, want)
		}
	}
	if malformed < 30000 || malformed > 270000 {
		t.Errorf("%d of the lists were malformed: this tests little", malformed)
	}
}
