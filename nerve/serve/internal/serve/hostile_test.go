package serve_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/internal/wire"
	"github.com/octopus-framework/octopus/nerve/seglog"
	"github.com/octopus-framework/octopus/nerve/serve/internal/core"
	"github.com/octopus-framework/octopus/nerve/serve/internal/serve"
	"github.com/octopus-framework/octopus/nerve/vfs"
)

// raw is a client that says what it likes.
type raw struct {
	net.Conn
	in *bufio.Reader
}

// rawClient upgrades a connection as somebody.
func rawClient(t testing.TB, r *running, who string) *raw {
	t.Helper()
	conn, err := net.Dial("tcp", r.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	_ = conn.SetReadDeadline(time.Now().Add(hangTime))
	fmt.Fprintf(conn, "GET /nerve HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\n"+
		"Upgrade: nerve/2, nerve/1\r\nAuthorization: Bearer %s\r\n\r\n", r.tokens[who])
	c := &raw{conn, bufio.NewReader(conn)}
	resp, err := http.ReadResponse(c.in, nil)
	if err != nil || resp.StatusCode != http.StatusSwitchingProtocols {
		t.Fatalf("upgrade: %v, %v", resp, err)
	}
	return c
}

// hello opens a queue.
func (c *raw) hello(t testing.TB, queue string, session uint64) wire.ServerHello {
	t.Helper()
	c.send(t, wire.AppendFrame(nil, wire.Hello, 0,
		wire.ClientHello{Minor: 9, Session: session, Queue: queue, Name: "raw"}.Append))
	h, payload := c.receive(t)
	welcome, err := wire.ReadWelcome(payload)
	if h.Type != wire.Welcome || err != nil {
		t.Fatalf("%v %q, %v", h.Type, payload, err)
	}
	return welcome
}

func (c *raw) send(t testing.TB, b []byte) {
	t.Helper()
	if _, err := c.Write(b); err != nil {
		t.Fatal(err)
	}
}

// receive reads a frame, not one of bounds, which come unasked.
func (c *raw) receive(t testing.TB) (wire.Header, []byte) {
	t.Helper()
	for {
		h, payload, err := c.next()
		if err != nil {
			t.Fatalf("receive: %v", err)
		}
		if h.Type != wire.Bounds {
			return h, payload
		}
	}
}

func (c *raw) next() (wire.Header, []byte, error) {
	var head [wire.HeaderSize]byte
	h, err := wire.ReadHeader(c.in, &head)
	if err != nil {
		return h, nil, err
	}
	payload := make([]byte, h.Size)
	if _, err := io.ReadFull(c.in, payload); err != nil {
		return h, nil, err
	}
	return h, payload, h.Check(&head, payload)
}

// wantRefusal reads an error of the connection and then its end.
func (c *raw) wantRefusal(t testing.TB, what, text string) {
	t.Helper()
	h, payload := c.receive(t)
	told, err := wire.ReadError(payload)
	if h.Type != wire.Error || err != nil || !strings.Contains(told.Error(), text) {
		t.Errorf("%s: %v %v, %v; want %q", what, h.Type, told, err, text)
	}
	if _, _, err := c.next(); err == nil {
		t.Errorf("%s: the connection goes on", what)
	}
}

func appendFrame(seq uint64, packed []byte) []byte {
	return wire.AppendFrame(nil, wire.Append, 0, func(b []byte) []byte {
		return append(wire.AppendUints(b, seq, 0, 0), packed...)
	})
}

// TestFramesThatLie sends what no client sends: each is refused with a reason and a
// line in the log, and nothing is kept for it.
func TestFramesThatLie(t *testing.T) {
	r := startOne(t, "orders")
	uints := func(v ...uint64) func([]byte) []byte {
		return func(b []byte) []byte { return wire.AppendUints(b, v...) }
	}
	broken := func(f []byte, at int) []byte {
		f[at] ^= 0x40
		return f
	}
	huge := append([]byte{0xff, 0xff, 0xff, 0xff, byte(wire.Append), 0}, make([]byte, 6)...)
	good := appendFrame(1, []byte("\x01\x00\x00\x00x"))
	lies := []struct {
		name  string
		frame []byte
		want  string
	}{
		{"four GiB", huge, "over the limit"},
		{"a long credit", append([]byte{0, 1, 0, 0, byte(wire.Credit), 0}, make([]byte, 6)...),
			"over the limit"},
		{"shorter than its header", make([]byte, 12), "shorter than its header"},
		{"an unknown type", append([]byte{8, 0, 0, 0, 200, 0}, make([]byte, 6)...), "not known"},
		{"unknown flags", append([]byte{8, 0, 0, 0, 3, 1}, make([]byte, 6)...), "not known"},
		{"a wrong checksum", broken(append([]byte(nil), good...), len(good)-1), "checksum"},
		{"records that are not whole", appendFrame(1, []byte("\x09\x00\x00\x00x")), "not whole"},
		{"half a length", appendFrame(1, []byte("\x09\x00")), "not whole"},
		{"an append without head", wire.AppendFrame(nil, wire.Append, 0, uints(1)),
			"without its head"},
		{"hello again", wire.AppendFrame(nil, wire.Hello, 0, nil), "may not send"},
		{"an answer", wire.AppendFrame(nil, wire.Answer, 0, nil), "may not send"},
		{"a read that is cut", wire.AppendFrame(nil, wire.Read, 1, uints(1)), "too short"},
		{"a credit that is cut", wire.AppendFrame(nil, wire.Credit, 1, nil), "too short"},
		{"HTTP", []byte("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"), "not known"},
	}
	for i, lie := range lies {
		c := rawClient(t, r, "all")
		c.hello(t, "orders", uint64(i+1))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		c.send(t, lie.frame)
		c.wantRefusal(t, lie.name, lie.want)
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
			t.Errorf("%s: %d bytes were allocated", lie.name, n)
		}
	}
	for what, frame := range map[string][]byte{
		"no hello": good,
		"a long hello": wire.AppendFrame(nil, wire.Hello, 0, func(b []byte) []byte {
			return append(b, make([]byte, 8<<10)...)
		}),
		"a hello alone": wire.AppendFrame(nil, wire.Hello, 0, nil),
	} {
		c := rawClient(t, r, "all")
		c.send(t, frame)
		h, payload := c.receive(t)
		told, err := wire.ReadError(payload)
		_, ok := errors.AsType[*nerve.ProtocolError](told)
		if h.Type != wire.Error || err != nil || !ok {
			t.Errorf("%s: %v %v, %v", what, h.Type, told, err)
		}
	}
	if err := r.stop(); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(r.log.String(), "a client was refused"); n < len(lies)-2 ||
		n > len(lies)+3 {
		t.Errorf("%d lines in the log for %d lies", n, len(lies)+3)
	}
}

// TestVersions negotiates the protocol, and refuses a client of another one.
func TestVersions(t *testing.T) {
	r := startOne(t, "orders")
	if w := rawClient(t, r, "all").hello(t, "orders", 1); w.Minor != wire.Minor ||
		w.First != 1 || w.Last != 3 || w.Resumed {
		t.Errorf("%+v", w) // the client said that it speaks nerve/1 of minor 9
	}
	for _, offer := range []string{"nerve/2", "websocket", ""} {
		resp, _ := r.do(t, http.MethodGet, "/nerve", func(req *http.Request) {
			r.as("all")(req)
			if offer != "" {
				req.Header.Set("Connection", "Upgrade")
				req.Header.Set("Upgrade", offer)
			}
		})
		if resp.StatusCode != http.StatusUpgradeRequired ||
			resp.Header.Get("Upgrade") != wire.Protocol {
			t.Errorf("%q: %d %v", offer, resp.StatusCode, resp.Header)
		}
	}
	c := rawClient(t, r, "all")
	c.hello(t, "orders", 2)
	c.send(t, wire.AppendFrame(nil, wire.Call, 7, func(b []byte) []byte {
		return append(b, 99, 0)
	}))
	h, payload := c.receive(t)
	told, err := wire.ReadError(payload)
	if h.Stream != 7 || err != nil || !strings.Contains(told.Error(), "older than the client") {
		t.Errorf("a call that is not known: %v %v, %v", h, told, err)
	}
	// The connection goes on.
	c.send(t, appendFrame(1, []byte("\x01\x00\x00\x00x")))
	if h, _ := c.receive(t); h.Type != wire.Appended {
		t.Errorf("then an append: %v", h.Type)
	}
}

// TestRepeatedFrames repeats an append over two connections: it is stored once,
// also when the first one is still open.
func TestRepeatedFrames(t *testing.T) {
	r := startOne(t, "orders")
	frame := appendFrame(1, []byte("\x01\x00\x00\x00x"))
	for i := range 3 {
		c := rawClient(t, r, "all")
		if w := c.hello(t, "orders", 77); w.Resumed != (i > 0) {
			t.Errorf("connection %d: %+v", i, w)
		}
		c.send(t, frame)
		h, payload := c.receive(t)
		if f := wire.NewFields(payload); h.Type != wire.Appended || f.Uint64() != 1 ||
			f.Uint64() != 4 {
			t.Fatalf("connection %d: %v %x", i, h.Type, payload)
		}
	}
	// Somebody else does not get it.
	c := rawClient(t, r, "appender")
	c.send(t, wire.AppendFrame(nil, wire.Hello, 0,
		wire.ClientHello{Session: 77, Queue: "orders"}.Append))
	c.wantRefusal(t, "the session of another", "somebody else's")
}

// others checks that a client gets its answers whatever others do.
func others(t *testing.T, r *running) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	log := r.dial(t, "all", "orders")
	for _, verb := range verbs[:4] {
		if err := verb.call(ctx, log); err != nil {
			t.Fatalf("%s beside a hostile client: %v", verb.name, err)
		}
	}
}

// TestClientsThatDoNotRead are let go, and do not hold up others.
func TestClientsThatDoNotRead(t *testing.T) {
	dir := t.TempDir()
	makeQueue(t, dir, "orders")
	r := start(t, dir, core.Options{}, serve.Options{WriteTimeout: 300 * time.Millisecond})
	log := r.dial(t, "all", "orders")
	var b nerve.Batch
	for range 16 {
		b.Append(make([]byte, 1<<20-4))
	}
	for range 3 {
		if _, err := log.Append(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
	}
	const clients = 20
	for i := range clients {
		c := rawClient(t, r, "all")
		c.hello(t, "orders", uint64(1000+i))
		c.send(t, wire.AppendFrame(nil, wire.Read, 1, func(b []byte) []byte {
			return wire.AppendUints(b, 1, 1<<62) // all that there is
		}))
	}
	others(t, r)
	until(t, "the clients are let go", func() bool {
		return r.root.Metrics.SlowClients.Load() >= clients
	})
	others(t, r)
}

// TestClientsThatFlood append without reading the answers: the server stops
// reading, and lets them go.
func TestClientsThatFlood(t *testing.T) {
	dir := t.TempDir()
	makeQueue(t, dir, "orders")
	r := start(t, dir, core.Options{}, serve.Options{WriteTimeout: 300 * time.Millisecond})
	var pointers []nerve.Pointer // whose list makes a long answer
	for i := range 100 {
		pointers = append(pointers, nerve.Pointer{Name: fmt.Sprint("c", i),
			Meta: make([]byte, nerve.MaxMeta)})
	}
	if err := r.dial(t, "all", "orders").SavePointers(t.Context(), pointers); err != nil {
		t.Fatal(err)
	}
	c := rawClient(t, r, "all")
	c.hello(t, "orders", 1)
	if tcp, ok := c.Conn.(*net.TCPConn); ok {
		_ = tcp.SetReadBuffer(4 << 10)
	}
	_ = c.SetWriteDeadline(time.Now().Add(hangTime))
	for seq := uint64(1); ; seq++ {
		call := wire.AppendFrame(nil, wire.Call, uint16(seq), func(b []byte) []byte {
			return append(b, byte(wire.CallPointers), 0)
		})
		both := append(appendFrame(seq, []byte("\x01\x00\x00\x00x")), call...)
		if _, err := c.Write(both); err != nil {
			if ne, ok := errors.AsType[net.Error](err); ok && ne.Timeout() {
				t.Fatal("the server neither reads nor lets go")
			}
			break
		}
	}
	others(t, r)
	if r.root.Metrics.SlowClients.Load() == 0 {
		t.Error("nobody was too slow")
	}
}

// TestClientsThatCrawl begin large appends and do not end them: they hold no more
// than the budget, for as long as a frame may take, and small appends go on.
func TestClientsThatCrawl(t *testing.T) {
	dir := t.TempDir()
	makeQueue(t, dir, "orders")
	const budget, size = 1 << 20, 256 << 10
	r := start(t, dir, core.Options{InFlight: budget},
		serve.Options{FrameTimeout: 300 * time.Millisecond})
	begun := appendFrame(1, make([]byte, size))[:1000]
	var before runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	const clients = 12
	for i := range clients {
		c := rawClient(t, r, "all")
		c.hello(t, "orders", uint64(i+1))
		c.send(t, begun)
	}
	others(t, r)
	var during runtime.MemStats
	runtime.GC() // what is garbage is held by nobody
	runtime.ReadMemStats(&during)
	if n := int64(during.HeapAlloc) - int64(before.HeapAlloc); n > budget+clients*(256<<10) {
		t.Errorf("%d clients hold %d bytes", clients, n)
	}
	if held := r.root.Budget().Held(); held > budget {
		t.Errorf("%d bytes of %d are taken", held, budget)
	}
	until(t, "the clients are let go", func() bool {
		return r.root.Budget().Held() == 0 && r.root.Metrics.Connections.Load() <= 1
	})
	if n := r.root.Metrics.SlowClients.Load(); n != clients {
		t.Errorf("%d clients were too slow, want %d", n, clients)
	}
}

// TestRefusedBeforeMemory takes nothing for an append that is not allowed.
func TestRefusedBeforeMemory(t *testing.T) {
	r := startOne(t, "orders")
	c := rawClient(t, r, "reader")
	c.hello(t, "orders", 1)
	frame := appendFrame(1, append([]byte{0xfc, 0xff, 0x7f, 0}, make([]byte, 8<<20-4)...))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	c.send(t, frame)
	h, payload := c.receive(t)
	runtime.ReadMemStats(&after)
	f := wire.NewFields(payload)
	seq := f.Uint64()
	told, err := wire.ReadError(f.Rest())
	if _, ok := errors.AsType[*nerve.AccessError](told); h.Type != wire.Refused || seq != 1 ||
		err != nil || !ok {
		t.Errorf("%v %d %v, %v", h.Type, seq, told, err)
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > 256<<10 {
		t.Errorf("%d bytes were allocated for 8 MiB that were refused", n)
	}
}

// TestReadersAreBounded refuses more readers than the server has, with a typed
// error, and takes new ones when others are closed.
func TestReadersAreBounded(t *testing.T) {
	dir := t.TempDir()
	makeQueue(t, dir, "orders")
	r := start(t, dir, core.Options{Readers: 4}, serve.Options{})
	log := r.dial(t, "all", "orders")
	for range 3 {
		var open []nerve.Cursor
		for range 3 {
			cur, err := log.Read(t.Context(), 1)
			if err != nil {
				t.Fatal(err)
			}
			open = append(open, cur)
		}
		_, err := log.Read(t.Context(), 1)
		if e, ok := errors.AsType[*nerve.BusyError](err); !ok || e.Limit != 4 {
			t.Fatalf("the fourth reader: %v", err)
		}
		for _, cur := range open {
			if err := cur.Close(); err != nil {
				t.Fatal(err)
			}
		}
		until(t, "a reader after them", func() bool { // the server hears of it a little later
			cur, err := log.Read(t.Context(), 1)
			return err == nil && cur.Close() == nil
		})
		until(t, "the readers are closed", func() bool { return r.root.Readers() == 0 })
	}
}

// brokenDisk panics when a segment is read, as a fault of the server would.
type brokenDisk struct{ broken atomic.Bool }

func (d *brokenDisk) Inject(op vfs.Op, path string, n int) (int, error) {
	if op == vfs.OpRead && d.broken.Load() && strings.HasSuffix(path, ".seg") {
		panic("the disk is broken")
	}
	return n, nil
}

// TestFaults ends the connection or request in whose goroutine the server panics, with
// a line in the log and a count, and no other.
func TestFaults(t *testing.T) {
	dir := t.TempDir()
	makeQueue(t, dir, "orders")
	makeQueue(t, dir, "other")
	disk := new(brokenDisk)
	r := start(t, dir, core.Options{Folder: seglog.Options{FS: vfs.WithFaults(vfs.OS{}, disk)}},
		serve.Options{})
	victim := rawClient(t, r, "all")
	victim.hello(t, "other", 1)
	c := rawClient(t, r, "all")
	c.hello(t, "orders", 2)
	disk.broken.Store(true)
	c.send(t, wire.AppendFrame(nil, wire.Read, 1, func(b []byte) []byte {
		return wire.AppendUints(b, 1, 1<<20)
	}))
	for err := error(nil); err == nil; {
		_, _, err = c.next()
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet,
		r.URL()+"api/v1/queues/orders/records", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	r.as("all")(req)
	if resp, err := http.DefaultClient.Do(req); err == nil {
		resp.Body.Close()
		t.Errorf("a request with a fault is answered with %d", resp.StatusCode)
	}
	disk.broken.Store(false)
	victim.send(t, appendFrame(1, []byte("\x01\x00\x00\x00x")))
	if h, _ := victim.receive(t); h.Type != wire.Appended {
		t.Errorf("another connection gets %v", h.Type)
	}
	_, body := r.do(t, http.MethodGet, "/metrics", r.as("all"))
	if !strings.Contains(body, "\nnerve_panics_total 2\n") {
		t.Errorf("metrics without the two faults:\n%s", body)
	}
	if log := r.log.String(); strings.Count(log, "\n") != 2 ||
		strings.Count(log, `panic="the disk is broken"`) != 2 ||
		strings.Count(log, "(*brokenDisk)") != 2 {
		t.Errorf("the log has not a line with a stack for each fault:\n%s", log)
	}
}

// TestSequenceZero refuses the number that no append has, whatever came before, and
// ends nothing but the connection.
func TestSequenceZero(t *testing.T) {
	r := startOne(t, "orders")
	for i, who := range []string{"appender", "all", "reader"} {
		prior := uint64(i) % 2
		c := rawClient(t, r, who)
		c.hello(t, "orders", uint64(7+i))
		if prior > 0 {
			c.send(t, appendFrame(prior, []byte("\x01\x00\x00\x00x")))
			c.receive(t)
		}
		c.send(t, appendFrame(0, []byte("\x00\x00\x00\x00")))
		c.wantRefusal(t, who, "sequence 0")
	}
	others(t, r)
}

// TestIDsThatLie sends ids of records that are not there: the append is refused, and
// the connection goes on.
func TestIDsThatLie(t *testing.T) {
	r := startOne(t, "orders")
	c := rawClient(t, r, "all")
	if w := c.hello(t, "orders", 1); w.Dedup.IDs != nerve.DefaultDedupIDs ||
		w.Dedup.Age != nerve.DefaultDedupAge {
		t.Fatalf("%+v", w)
	}
	one := nerve.DedupID{1}
	seq := uint64(0)
	send := func(parts ...nerve.Part) wire.Type {
		seq++
		c.send(t, wire.AppendFrame(nil, wire.AppendOnce, 0, func(b []byte) []byte {
			b = wire.AppendParts(wire.AppendUints(b, seq), parts)
			return append(b, "\x01\x00\x00\x00x\x01\x00\x00\x00y"...)
		}))
		for {
			h, payload := c.receive(t)
			if h.Type == wire.Bounds {
				continue
			}
			if got := wire.NewFields(payload[:8]).Uint64(); got != seq {
				t.Fatalf("%v of append %d, want %d", h.Type, got, seq)
			}
			return h.Type
		}
	}
	for _, parts := range [][]nerve.Part{
		{{ID: one, Start: 0, End: 3}}, {{ID: one, Start: 1, End: 1}}, {{ID: one, Start: 2, End: 1}},
		{{ID: one, Start: 1 << 31, End: 1<<32 - 1}}, {{Start: 0, End: 1}},
		{{ID: one, Start: 0, End: 2}, {ID: one, Start: 1, End: 2}},
		{{ID: one, Start: 1, End: 2}, {ID: one, Start: 0, End: 1}},
	} {
		if got := send(parts...); got != wire.Refused {
			t.Errorf("%+v: %v", parts, got)
		}
	}
	both := []nerve.Part{{ID: one, Start: 0, End: 1}, {ID: nerve.DedupID{2}, Start: 1, End: 2}}
	if got := send(both...); got != wire.AppendedOnce {
		t.Fatal(got)
	}
	log := r.dial(t, "all", "orders")
	if _, last := log.Bounds(); last != 5 {
		t.Fatalf("the log ends at %d, want 5", last)
	}
	c.send(t, wire.AppendFrame(nil, wire.AppendOnce, 0, func(b []byte) []byte {
		return wire.AppendParts(wire.AppendUints(b, 99), nil)
	}))
	c.wantRefusal(t, "an append with ids without them", "without")
}

// TestIDsAreTheirPrincipals keeps one client from taking the id of another's append.
func TestIDsAreTheirPrincipals(t *testing.T) {
	r := startOne(t, "orders")
	for i, who := range []string{"all", "appender"} {
		log := r.dial(t, who, "orders")
		for range 2 {
			var b nerve.Batch
			b.Append([]byte(who))
			b.Once(nerve.DedupID{1})
			if id, err := log.Append(t.Context(), &b); err != nil || id != nerve.ID(i+4) {
				t.Fatalf("%s: Append = %d, %v", who, id, err)
			}
		}
	}
}
