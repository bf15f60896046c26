package rt_test

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"github.com/octopus-framework/octopus/gremlin/rt"
)

// TestAppendInAnyRoom appends to slices with more and less spare capacity, for which there are
// other ways of writing. All give the same bytes, and none needs more capacity than these bytes.
func TestAppendInAnyRoom(t *testing.T) {
	reference := func(tag uint32, v uint64) []byte {
		return binary.AppendUvarint(binary.AppendUvarint(nil, uint64(tag)), v)
	}
	check := func(what string, want []byte, appendTo func(b []byte) []byte) {
		t.Helper()
		for spare := range 40 {
			b := append(make([]byte, 0, 1+len(want)+spare), 0xee)
			got := appendTo(b)
			if string(got[1:]) != string(want) || got[0] != 0xee {
				t.Fatalf("%s with %d spare bytes: %x, want ee%x", what, spare, got, want)
			}
			if &got[0] != &b[0] {
				t.Fatalf("%s with %d spare bytes moved to a new slice", what, spare)
			}
		}
		if got := appendTo(nil); string(got) != string(want) {
			t.Fatalf("%s to nil: %x, want %x", what, got, want)
		}
	}
	values := []uint64{1, math.MaxUint64}
	for bits := 7; bits < 64; bits += 7 {
		values = append(values, 1<<bits-1, 1<<bits, 0x5555555555555555>>(64-bits),
			1<<bits+0x2aaaaaaaaaaaaaaa>>(64-bits))
	}
	for _, v := range values {
		for _, tag := range []uint32{0x08, 0x78, 0x80, 0x3ff8, 0x4000, 0xfffffff8} {
			check("AppendVarintWide", reference(tag, v), func(b []byte) []byte {
				return rt.AppendVarintWide(b, tag, v)
			})
			fixed := binary.LittleEndian.AppendUint64(binary.AppendUvarint(nil, uint64(tag)), v)
			check("AppendFixed64", fixed, func(b []byte) []byte {
				return rt.AppendFixed64(b, tag, v)
			})
			check("AppendFixed32", fixed[:len(fixed)-4], func(b []byte) []byte {
				return rt.AppendFixed32Always(b, tag, uint32(v))
			})
		}
		check("AppendVarint", reference(0x08, v), func(b []byte) []byte {
			return rt.AppendVarint(b, 0x08, v)
		})
		for _, w := range append(values, 0) {
			both := reference(0x08, v)
			if w != 0 {
				both = append(both, reference(0x10, w)...)
			}
			check("AppendTwoVarints", both, func(b []byte) []byte {
				return rt.AppendTwoVarints(b, 0x08, v, 0x10, w)
			})
			if w == 0 {
				second := reference(0x10, v)
				check("AppendTwoVarints", second, func(b []byte) []byte {
					return rt.AppendTwoVarints(b, 0x08, 0, 0x10, v)
				})
			}
		}
	}
	for _, v := range []float64{0, 1, math.Copysign(0, -1)} {
		for _, w := range []float64{0, 1, math.Copysign(0, -1)} {
			both := rt.AppendDouble(rt.AppendDouble(nil, 0x09, v), 0x11, w)
			check("AppendTwoDoubles", both, func(b []byte) []byte {
				return rt.AppendTwoDoubles(b, 0x09, v, 0x11, w)
			})
		}
	}
	for _, l := range []int{1, 3, 4, 8, 16, 33, 127, 128, 1<<14 - 1, 1 << 14} {
		s := strings.Repeat("x", l)
		for _, tag := range []uint32{0x0a, 0x82, 0x4002} {
			want := append(reference(tag, uint64(l)), s...)
			check("AppendStringWide", want, func(b []byte) []byte {
				return rt.AppendStringWide(b, tag, s)
			})
			check("AppendBytes", want, func(b []byte) []byte {
				return rt.AppendBytes(b, tag, []byte(s))
			})
		}
	}
}

// TestAppendPackedInAnyRoom is TestAppendInAnyRoom for packed lists, which are stored at once where
// there is room for the longest varints. What is behind the capacity stays as it is.
func TestAppendPackedInAnyRoom(t *testing.T) {
	check := func(what string, n int, want []byte, appendTo func(b []byte) []byte) {
		t.Helper()
		for _, spare := range []int{0, 1, 2, 15, 16, 10 * n, 10*n + 15, 10*n + 16, 10*n + 17,
			10*n + 1000} {
			end := 1 + max(len(want), spare)
			all := append(make([]byte, end, end+16), "unwritten capacity"[:16]...)
			got := appendTo(append(all[:0:end], 0xee))
			if string(got[1:]) != string(want) || got[0] != 0xee {
				t.Fatalf("%s of %d with room for %d bytes: %x, want ee%x", what, n, end-1,
					got, want)
			}
			if &got[0] != &all[0] {
				t.Fatalf("%s of %d with room for %d bytes moved to a new slice", what, n, end-1)
			}
			if string(all[end:]) != "unwritten capacity"[:16] {
				t.Fatalf("%s of %d with room for %d bytes wrote behind them", what, n, end-1)
			}
		}
	}
	for _, tag := range []uint32{0x0a, 0x82, 0x3ffa, 0x4002} {
		for _, n := range []int{1, 2, 12, 13, 63, 64, 127, 128, 1637, 1638, 2000} {
			for _, long := range []int64{0, 1, 1 << 13, math.MaxInt64, math.MinInt64} {
				ints, bools, doubles := make([]int64, n), make([]bool, n), make([]float64, n)
				var packed, zigzags, bytes, fixed []byte
				for i := range ints {
					switch {
					case n%2 == 0 && i == n-1: // a word is stored where it takes two bytes
						ints[i] = 1 << 13
					case n%2 == 0 || i%3 != 0:
						ints[i] = long
					}
					bools[i], doubles[i] = ints[i] > 1, float64(ints[i])
					packed, zigzags = binary.AppendUvarint(packed, uint64(ints[i])),
						binary.AppendVarint(zigzags, ints[i])
					bytes = append(bytes, map[bool]byte{true: 1}[bools[i]])
					fixed = binary.LittleEndian.AppendUint64(fixed, math.Float64bits(doubles[i]))
				}
				want := func(payload []byte) []byte {
					return append(binary.AppendUvarint(binary.AppendUvarint(nil, uint64(tag)),
						uint64(len(payload))), payload...)
				}
				check("AppendPackedVarints", n, want(packed), func(b []byte) []byte {
					return rt.AppendPackedVarints(b, tag, ints)
				})
				check("AppendPackedSints", n, want(zigzags), func(b []byte) []byte {
					return rt.AppendPackedSints(b, tag, ints)
				})
				check("AppendPackedBools", n, want(bytes), func(b []byte) []byte {
					return rt.AppendPackedBools(b, tag, bools)
				})
				check("AppendPackedFixed", n, want(fixed), func(b []byte) []byte {
					return rt.AppendPackedFixed(b, tag, doubles)
				})
			}
		}
	}
}
