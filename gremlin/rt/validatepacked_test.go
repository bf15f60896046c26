package rt

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestBadVarint compares the check of packed numbers, which goes by words, with one that decodes
// them.
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
		if r.IntN(4) == 0 { // a long list, of which all but the end is well formed
			var whole []byte
			for size, longest := r.IntN(400), 1+r.IntN(64); len(whole) < size; {
				whole = binary.AppendUvarint(whole, r.Uint64()>>r.IntN(longest))
			}
			b = append(whole, b...)
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

// TestBadVarintAnywhere has one that is too large at each place of a list: wherever blocks of it
// begin, none is missed.
func TestBadVarintAnywhere(t *testing.T) {
	for before := range uint(200) {
		for after := range 100 {
			b := slices.Concat(make([]byte, before),
				[]byte{0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 2},
				make([]byte, after))
			if got := badVarint(ptrOf(b), uint(len(b)), 0); got != before {
				t.Fatalf("malformed at %d of %d, want %d", got, len(b), before)
			}
			b[before+9] = 1
			if got := badVarint(ptrOf(b), uint(len(b)), 0); got != uint(len(b)) {
				t.Fatalf("malformed at %d of %d, want none", got, len(b))
			}
		}
	}
}
