package conformance

import (
	"bytes"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/octopus-framework/octopus/conformance/internal/check"
	"github.com/octopus-framework/octopus/conformance/internal/gen/p2"
	"github.com/octopus-framework/octopus/conformance/internal/gen/p3"
	"github.com/octopus-framework/octopus/gremlin"
)

// TestBytesChange changes the bytes under a Reader: getters must neither panic nor loop.
func TestBytesChange(t *testing.T) {
	forTypes(t, func(t *testing.T, typ check.Type) {
		rng := seed(typ.Desc)
		for range 8 {
			b := random(rng, typ)
			if len(b) > 5000 {
				continue
			}
			r := typ.NewReader()
			if err := r.Unmarshal(b); err != nil {
				t.Fatal(err)
			}
			for _, fill := range []byte{0, 0xff, 0x80, 0x0a, 0x0b} {
				kept := bytes.Clone(b)
				for i := range b {
					if rng.IntN(3) == 0 {
						b[i] = fill
					}
				}
				check.Read(r, typ.Desc)
				copy(b, kept)
			}
			for range 10 {
				for i := range b {
					b[i] = byte(rng.Uint32())
				}
				check.Read(r, typ.Desc)
			}
		}
	})
}

// TestConcurrentReads reads one Reader by several goroutines; it is worth most under the race
// detector.
func TestConcurrentReads(t *testing.T) {
	forTypes(t, func(t *testing.T, typ check.Type) {
		rng := seed(typ.Desc)
		var b []byte
		for b = random(rng, typ); len(b) > 3000; b = random(rng, typ) {
		}
		b = append(b, b...) // what can be merged is
		want, r := typ.New(), typ.NewReader()
		if err := proto.Unmarshal(b, want); err != nil {
			t.Fatal(err)
		}
		if err := r.Unmarshal(b); err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				if err := check.Reader(r, want.ProtoReflect(), 2000); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
	})
}

// TestNil calls the getters of nil Readers, which are empty messages.
func TestNil(t *testing.T) {
	forTypes(t, func(t *testing.T, typ check.Type) {
		if err := check.Nil(typ); err != nil {
			t.Error(err)
		}
	})
}

// chain nests a field n times.
func chain(n int, wrap func(b []byte) []byte) (b []byte) {
	for range n {
		b = wrap(b)
	}
	return b
}

// prefixed returns a function that wraps a message as length-delimited field num. It builds from
// the inside out, so a long chain is quadratic to build; group is linear.
func prefixed(num protowire.Number) func([]byte) []byte {
	return func(b []byte) []byte {
		return protowire.AppendBytes(protowire.AppendTag(nil, num, protowire.BytesType), b)
	}
}

func group(num protowire.Number, n int) []byte {
	b := bytes.Repeat(protowire.AppendTag(nil, num, protowire.StartGroupType), n)
	return append(b, bytes.Repeat(protowire.AppendTag(nil, num, protowire.EndGroupType), n)...)
}

// TestDepth compares verdicts around the limit of nesting.
func TestDepth(t *testing.T) {
	for _, n := range []int{100, gremlin.MaxDepth - 1, gremlin.MaxDepth, gremlin.MaxDepth + 1} {
		for _, c := range []struct {
			what, typ string
			b         []byte
		}{
			{"messages", "p3.Tree", chain(n, prefixed(2))},
			{"lists", "p3.Tree", chain(n, prefixed(4))},
			{"oneofs", "p3.Tree", chain(n, prefixed(7))},
			{"maps", "p3.Tree", chain(n/2, func(b []byte) []byte {
				return prefixed(5)(prefixed(2)(b))
			})},
			{"a map at the bottom", "p3.Tree", chain(n-1, prefixed(2))},
			{"unknown groups", "p3.Tree", group(99, n)},
			{"groups of another field's number", "p3.Tree", group(2, n)},
			{"unknown groups below messages", "p3.Tree", chain(50, func(b []byte) []byte {
				if b == nil {
					b = group(99, n)
				}
				return prefixed(2)(b)
			})},
			{"delimited", "ed.Encoding", group(17, n)},
			{"groups in lists", "p2.Groups", chain(n/2, func(b []byte) []byte {
				return protowire.AppendGroup(protowire.AppendTag(nil, 2, protowire.StartGroupType),
					2, prefixed(2)(b))
			})},
		} {
			if err := check.Verdict(typeOf(c.typ), c.b); err != nil {
				t.Errorf("%s, %d levels: %v", c.what, n, err)
			}
		}
	}
}

// TestAllocation bounds what Unmarshal allocates for inputs that say much with few bytes. The
// limits are those of the elements' sizes: lists of messages hold them by value, so an empty
// element of two bytes costs what its struct does.
func TestAllocation(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates too")
	}
	repeat := func(n int, b ...byte) []byte { return bytes.Repeat(b, n) }
	const n = 1 << 18
	for _, c := range []struct {
		what  string
		b     []byte
		into  gremlin.Message
		times uint64
	}{
		{"packed bools", prefixed(13)(repeat(n, 1)), new(p3.Lists), 64},
		{"packed int64s", prefixed(4)(repeat(n, 1)), new(p3.Lists), 64},
		{"single int64s", repeat(n/2, 4<<3, 1), new(p3.Lists), 64},
		{"int64s, single and packed", repeat(n/5, 4<<3, 1, 4<<3|2, 1, 1), new(p3.Lists), 64},
		{"packed closed enums", prefixed(15)(repeat(n, 3)), new(p2.Packed), 64},
		{"packed unlisted enums", prefixed(15)(repeat(n, 77)), new(p2.Packed), 64},
		{"single closed enums", repeat(n/3, 0x80, 1, 3), new(p2.Lists), 64},
		{"single unlisted enums", repeat(n/3, 0x80, 1, 77), new(p2.Lists), 64},
		{"a length that lies", append(prefixed(1)(nil)[:1], 0xff, 0xff, 0xff, 0xff, 0x07),
			new(p3.Lists), 64},
		{"empty strings", repeat(n/2, 14<<3|2, 0), new(p3.Lists), 64},
		{"empty bytes", repeat(n/2, 15<<3|2, 0), new(p3.Lists), 64},
		{"empty messages", repeat(n/2, 11<<3|2, 0), new(p3.All), 64},
		{"empty messages by turns with a number", repeat(n/5, 11<<3|2, 0, 0x98, 1, 1), new(p3.All),
			64},
		{"empty map entries", repeat(n/2, 1<<3|2, 0), new(p3.Maps), 64},
		{"map entries", mapEntries(n / 8), new(p3.Maps), 64},
		{"unknown fields", repeat(n/3, 0xf8, 0x3f, 0), new(p3.Maps), 64},
		{"trees", repeat(n/2, 4<<3|2, 0), new(p3.Tree), 64},
		{"groups", repeat(n/2, 2<<3|3, 2<<3|4), new(p2.Groups), 64},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_ = c.into.Unmarshal(c.b)
		runtime.ReadMemStats(&after)
		used := after.TotalAlloc - before.TotalAlloc
		t.Logf("%s: %.1fx", c.what, float64(used)/float64(len(c.b)))
		if used > c.times*uint64(len(c.b))+1<<20 {
			t.Errorf("%s: %d bytes for %d bytes of input", c.what, used, len(c.b))
		}
	}
}

func mapEntries(n int) (b []byte) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range n {
		b = append(b, 1<<3|2, 5, 1<<3, byte(rng.Uint32())|0x80, byte(rng.Uint32())&0x7f, 2<<3, 1)
	}
	return b
}
