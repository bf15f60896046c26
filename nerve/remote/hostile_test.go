package remote

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/http"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/internal/wire"
)

// hostile is a server that answers with whatever valid frames its bytes choose.
type hostile struct{ in []byte }

func (h *hostile) byte() byte {
	if len(h.in) == 0 {
		return 0
	}
	b := h.in[0]
	h.in = h.in[1:]
	return b
}

func (h *hostile) number() uint64 {
	list := []uint64{0, 1, 2, 3, 4, 5, 9, 64, 1 << 16, 1 << 32, 1 << 62, 1<<63 - 1, 1 << 63,
		1<<64 - 1}
	return list[int(h.byte())%len(list)]
}

// serve answers the upgrade, says welcome or something else, and goes on.
func (h *hostile) serve(conn net.Conn) {
	defer conn.Close()
	in := bufio.NewReader(conn)
	if _, err := http.ReadRequest(in); err != nil {
		return
	}
	go func() { _, _ = io.Copy(io.Discard, in) }()
	_, _ = io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: nerve/1\r\n"+
		"Connection: Upgrade\r\n\r\n")
	if h.byte()&7 != 1 {
		_, _ = conn.Write(wire.AppendFrame(nil, wire.Welcome, 0, wire.ServerHello{
			Incarnation: h.number(), Resumed: h.byte()&1 != 0, First: nerve.ID(h.number()),
			Last: nerve.ID(h.number()), Limits: nerve.Limits{Record: 1 << 10, Batch: 1 << 16},
		}.Append))
	}
	for len(h.in) > 0 {
		if _, err := conn.Write(h.frame()); err != nil {
			return
		}
	}
}

// frame chooses one of a type, of a stream that the client may have, and what is in it.
func (h *hostile) frame() []byte {
	kind := wire.Type(h.byte()%16 + 1)
	if !kind.Known() {
		kind = wire.Batch
	}
	return wire.AppendFrame(nil, kind, uint16(h.byte()%5), func(b []byte) []byte {
		switch kind {
		case wire.Batch:
			b = wire.AppendUints(b, h.number(), h.number())
			for range h.byte() % 4 {
				records := make([]byte, 0, 16)
				for range h.byte() % 3 {
					records = binary.LittleEndian.AppendUint32(records, uint32(h.byte()%3))
					records = append(records, 'x')
				}
				b = wire.AppendUints(b, h.number(), h.number(), uint64(len(records)))
				b = append(b, records...)
			}
		case wire.Refused, wire.Error:
			if kind == wire.Refused {
				b = wire.AppendUints(b, h.number())
			}
			code := uint16(h.byte() % 32)
			b = append(binary.LittleEndian.AppendUint16(b, code), 0, 0, 0)
		case wire.Answer:
			values := wire.AppendUints(nil, h.number(), h.number(), h.number())
			b = append(b, values[:h.byte()%25]...)
		default:
			for range h.byte() % 6 {
				b = wire.AppendUints(b, h.number())
			}
		}
		return b
	})
}

// use does with a log what a program does, until the server has nothing more to say.
func use(ctx context.Context, l *Log) {
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() {
			var b nerve.Batch
			b.Append([]byte("x"))
			_, _ = l.Append(ctx, &b)
			_, _ = l.Append(ctx, &b)
		})
	}
	all.Go(func() {
		cur, err := l.Read(ctx, 1)
		if err != nil {
			return
		}
		defer cur.Close()
		var b nerve.Batch
		for range 20 {
			if err := cur.Next(ctx, &b); ctx.Err() != nil || errors.Is(err, nerve.ErrClosed) {
				return
			}
		}
	})
	all.Go(func() {
		_, _ = l.Pointers(ctx)
		c, _ := l.Claim(ctx, "c")
		_, _ = l.Renew(ctx, c)
		_ = l.SavePointers(ctx, []nerve.Pointer{{Name: "c", ID: 1}})
		_, _ = l.Seek(ctx, time.Unix(0, 1))
		_, _ = l.Trim(ctx, 1)
		_, _ = l.LastAppended(ctx, 1)
		l.Bounds()
	})
	all.Wait()
}

// FuzzHostileServer answers a client with valid frames in any order: it neither panics
// nor hangs.
func FuzzHostileServer(f *testing.F) {
	f.Add([]byte{0, 1, 1, 1, 9, 4, 1, 3, 1, 1, 1, 1})
	f.Add([]byte{0, 1, 1, 1, 1, 10, 1, 24, 10, 2, 24, 5, 1, 1, 9, 1, 1, 1, 1, 1, 8, 0, 2, 1, 9})
	f.Add([]byte{1, 0, 0, 0, 0, 11, 0, 10, 12, 0, 14, 0, 1, 8})
	f.Add([]byte{0, 1, 1, 1, 1, 11, 1, 5, 11, 2, 10, 11, 3, 14, 12, 0, 0})
	f.Fuzz(func(t *testing.T, in []byte) {
		hangs := time.AfterFunc(40*time.Second, func() {
			debug.SetTraceback("all")
			panic("the client hangs")
		})
		defer hangs.Stop()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var served sync.WaitGroup
		var dials atomic.Int64
		l, err := Open(ctx, "nerve://127.0.0.1/q", Options{MaxBackoff: time.Millisecond,
			Dial: func(string, string) (net.Conn, error) {
				if dials.Add(1) > 2 { // it said all
					cancel()
					return nil, io.ErrClosedPipe
				}
				client, server := net.Pipe()
				h := &hostile{in[:min(len(in), 300)]}
				served.Go(func() { h.serve(server) })
				return client, nil
			}})
		if err == nil {
			use(ctx, l)
			_ = l.Close()
		}
		cancel()
		served.Wait()
	})
}
