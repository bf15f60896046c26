package gremlin_test

import (
	"strings"
	"testing"
	"time"

	"github.com/octopus-framework/octopus/gremlin/wkt"
)

// nest wraps v into depth lists, with a string of pad bytes before and behind it at each level.
func nest(v *wkt.Value, depth int, pad string) *wkt.Value {
	for range depth {
		l := &wkt.ListValue{}
		if pad != "" {
			l.Values = append(l.Values, wkt.Value{Kind: &wkt.Value_StringValue{StringValue: pad}})
		}
		l.Values = append(l.Values, *v)
		if pad != "" {
			l.Values = append(l.Values, wkt.Value{Kind: &wkt.Value_StringValue{StringValue: pad}})
		}
		v = &wkt.Value{Kind: &wkt.Value_ListValue{ListValue: l}}
	}
	return v
}

func text(n int) *wkt.Value {
	return &wkt.Value{Kind: &wkt.Value_StringValue{StringValue: strings.Repeat("x", n)}}
}

// TestLateLengths writes messages whose lengths have one to four bytes, moved at once or left for the end, one in the other
// and one beside the other.
func TestLateLengths(t *testing.T) {
	for _, size := range []int{0, 100, 120, 125, 128, 4000, 4090, 4096, 5000, 16380, 16384, 1 << 17, 1<<21 - 20, 1 << 21} {
		for _, depth := range []int{0, 1, 2, 3, 10} {
			for _, pad := range []int{0, 1, 127, 5000} {
				if size*depth > 1<<22 {
					continue
				}
				v := nest(text(size), depth, strings.Repeat("p", pad))
				both := &wkt.ListValue{Values: []wkt.Value{*v, *text(7), *v}}
				prefix := []byte("prefix")
				b := both.MarshalAppend(prefix)
				if string(b[:6]) != "prefix" || len(b)-6 != both.Size() {
					t.Fatalf("size %d, depth %d, pad %d: %d bytes, Size says %d", size, depth, pad, len(b)-6, both.Size())
				}
				exact := make([]byte, 0, both.Size())
				if got := both.MarshalAppend(exact); string(got) != string(b[6:]) || cap(got) != cap(exact) {
					t.Fatalf("size %d, depth %d, pad %d: room for %d bytes became room for %d", size, depth, pad, cap(exact), cap(got))
				}
				var back wkt.ListValue
				if err := back.Unmarshal(b[6:]); err != nil {
					t.Fatalf("size %d, depth %d, pad %d: %v", size, depth, pad, err)
				}
				if !back.Equal(both) {
					t.Fatalf("size %d, depth %d, pad %d: another message came back", size, depth, pad)
				}
			}
		}
	}
}

// TestDeepIsLinear writes 4 MB below 4,900 messages. Moving them for each length took a thousand times as long as not to.
func TestDeepIsLinear(t *testing.T) {
	took := func(depth int) time.Duration {
		v := nest(text(4<<20), depth, "")
		buf := v.MarshalAppend(nil)
		best := time.Hour
		for range 5 {
			start := time.Now()
			buf = v.MarshalAppend(buf[:0])
			best = min(best, time.Since(start))
		}
		return best
	}
	shallow, deep := took(1), took(4900)
	if deep > 20*shallow+5*time.Millisecond {
		t.Errorf("4 MB in one message took %v, in 4,900 nested ones %v", shallow, deep)
	}
}
