package serve

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
)

// gate is a listener that bounds how many connections there are, and how many of
// them have not said yet who they are. What is over a limit is closed at once.
type gate struct {
	net.Listener
	limit, half int
	refused     *atomic.Uint64

	mu    sync.Mutex
	conns map[net.Conn]bool // true until it is known who it is
	quiet int               // of them, true
}

func newGate(l net.Listener, limit, half int, refused *atomic.Uint64) *gate {
	return &gate{Listener: l, limit: limit, half: half, refused: refused,
		conns: make(map[net.Conn]bool)}
}

// Accept implements net.Listener.
func (g *gate) Accept() (net.Conn, error) {
	for {
		conn, err := g.Listener.Accept()
		if err != nil {
			return nil, err
		}
		c := &gateConn{Conn: conn, gate: g}
		if g.enter(c) {
			return c, nil
		}
		g.refused.Add(1)
		conn.Close()
	}
}

func (g *gate) enter(c *gateConn) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.conns) >= g.limit || g.quiet >= g.half {
		return false
	}
	g.conns[c] = true
	g.quiet++
	return true
}

type gateKey struct{}

// context is the ConnContext of the server: it remembers the connection.
func (g *gate) context(ctx context.Context, c net.Conn) context.Context {
	if t, ok := c.(*tls.Conn); ok {
		c = t.NetConn()
	}
	return context.WithValue(ctx, gateKey{}, c)
}

// known says that the one who sent a request was authenticated.
func (g *gate) known(r *http.Request) {
	c, _ := r.Context().Value(gateKey{}).(net.Conn)
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.conns[c] {
		g.conns[c] = false
		g.quiet--
	}
}

func (g *gate) leave(c net.Conn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if quiet, ok := g.conns[c]; ok {
		if quiet {
			g.quiet--
		}
		delete(g.conns, c)
	}
}

// gateConn leaves the gate when it is closed, by HTTP or by whoever took it over.
type gateConn struct {
	net.Conn
	gate *gate
	once sync.Once
}

// Close implements net.Conn.
func (c *gateConn) Close() error {
	c.once.Do(func() { c.gate.leave(c) })
	return c.Conn.Close()
}
