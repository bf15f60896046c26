package gremlingrpc_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/octopus-framework/octopus/gremlin/gremlingrpc"
	"github.com/octopus-framework/octopus/gremlin/gremlingrpc/internal/shop"
)

// TestBorrowedMessage receives good and bad messages into one target.
func TestBorrowedMessage(t *testing.T) {
	for _, o := range [][]gremlingrpc.Option{nil, {gremlingrpc.WithMemoryLimit(1 << 20)}} {
		for _, size := range []int{100, 5000, 50000} {
			borrowMessages(t, size, o)
		}
	}
}

func borrowMessages(t *testing.T, size int, o []gremlingrpc.Option) {
	p := &counted{pool: gremlingrpc.NewPool()}
	c := gremlingrpc.NewCodec(nil, append(o, gremlingrpc.WithPool(p))...)
	var b gremlingrpc.BorrowedMessage[shop.Deposit, *shop.Deposit]
	receive := func(m []byte) error {
		data := pooled(p, m)
		defer data.Free()
		return c.Unmarshal(data, &b)
	}
	for i := range 3 {
		m := &shop.Deposit{Id: fmt.Sprint(i), Note: bytes.Repeat([]byte{7}, size)}
		if err := receive(m.Marshal()); err != nil || !b.Message().Equal(m) {
			t.Fatalf("%d bytes, message %d: %v", size, i, err)
		}
	}
	kept := b.Message().Clone()
	sent, err := c.Marshal(&b)
	if err != nil || !bytes.Equal(sent.Materialize(), kept.Marshal()) {
		t.Errorf("%d bytes: what was received is not what is sent: %v", size, err)
	}
	sent.Free()
	bad := append(bytes.Clone(badDeposit), (&shop.Deposit{Note: make([]byte, size)}).Marshal()...)
	if err := receive(bad); err == nil || b.Message().Id != "" {
		t.Errorf("malformed: %v, id %q", err, b.Message().Id)
	}
	if err := receive((&shop.Deposit{Id: "last"}).Marshal()); err != nil ||
		b.Message().Id != "last" || b.Message().Note != nil {
		t.Error(err, b.Message())
	}
	b.Release()
	b.Release()
	if _, err := c.Marshal(&b); err == nil || b.Message().Id != "" {
		t.Errorf("released: %v, id %q", err, b.Message().Id)
	}
	if kept.Id != "2" || !bytes.Equal(kept.Note, bytes.Repeat([]byte{7}, size)) {
		t.Error("what was cloned has changed")
	}
	if gets, puts := p.gets.Load(), p.puts.Load(); gets != puts || size > 1024 && gets == 0 {
		t.Errorf("%d bytes: %d buffers were taken, %d put back", size, gets, puts)
	}
}
