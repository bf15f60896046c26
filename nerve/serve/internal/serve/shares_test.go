package serve_test

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/internal/wire"
	"github.com/octopus-framework/octopus/nerve/serve/internal/core"
	"github.com/octopus-framework/octopus/nerve/serve/internal/serve"
)

const step = 64 << 10 // in which memory for a frame is taken

// begin sends a small append, and when that is answered the beginning of an append of
// size bytes: its header and n bytes.
func (c *raw) begin(t testing.TB, queue string, session uint64, size, n int) {
	t.Helper()
	c.hello(t, queue, session)
	c.send(t, appendFrame(1, []byte("\x01\x00\x00\x00x")))
	c.receive(t)
	packed := binary.LittleEndian.AppendUint32(nil, uint32(size-4))
	frame := appendFrame(2, append(packed, make([]byte, size-4)...))
	c.send(t, frame[:wire.HeaderSize+n])
}

// until waits for something that the server does next.
func until(t testing.TB, what string, done func() bool) {
	t.Helper()
	hangs := time.After(hangTime)
	for !done() {
		select {
		case <-hangs:
			t.Fatalf("%s: it does not happen", what)
		case <-time.After(time.Millisecond):
		}
	}
}

// appendAs appends one record of size bytes, which nothing holds up.
func (r *running) appendAs(t testing.TB, who, queue string, size int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var b nerve.Batch
	b.Append(make([]byte, size))
	if _, err := r.dial(t, who, queue).Append(ctx, &b); err != nil {
		t.Fatalf("%d bytes beside others: %v", size, err)
	}
}

// TestAnnouncedFrames takes memory for what came of a frame, not for what was
// announced: those who do not go on hold up nobody.
func TestAnnouncedFrames(t *testing.T) {
	dir := t.TempDir()
	makeQueue(t, dir, "orders")
	makeQueue(t, dir, "other")
	r := start(t, dir, core.Options{}, serve.Options{FrameTimeout: time.Hour,
		Drain: time.Millisecond})
	const size = 8<<20 - 1000
	for i := range 64 { // of calls, which other roles may send
		c := rawClient(t, r, "consumer")
		c.hello(t, "orders", uint64(100+i))
		call := wire.AppendFrame(nil, wire.Call, 1, func(b []byte) []byte {
			return append(b, make([]byte, wire.MaxControl)...)
		})
		c.send(t, call[:wire.HeaderSize])
	}
	for i := range 16 {
		rawClient(t, r, "other").begin(t, "other", uint64(i+1), size, 0)
	}
	budget := r.root.Budget()
	r.appendAs(t, "all", "orders", 100_000)
	r.appendAs(t, "all", "orders", size)
	if n := budget.Held(); n != 0 {
		t.Errorf("%d bytes are held for headers", n)
	}
	for i := range 16 {
		rawClient(t, r, "other").begin(t, "other", uint64(i+17), size, step)
	}
	until(t, "a step of each", func() bool { return budget.Held() == 16*step })
	r.appendAs(t, "all", "orders", size)
	if n := budget.Waiting(); n != 0 {
		t.Errorf("%d wait", n)
	}
}

// TestShareOfMemory has who sends more than his share wait for himself, and nobody else.
func TestShareOfMemory(t *testing.T) {
	dir := t.TempDir()
	makeQueue(t, dir, "orders")
	makeQueue(t, dir, "other")
	const limit, size = 8 << 20, 1 << 20
	r := start(t, dir, core.Options{InFlight: limit}, serve.Options{FrameTimeout: time.Hour,
		Drain: time.Millisecond})
	const clients = 16
	for i := range clients { // all but the last bytes, so that the server must hold it
		c := rawClient(t, r, "other")
		go c.begin(t, "other", uint64(i+1), size, size)
	}
	budget := r.root.Budget()
	until(t, "the share is used up", func() bool { return budget.Waiting() >= clients/2 })
	waiting := budget.Waiting()
	for range 3 {
		r.appendAs(t, "all", "orders", 300_000)
	}
	if n := budget.Waiting(); n < waiting {
		t.Errorf("%d wait, %d waited before", n, waiting)
	}
	if n := budget.Held(); n > limit {
		t.Errorf("%d of %d bytes are held", n, limit)
	}
}

// strangers opens connections that say something, and no more.
func strangers(t *testing.T, r *running, n int, text string) (list []net.Conn) {
	t.Helper()
	for range n {
		c, err := net.Dial("tcp", r.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		_, _ = io.WriteString(c, text) // some are let go at once
		list = append(list, c)
	}
	return list
}

// TestStrangers shuts nobody out, whatever those do who do not say who they are.
func TestStrangers(t *testing.T) {
	r := startOne(t, "orders")
	const many = 300 // more than there may be
	for what, text := range map[string]string{
		"who said nothing":          "",
		"whose header does not end": "GET / HTTP/1.1\r\nHost: localhost\r\n",
		"who asked for /livez":      "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n",
		"who have a wrong token":    "GET / HTTP/1.1\r\nHost: localhost\r\nAuthorization: x\r\n\r\n",
		"whose body does not come": "POST /login HTTP/1.1\r\nHost: localhost\r\n" +
			"Content-Length: 9\r\n\r\n",
		"who ask for another host":     "GET / HTTP/1.1\r\nHost: other\r\n\r\n",
		"who begin to speak as by TLS": "\x16\x03\x01\x02\x00\x01\x00",
	} {
		strangers(t, r, many, text)
		resp, _ := r.do(t, http.MethodGet, "/api/v1/queues", r.as("reader"))
		if resp.StatusCode != http.StatusOK {
			t.Errorf("beside %d %s: %d", many, what, resp.StatusCode)
		}
		rawClient(t, r, "all").hello(t, "orders", 1)
	}
	for path, who := range map[string]string{"/livez": "", "/": "wrong", "/login": ""} {
		c := strangers(t, r, 1, "GET "+path+" HTTP/1.1\r\nHost: localhost\r\nX: "+who+"\r\n\r\n")[0]
		_ = c.SetReadDeadline(time.Now().Add(time.Minute))
		if answer, err := io.ReadAll(c); err != nil ||
			!strings.Contains(string(answer), "\r\nConnection: close\r\n") {
			t.Errorf("%s leaves the connection open: %q, %v", path, answer, err)
		}
	}
}
