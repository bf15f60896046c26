package gremlingrpc_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"google.golang.org/grpc/mem"

	"github.com/octopus-framework/octopus/gremlin/gremlingrpc"
	"github.com/octopus-framework/octopus/gremlin/gremlingrpc/internal/shop"
)

// pooled returns b as grpc hands messages to codecs: in buffers of p, of at most 16 KiB.
func pooled(p mem.BufferPool, b []byte) mem.BufferSlice {
	var s mem.BufferSlice
	for len(b) > 0 {
		n := min(len(b), 16384)
		s = append(s, mem.Copy(b[:n], p))
		b = b[n:]
	}
	return s
}

func TestBorrowed(t *testing.T) {
	for _, size := range []int{100, 5000, 50000} {
		p := &counted{pool: gremlingrpc.NewPool()}
		c := gremlingrpc.NewCodec(nil, gremlingrpc.WithPool(p))
		var b gremlingrpc.Borrowed[shop.DepositReader, *shop.DepositReader]
		if b.Reader().GetId() != "" {
			t.Error("a new one has a message")
		}
		receive := func(m []byte) error {
			data := pooled(p, m)
			defer data.Free()
			return c.Unmarshal(data, &b)
		}
		for i := range 3 {
			m := &shop.Deposit{Id: fmt.Sprint(i), Note: bytes.Repeat([]byte{7}, size)}
			if err := receive(m.Marshal()); err != nil || b.Reader().GetId() != m.Id ||
				!bytes.Equal(b.Reader().GetNote(), m.Note) {
				t.Fatalf("%d bytes, message %d: %v", size, i, err)
			}
		}
		kept := b.Keep()
		sent, err := c.Marshal(&b)
		if err != nil || !bytes.Equal(sent.Materialize(), b.Reader().Raw()) {
			t.Errorf("%d bytes: what was received is not what is sent: %v", size, err)
		}
		sent.Free()
		if s := fmt.Sprint(&b); s != "borrowed shop.v1.Deposit" {
			t.Errorf("it prints as %q", s)
		}
		if err := receive(append(badDeposit,
			(&shop.Deposit{Note: make([]byte, size)}).Marshal()...)); err == nil ||
			b.Reader().GetId() != "" {
			t.Errorf("malformed: %v, id %q", err, b.Reader().GetId())
		}
		if err := receive((&shop.Deposit{Id: "last"}).Marshal()); err != nil ||
			b.Reader().GetId() != "last" {
			t.Error(err)
		}
		b.Release()
		b.Release()
		if _, err := c.Marshal(&b); err == nil ||
			!strings.Contains(err.Error(), "after its Release") || b.Reader().GetId() != "" {
			t.Errorf("%v, id %q", err, b.Reader().GetId())
		}
		if kept.GetId() != "2" || len(kept.GetNote()) != size || kept.GetNote()[size-1] != 7 {
			t.Error("what was kept has changed")
		}
		if gets, puts := p.gets.Load(), p.puts.Load(); gets != puts || size > 1024 && gets == 0 {
			t.Errorf("%d bytes: %d buffers were taken, %d put back", size, gets, puts)
		}
	}
}
