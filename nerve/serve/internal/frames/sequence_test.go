package frames

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"runtime/debug"
	"sync"
	"testing"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/internal/wire"
	"github.com/octopus-framework/octopus/nerve/seglog"
	"github.com/octopus-framework/octopus/nerve/serve/internal/core"
	"github.com/octopus-framework/octopus/nerve/vfs"
)

// script makes bytes a sequence of valid frames over some connections: each byte
// chooses what comes next, or a value of it out of a few that matter.
type script struct {
	t      *testing.T
	in     []byte
	server *Server
	who    []*core.Principal
	conns  [4]*scripted
	all    sync.WaitGroup // connections, at both ends
}

// scripted is the client's end of a connection.
type scripted struct {
	script *script
	net    *net.UnixConn
	sent   chan uint64   // sequences of appends, in order
	acks   chan struct{} // one for each that was answered
	marks  chan struct{} // one for each call of wait that was
	gone   chan struct{} // closed when nothing more comes
	calls  uint16
	open   int // appends that wait has not seen answered
}

// markStream is that of the calls after which a script waits.
const markStream = 60000

func (s *script) byte() byte {
	if len(s.in) == 0 {
		return 0
	}
	b := s.in[0]
	s.in = s.in[1:]
	return b
}

// pick chooses one of a few values.
func pick[T any](s *script, values ...T) T { return values[int(s.byte())%len(values)] }

// number chooses one of those at which code goes wrong.
func (s *script) number() uint64 {
	return pick[uint64](s, 0, 1, 2, 3, 4, 5, 8, 63, 64, 65, 66, 127, 128, 1<<16, 1<<31, 1<<32,
		1<<62, 1<<63-1, 1<<63, 1<<64-1)
}

func (s *script) name() string { return pick(s, "a", "b", "c", "", "..", "a\x00") }

func (s *script) queue() string { return pick(s, "q", "q", "q", "new", "..", "") }

// claim chooses what a claim may be; epochs are counted from 1.
func (s *script) claim(b []byte) []byte {
	return wire.AppendClaim(b, nerve.Claim{Name: s.name(), Epoch: s.number(),
		Lease: time.Duration(s.number())})
}

// pointers chooses a few.
func (s *script) pointers() []nerve.Pointer {
	list := make([]nerve.Pointer, int(s.byte())%4)
	for i := range list {
		list[i] = nerve.Pointer{Name: s.name(), ID: nerve.ID(s.number()), Hold: s.byte()&1 != 0,
			Epoch: s.number(), Meta: make([]byte, pick(s, 0, 1, nerve.MaxMeta, nerve.MaxMeta+1))}
	}
	return list
}

// packed chooses the records of an append.
func (s *script) packed() (b []byte) {
	size := pick(s, 0, 1, 1, 100, smallFrame, 3*smallFrame, 1<<19)
	for range pick(s, 1, 0, 2, 3, 1000) {
		if len(b) > 1<<19 {
			break
		}
		b = binary.LittleEndian.AppendUint32(b, uint32(size))
		b = append(b, make([]byte, size)...)
	}
	return b
}

// parts chooses the ids of an append, and records that have them or are not there.
func (s *script) parts() []nerve.Part {
	parts := make([]nerve.Part, pick(s, 1, 1, 0, 2, 3, nerve.MaxParts, nerve.MaxParts+1))
	for i := range parts {
		parts[i] = nerve.Part{ID: nerve.DedupID{s.byte() % 4}, Start: i, End: i + 1}
	}
	if len(parts) > 0 {
		parts[0].Start, parts[0].End = pick(s, 0, 0, 1, -1), pick(s, 1, 1, 0, 2, 1000)
	}
	return parts
}

// call chooses a call with its arguments.
func (s *script) call() []byte {
	code := wire.CallCode(s.byte() % 13)
	b := binary.LittleEndian.AppendUint16(nil, uint16(code))
	switch code {
	case wire.CallSeek, wire.CallTrim, wire.CallLast:
		b = wire.AppendUints(b, s.number())
	case wire.CallSave:
		b = wire.AppendPointers(b, s.pointers())
	case wire.CallRemove:
		b = wire.AppendBytes(b, s.name())
	case wire.CallClaim:
		b = wire.AppendUints(wire.AppendBytes(b, s.name()), s.number())
	case wire.CallRenew, wire.CallRelease:
		b = s.claim(b)
	}
	return append(b, make([]byte, pick(s, 0, 0, 0, 1, smallCall, 3*smallFrame))...)
}

// run sends what the script says, until it ends, and hangs up.
func (s *script) run() {
	for len(s.in) > 0 {
		op := s.byte()
		at := &s.conns[op&3]
		if *at == nil {
			*at = s.connect()
		}
		c := *at
		switch op >> 2 & 15 {
		case 3:
			c.appendOnce(s.number(), s.parts(), s.packed())
		case 0, 1, 2:
			c.append(s.number(), nerve.Key{Producer: s.number(), Seq: s.number()}, s.packed())
		case 4, 5:
			c.frame(wire.Read, uint16(s.number()), func(b []byte) []byte {
				return wire.AppendUints(b, s.number(), s.number())
			})
		case 6:
			c.frame(wire.Credit, uint16(s.number()), func(b []byte) []byte {
				return wire.AppendUints(b, s.number())
			})
		case 7:
			c.frame(wire.Stop, uint16(s.number()), nil)
		case 8, 9, 10:
			c.calls++
			c.frame(wire.Call, c.calls%markStream, func(b []byte) []byte {
				return append(b, s.call()...)
			})
		case 11, 12:
			c.wait()
		case 13:
			c.frame(wire.Bye, 0, nil)
			*at = nil
		case 14: // in the middle of what the server does
			c.net.Close()
			*at = nil
		case 15:
			c.frame(wire.Hello, 0, s.hello)
		}
	}
	for _, c := range s.conns {
		if c != nil {
			c.wait()
			_ = c.net.CloseWrite()
		}
	}
	s.all.Wait()
}

func (s *script) hello(b []byte) []byte {
	return wire.ClientHello{Session: pick[uint64](s, 1, 2, 0), Queue: s.queue(), Create: true,
		Name: s.name()}.Append(b)
}

// connect makes a connection that says hello.
func (s *script) connect() *scripted {
	server, client := pipe(s.t)
	const many = 1 << 12 // more than a script has
	c := &scripted{script: s, net: client, sent: make(chan uint64, many),
		acks: make(chan struct{}, many), marks: make(chan struct{}, many),
		gone: make(chan struct{})}
	p := s.who[int(s.byte())%len(s.who)]
	s.all.Go(func() { s.server.serve(core.With(context.Background(), p), server, server) })
	s.all.Go(c.receive)
	c.frame(wire.Hello, 0, s.hello)
	return c
}

// frame sends one. A server that hung up takes no more.
func (c *scripted) frame(t wire.Type, stream uint16, fill func([]byte) []byte) {
	_, _ = c.net.Write(wire.AppendFrame(nil, t, stream, fill))
}

func (c *scripted) append(seq uint64, key nerve.Key, packed []byte) {
	c.sent <- seq
	c.open++
	c.frame(wire.Append, 0, func(b []byte) []byte {
		return append(wire.AppendUints(b, seq, key.Producer, key.Seq), packed...)
	})
}

func (c *scripted) appendOnce(seq uint64, parts []nerve.Part, packed []byte) {
	c.sent <- seq
	c.open++
	c.frame(wire.AppendOnce, 0, func(b []byte) []byte {
		return append(wire.AppendParts(wire.AppendUints(b, seq), parts), packed...)
	})
}

// wait returns when the server has answered all calls and appends so far, or hung up.
func (c *scripted) wait() {
	c.frame(wire.Call, markStream, func(b []byte) []byte {
		return append(b, byte(wire.CallBounds), 0)
	})
	c.take(c.marks)
	for ; c.open > 0; c.open-- {
		c.take(c.acks)
	}
}

func (c *scripted) take(from chan struct{}) {
	select {
	case <-from:
	case <-c.gone:
	}
}

// receive reads the answers: to appends in the order of the appends.
func (c *scripted) receive() {
	defer close(c.gone)
	defer c.net.Close()
	var head [wire.HeaderSize]byte
	for {
		h, err := wire.ReadHeader(c.net, &head)
		if err != nil {
			if _, bad := errors.AsType[*nerve.ProtocolError](err); bad {
				c.script.t.Errorf("the server sent a bad header: %v", err)
			}
			return
		}
		payload := make([]byte, h.Size)
		if _, err := io.ReadFull(c.net, payload); err != nil {
			return
		}
		if err := h.Check(&head, payload); err != nil {
			c.script.t.Errorf("the server sent a bad frame: %v", err)
			return
		}
		switch {
		case h.Type == wire.Appended || h.Type == wire.AppendedOnce || h.Type == wire.Refused:
			if seq := wire.NewFields(payload[:8]).Uint64(); len(c.sent) == 0 || <-c.sent != seq {
				c.script.t.Errorf("an answer to append %d, which is not the next", seq)
				return
			}
			c.acks <- struct{}{}
		case h.Stream == markStream:
			c.marks <- struct{}{}
		}
	}
}

// sequenceServer serves a folder that is in memory.
func sequenceServer(t *testing.T, dir string) *Server {
	t.Helper()
	root, err := core.Open(dir, core.Options{InFlight: 2 << 20, Create: true,
		Folder: seglog.Options{NoSpare: true, NoDirect: true, Durability: seglog.SyncNever,
			SegmentSize: 1 << 20, FS: new(vfs.Mem)}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close(context.Background()) })
	return NewServer(root, Options{WriteTimeout: time.Minute, FrameTimeout: time.Minute,
		Logger: slog.New(slog.NewTextHandler(faults{t}, &slog.HandlerOptions{
			Level: slog.LevelError}))})
}

// faults shows what the server logs of faults of its own.
type faults struct{ t *testing.T }

// Write implements io.Writer.
func (f faults) Write(p []byte) (int, error) {
	f.t.Errorf("%s", bytes.ReplaceAll(p, []byte(`\n`), []byte("\n")))
	return len(p), nil
}

func principals(t testing.TB) (list []*core.Principal) {
	t.Helper()
	for i, roles := range []core.Role{core.All, core.Append, core.Read, core.Consume, core.Admin} {
		p, err := core.NewPrincipal(fmt.Sprint("fuzz", i), core.Grant{Queues: "*", Roles: roles})
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
	return list
}

// hangTime is longer than any script takes.
const hangTime = 40 * time.Second

// play runs a script against a server of its own, and looks at what is left of it.
func play(t *testing.T, dir string, in []byte) {
	t.Helper()
	// The fuzzer keeps what ends its process, and waits for ever for what hangs.
	hangs := time.AfterFunc(hangTime, func() {
		debug.SetTraceback("all")
		panic("the server hangs")
	})
	defer hangs.Stop()
	server := sequenceServer(t, dir)
	s := &script{t: t, in: in, server: server, who: principals(t)}
	s.run()
	m := &server.root.Metrics
	if n := m.Connections.Load(); n != 0 {
		t.Errorf("%d connections are left", n)
	}
	if n := server.root.Readers(); n != 0 {
		t.Errorf("%d readers are left", n)
	}
	if n := server.root.Budget().Held(); n != 0 {
		t.Errorf("%d bytes are taken", n)
	}
}

// op makes the byte that chooses what to do on a connection.
func op(what, conn byte) byte { return what<<2 | conn }

// FuzzSequence sends valid frames in any order over several connections of several
// principals, with the values at which code goes wrong: none ends the server, all
// appends are answered in order, and nothing is left when the clients have gone.
func FuzzSequence(f *testing.F) {
	dir := f.TempDir()
	hello := []byte{0, 0, 0, 0} // everything, session 1, queue q, name a
	first := func(rest ...byte) []byte {
		return append(append([]byte{op(0, 0)}, hello...), rest...)
	}
	f.Add(first(1, 0, 0, 1, 0, op(0, 0), 2, 0, 0, 1, 0, op(11, 0)))
	f.Add(first(1, 1, 1, 5, 0, op(4, 0), 1, 1, 14, op(6, 0), 1, 5, op(11, 0), op(7, 0), 1))
	f.Add(append(first(1, 1, 1, 1, 0, op(14, 0)), first(1, 1, 1, 1, 0, op(13, 0))...))
	f.Add(first(7, 0, 0, 6, 4, op(8, 0), 6, 0, 1, 0, op(8, 0), 7, 0, 1, 1, 0, op(8, 0), 4, 1, 0, 1,
		0, 1, 0))
	f.Add(append(first(1, 0, 0, 1, 0), op(0, 1), 1, 1, 0, 0, 2, 0, 0, 1, 0, op(11, 0), op(11, 1)))
	f.Fuzz(func(t *testing.T, in []byte) {
		play(t, dir, in[:min(len(in), 400)])
	})
}
