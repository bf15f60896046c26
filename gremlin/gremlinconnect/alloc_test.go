package gremlinconnect_test

import (
	"bytes"
	"testing"

	"github.com/octopus-framework/octopus/gremlin/gremlinconnect/internal/shop"
)

// TestAllocations counts what the codecs take for one message, into a buffer with room and from
// one.
func TestAllocations(t *testing.T) {
	m := shop.Deposit{Id: "7", Amount: 3, User: &shop.User{Id: "u"}}
	for _, c := range codecs {
		var dst bytes.Buffer
		dst.Grow(1 << 10)
		text := []byte(encode(t, c, &m))
		sent := testing.AllocsPerRun(100, func() {
			dst.Reset()
			if err := c.MarshalWrite(t.Context(), &dst, &m); err != nil {
				t.Fatal(err)
			}
		})
		var src bytes.Buffer
		var r shop.DepositReader
		got := testing.AllocsPerRun(100, func() {
			src.Reset()
			src.Write(text)
			if err := c.UnmarshalRead(t.Context(), &src, &r); err != nil {
				t.Fatal(err)
			}
		})
		if sent > 0 || got > 1 { // what the Reader owns
			t.Errorf("%s: %v allocations to send, %v to receive", c.Name(), sent, got)
		}
	}
}
