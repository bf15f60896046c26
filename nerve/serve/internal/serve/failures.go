package serve

import (
	"context"
	"net/netip"
	"sync"
	"time"

	"github.com/octopus-framework/octopus/nerve"
)

const (
	maxFailures  = 10 // of one address within failureTime before it is told to wait
	failureTime  = time.Minute
	failureDelay = 100 * time.Millisecond // before each answer to one
	maxAddresses = 4096
)

// failures counts refusals by address, such as attempts to authenticate that
// failed. Who has what it takes is let in whatever others at his address do.
type failures struct {
	now   func() time.Time
	delay time.Duration

	mu     sync.Mutex
	byAddr map[netip.Prefix]*failureCount
}

type failureCount struct {
	n     int
	since time.Time
}

func newFailures() *failures {
	return &failures{now: time.Now, delay: failureDelay,
		byAddr: make(map[netip.Prefix]*failureCount)}
}

// failed counts a failure, waits a little, and returns a BusyError if there were
// too many.
func (f *failures) failed(ctx context.Context, remote string) error {
	n := f.count(remote)
	select {
	case <-time.After(f.delay):
	case <-ctx.Done():
	}
	if n > maxFailures {
		return &nerve.BusyError{What: "failed attempts to authenticate", Limit: maxFailures}
	}
	return nil
}

func (f *failures) count(remote string) int {
	key := network(remote)
	now := f.now()
	f.mu.Lock()
	defer f.mu.Unlock()
	c := f.byAddr[key]
	if c == nil {
		f.makeRoom(now)
		c = &failureCount{since: now}
		f.byAddr[key] = c
	}
	if now.Sub(c.since) > failureTime {
		c.n, c.since = 0, now
	}
	c.n++
	return c.n
}

// makeRoom drops what is old, or anything if nothing is. The mutex is held.
func (f *failures) makeRoom(now time.Time) {
	if len(f.byAddr) < maxAddresses {
		return
	}
	for key, c := range f.byAddr {
		if now.Sub(c.since) > failureTime {
			delete(f.byAddr, key)
		}
	}
	for key := range f.byAddr {
		if len(f.byAddr) < maxAddresses {
			return
		}
		delete(f.byAddr, key)
	}
}

// network is an address, of IPv6 what one subscriber has.
func network(remote string) netip.Prefix {
	addr, err := netip.ParseAddrPort(remote)
	if err != nil {
		return netip.Prefix{}
	}
	ip, bits := addr.Addr().Unmap(), 32
	if ip.Is6() {
		bits = 64
	}
	p, _ := ip.Prefix(bits) // it has as many bits
	return p
}
