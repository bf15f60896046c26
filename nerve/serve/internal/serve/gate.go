package serve

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/octopus-framework/octopus/nerve/serve/internal/core"
)

// gate is a listener that bounds how many connections there are, and how many of
// them have not said yet who they are: strangers. When there are too many of these,
// of all or of one address, the oldest of the address that has most goes, and
// who comes gets in: somebody who has what it takes says so at once.
type gate struct {
	net.Listener
	limit, strangers, each int // connections, strangers, and those of one address
	known                  *core.Places
	refused                *atomic.Uint64

	mu    sync.Mutex
	conns map[*gateConn]bool
	quiet []*gateConn // strangers, in the order in which they came
}

// newGate lets limit connections in, and strangers of those who are.
func newGate(l net.Listener, limit, strangers int, refused *atomic.Uint64) *gate {
	return &gate{Listener: l, limit: limit, strangers: strangers, each: max(1, strangers/4),
		known: core.NewPlaces("connections", limit), refused: refused,
		conns: make(map[*gateConn]bool)}
}

// Accept implements net.Listener.
func (g *gate) Accept() (net.Conn, error) {
	for {
		conn, err := g.Listener.Accept()
		if err != nil {
			return nil, err
		}
		c := &gateConn{Conn: conn, gate: g, from: network(conn.RemoteAddr().String())}
		gone, ok := g.enter(c)
		if gone != nil {
			g.refused.Add(1)
			gone.Close()
		}
		if ok {
			return c, nil
		}
		g.refused.Add(1)
		conn.Close()
	}
}

// enter lets a connection in, and returns the one that must go for it.
func (g *gate) enter(c *gateConn) (gone *gateConn, ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	by := make(map[netip.Prefix]int)
	for _, q := range g.quiet {
		by[q.from]++
	}
	switch {
	case by[c.from] >= g.each:
		gone = g.oldest(func(q *gateConn) bool { return q.from == c.from })
	case len(g.quiet) >= g.strangers || len(g.conns) >= g.limit:
		most := 0
		for _, n := range by {
			most = max(most, n)
		}
		gone = g.oldest(func(q *gateConn) bool { return by[q.from] == most })
	}
	if gone != nil {
		g.remove(gone)
	}
	if len(g.conns) >= g.limit {
		return gone, false
	}
	g.conns[c] = true
	g.quiet = append(g.quiet, c)
	return gone, true
}

// oldest returns the first stranger that is as which wants him. The mutex is held.
func (g *gate) oldest(which func(*gateConn) bool) *gateConn {
	if i := slices.IndexFunc(g.quiet, which); i >= 0 {
		return g.quiet[i]
	}
	return nil
}

type gateKey struct{}

// context is the ConnContext of the server: it remembers the connection.
func (g *gate) context(ctx context.Context, c net.Conn) context.Context {
	if t, ok := c.(*tls.Conn); ok {
		c = t.NetConn()
	}
	return context.WithValue(ctx, gateKey{}, c)
}

// admit says that the one who sent a request was authenticated. It is a BusyError if he
// has his share of connections.
func (g *gate) admit(r *http.Request, p *core.Principal) error {
	c, _ := r.Context().Value(gateKey{}).(*gateConn)
	g.mu.Lock()
	defer g.mu.Unlock()
	if !slices.Contains(g.quiet, c) { // it was admitted before, or is gone
		return nil
	}
	if err := g.known.Enter(p.Share()); err != nil {
		g.refused.Add(1)
		return err
	}
	c.share, c.admitted = p.Share(), true
	g.quiet = slices.DeleteFunc(g.quiet, func(q *gateConn) bool { return q == c })
	return nil
}

func (g *gate) leave(c *gateConn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.remove(c)
}

// remove forgets a connection. The mutex is held.
func (g *gate) remove(c *gateConn) {
	if !g.conns[c] {
		return
	}
	delete(g.conns, c)
	if c.admitted {
		g.known.Leave(c.share)
		return
	}
	g.quiet = slices.DeleteFunc(g.quiet, func(q *gateConn) bool { return q == c })
}

// gateConn leaves the gate when it is closed, by HTTP or by whoever took it over.
type gateConn struct {
	net.Conn
	gate *gate
	from netip.Prefix
	once sync.Once

	share    string // the name under which it is counted once it is admitted
	admitted bool
}

// Close implements net.Conn.
func (c *gateConn) Close() error {
	c.once.Do(func() { c.gate.leave(c) })
	return c.Conn.Close()
}
