package gremlin_test

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"github.com/octopus-framework/octopus/gremlin"
)

// TestAppendInAnyRoom appends to slices with more and less spare capacity, for which there are other ways of writing. All give
// the same bytes, and none needs more capacity than these bytes.
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
		values = append(values, 1<<bits-1, 1<<bits, 0x5555555555555555>>(64-bits), 1<<bits+0x2aaaaaaaaaaaaaaa>>(64-bits))
	}
	for _, v := range values {
		for _, tag := range []uint32{0x08, 0x78, 0x80, 0x3ff8, 0x4000, 0xfffffff8} {
			check("AppendVarintWide", reference(tag, v), func(b []byte) []byte { return gremlin.AppendVarintWide(b, tag, v) })
			fixed := binary.LittleEndian.AppendUint64(binary.AppendUvarint(nil, uint64(tag)), v)
			check("AppendFixed64", fixed, func(b []byte) []byte { return gremlin.AppendFixed64(b, tag, v) })
			check("AppendFixed32", fixed[:len(fixed)-4], func(b []byte) []byte { return gremlin.AppendFixed32Always(b, tag, uint32(v)) })
		}
		check("AppendVarint", reference(0x08, v), func(b []byte) []byte { return gremlin.AppendVarint(b, 0x08, v) })
		for _, w := range append(values, 0) {
			both := reference(0x08, v)
			if w != 0 {
				both = append(both, reference(0x10, w)...)
			}
			check("AppendTwoVarints", both, func(b []byte) []byte { return gremlin.AppendTwoVarints(b, 0x08, v, 0x10, w) })
			if w == 0 {
				second := reference(0x10, v)
				check("AppendTwoVarints", second, func(b []byte) []byte { return gremlin.AppendTwoVarints(b, 0x08, 0, 0x10, v) })
			}
		}
	}
	for _, v := range []float64{0, 1, math.Copysign(0, -1)} {
		for _, w := range []float64{0, 1, math.Copysign(0, -1)} {
			both := gremlin.AppendDouble(gremlin.AppendDouble(nil, 0x09, v), 0x11, w)
			check("AppendTwoDoubles", both, func(b []byte) []byte { return gremlin.AppendTwoDoubles(b, 0x09, v, 0x11, w) })
		}
	}
	for _, l := range []int{1, 3, 4, 8, 16, 33, 127, 128, 1<<14 - 1, 1 << 14} {
		s := strings.Repeat("x", l)
		for _, tag := range []uint32{0x0a, 0x82, 0x4002} {
			want := append(reference(tag, uint64(l)), s...)
			check("AppendStringWide", want, func(b []byte) []byte { return gremlin.AppendStringWide(b, tag, s) })
			check("AppendBytes", want, func(b []byte) []byte { return gremlin.AppendBytes(b, tag, []byte(s)) })
		}
	}
	ints := make([]int64, len(values))
	var packed, zigzags []byte
	for i, v := range values {
		ints[i] = int64(v)
		packed, zigzags = binary.AppendUvarint(packed, v), binary.AppendVarint(zigzags, int64(v))
	}
	check("AppendPackedVarints", append(reference(0x0a, uint64(len(packed))), packed...),
		func(b []byte) []byte { return gremlin.AppendPackedVarints(b, 0x0a, ints) })
	check("AppendPackedSints", append(reference(0x0a, uint64(len(zigzags))), zigzags...),
		func(b []byte) []byte { return gremlin.AppendPackedSints(b, 0x0a, ints) })
}
