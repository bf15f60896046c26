package serve

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"sync/atomic"
	"testing"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/serve/internal/core"
)

func (g *gate) from(t *testing.T, address string) (c, gone *gateConn) {
	t.Helper()
	c = &gateConn{gate: g, from: netip.MustParsePrefix(address + "/32")}
	gone, ok := g.enter(c)
	if !ok {
		t.Fatalf("%s is not let in", address)
	}
	return c, gone
}

// TestGate lets those go who have been strangers for longest, of the address that has
// most of them.
func TestGate(t *testing.T) {
	g := newGate(nil, 100, 16, new(atomic.Uint64))
	var greedy []*gateConn
	for range 6 { // each address may have four
		c, gone := g.from(t, "10.0.0.1")
		greedy = append(greedy, c)
		if n := len(greedy); n > 4 && gone != greedy[n-5] || n <= 4 && gone != nil {
			t.Fatalf("stranger %d: %v goes", n, gone)
		}
	}
	for i := range 12 { // up to 16
		if _, gone := g.from(t, fmt.Sprint("10.0.1.", i)); gone != nil {
			t.Fatalf("%v goes for the first of its address", gone.from)
		}
	}
	if _, gone := g.from(t, "10.0.2.1"); gone != greedy[2] {
		t.Errorf("%v goes, and not the oldest of the address that has most", gone)
	}
	if _, gone := g.from(t, "10.0.2.2"); gone != greedy[3] {
		t.Errorf("%v goes next", gone)
	}
	if len(g.conns) != 16 || len(g.quiet) != 16 {
		t.Errorf("%d connections, %d strangers", len(g.conns), len(g.quiet))
	}
	for _, c := range greedy { // also those that are gone
		g.leave(c)
		g.leave(c)
	}
	if len(g.conns) != 14 || len(g.quiet) != 14 {
		t.Errorf("%d connections, %d strangers are left", len(g.conns), len(g.quiet))
	}
}

// TestGateShares has a principal leave places to others, and strangers give way.
func TestGateShares(t *testing.T) {
	g := newGate(nil, 8, 8, new(atomic.Uint64))
	ask := func(c *gateConn, who string) error {
		p, err := core.NewPrincipal(who, core.Grant{Queues: "*", Roles: core.Read})
		if err != nil {
			t.Fatal(err)
		}
		r := (&http.Request{}).WithContext(context.WithValue(t.Context(), gateKey{}, c))
		return g.admit(r, p)
	}
	var last *gateConn
	for i := range 7 {
		last, _ = g.from(t, fmt.Sprint("10.0.0.", i))
		err := ask(last, "greedy")
		if err == nil {
			err = ask(last, "greedy") // another request on it
		}
		if _, busy := errors.AsType[*nerve.BusyError](err); busy != (i == 6) {
			t.Fatalf("connection %d: %v", i, err)
		}
	}
	other, _ := g.from(t, "10.0.1.1")
	if err := ask(other, "modest"); err != nil {
		t.Errorf("somebody else: %v", err)
	}
	if _, gone := g.from(t, "10.0.1.2"); gone != last {
		t.Errorf("%v goes, and not the one that was not admitted", gone)
	}
	if n := g.known.Taken(); n != 7 {
		t.Errorf("%d connections are known", n)
	}
	g.leave(other)
	if n := g.known.Taken(); n != 6 {
		t.Errorf("%d connections are known when one has left", n)
	}
}
