package rt

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestAppendVarints compares lists of all lengths and mixes with reading one varint after the
// other, where they end the readable bytes and where more follow, cut, malformed, and with less
// room than there are.
func TestAppendVarints(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	malformed := 0
	for range 100000 {
		var b []byte
		for size, longest := r.IntN(300), 1+r.IntN(64); len(b) < size; {
			b = binary.AppendUvarint(b, r.Uint64()>>(63-r.IntN(longest)))
		}
		at := r.IntN(len(b) + 1)
		switch r.IntN(8) {
		case 0: // more than 64 bits
			b = slices.Insert(b, at, binary.AppendUvarint(nil, 1<<63)...)
			b[at+9] |= byte(1 + r.IntN(255))
		case 1: // long forms, and longer ones than there may be
			b = slices.Insert(b, at, slices.Repeat([]byte{0x80}, r.IntN(12))...)
		}
		start, n := uint(r.IntN(len(b)+1)), uint(len(b))
		if r.IntN(2) == 0 {
			n -= uint(r.IntN(len(b) + 1))
			start = min(start, n)
		}
		sameVarints[int32](t, b, start, n, r)
		sameVarints[uint64](t, b, start, n, r)
		if _, next := oneByOne[int64](b, start, n); next == bad {
			malformed++
		}
	}
	if malformed < 10000 || malformed > 90000 {
		t.Errorf("%d of the lists were malformed: this tests little", malformed)
	}
}

// TestEachVarint compares iterators in the same way.
func TestEachVarint(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for range 30000 {
		var b []byte
		for size, longest := r.IntN(300), 1+r.IntN(64); len(b) < size; {
			b = binary.AppendUvarint(b, r.Uint64()>>(63-r.IntN(longest)))
		}
		if r.IntN(4) == 0 {
			b = slices.Insert(b, r.IntN(len(b)+1), slices.Repeat([]byte{0x80}, r.IntN(12))...)
		}
		m := append(binary.AppendUvarint([]byte{0x0a}, uint64(len(b))), b...)
		m = append(m, slices.Repeat([]byte{0x80}, r.IntN(100))...)
		list := List{p: ptrOf(m), n: uint(len(m)), off: 1, tag: 0x0a | listPacked}
		want, _ := oneByOne[int64](b, 0, uint(len(b)))
		if got := slices.Collect(EachVarint[int64](list)); !slices.Equal(got, want) {
			t.Fatalf("%x: got %v, want %v", m, got, want)
		}
		if stop := len(want) / 2; stop != 0 {
			var got []int64
			for x := range EachVarint[int64](list) {
				if got = append(got, x); len(got) == stop {
					break
				}
			}
			if !slices.Equal(got, want[:stop]) {
				t.Fatalf("%x: got %v until a break, want %v", m, got, want[:stop])
			}
		}
	}
}

func oneByOne[T varintNumber](b []byte, off, n uint) (all []T, next uint) {
	for off < n {
		v, next := varintAt(ptrOf(b), n, off)
		if next == bad {
			return all, bad
		}
		all, off = append(all, T(v)), next
	}
	return all, off
}

func sameVarints[T varintNumber](t *testing.T, b []byte, start, n uint, r *rand.Rand) {
	t.Helper()
	want, wantNext := oneByOne[T](b, start, n)
	room := countVarints(ptrOf(b), n, start)
	if r.IntN(4) == 0 {
		room = r.IntN(room + 1)
	}
	guarded := make([]T, 1+room+1)
	guarded[0], guarded[1+room] = 77, 78
	got, next := appendVarints(guarded[:1:1+room], ptrOf(b), n, start, uint(len(b)))
	if next != wantNext || !slices.Equal(got[1:], want) || got[0] != 77 || guarded[1+room] != 78 {
		t.Fatalf("%x from %d to %d: got %v and %d, want %v and %d", b, start, n, got, next, want,
			wantNext)
	}
}

func BenchmarkAppendVarints(b *testing.B) {
	for _, longest := range []int{7, 14, 28, 63, 64} {
		for _, count := range []int{4, 8, 16, 32, 100, 1000} {
			r := rand.New(rand.NewPCG(1, 1))
			var lists [][]byte
			for range 20000 / count {
				var l []byte
				for range count {
					x := r.Uint64() >> (64 - longest)
					if longest < 64 {
						x >>= r.IntN(longest)
					}
					l = binary.AppendUvarint(l, x)
				}
				lists = append(lists, append(l, make([]byte, 100)...))
			}
			dst := make([]uint64, 0, count)
			b.Run(fmt.Sprintf("%d/%d", longest, count), func(b *testing.B) {
				k := 0
				for b.Loop() {
					l := lists[k]
					appendVarints(dst, ptrOf(l), uint(len(l)-100), 0, uint(len(l)))
					if k++; k == len(lists) {
						k = 0
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*count), "ns/each")
			})
		}
	}
}
