package frames

import (
	"context"
	"errors"
	"maps"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/internal/wire"
	"github.com/octopus-framework/octopus/nerve/lease"
	"github.com/octopus-framework/octopus/nerve/serve/internal/core"
)

// maxWorkers is how many workers a connection may have.
const maxWorkers = 256

// worker is a worker of a connection. It leaves when that ends.
type worker struct {
	lease.Worker
	taking bool // a take of it is not answered
}

// workResult is the result of the calls about workers that are answered at once.
func (c *conn) workResult(a *core.Access, code wire.CallCode, f *wire.Fields) ([]byte, error) {
	if code == wire.CallJoin {
		join, err := read(f, f.Join)
		if err != nil {
			return nil, err
		}
		w, err := c.join(a, join)
		if err != nil {
			return nil, err
		}
		return wire.AppendUints(nil, uint64(w.Duration())), nil
	}
	number := f.Uint64()
	if code == wire.CallSettle {
		list, err := read(f, f.Settlements)
		if err != nil {
			return nil, err
		}
		return wire.AppendOutcomes(nil, c.settle(number, list)), nil
	}
	if err := f.Err(wire.Call); err != nil {
		return nil, err
	}
	c.mu.Lock()
	w := c.workers[number]
	delete(c.workers, number)
	c.mu.Unlock()
	if w != nil { // else it left already
		_ = w.Close()
	}
	return nil, nil
}

// join adds a worker, or returns the one of the number if the call is repeated.
func (c *conn) join(a *core.Access, join wire.Join) (*worker, error) {
	c.mu.Lock()
	known, full := c.workers[join.Number], len(c.workers) >= maxWorkers
	c.mu.Unlock()
	if known != nil {
		return known, nil
	}
	if full {
		c.server.root.Metrics.RefusedByLimits.Add(1)
		return nil, &nerve.BusyError{What: "workers of a connection", Limit: maxWorkers}
	}
	name := c.name
	if join.Name != "" {
		name = join.Name[:min(len(join.Name), nerve.MaxName)] + " of " + name
	}
	joined, err := a.Join(join.Consumer,
		core.WorkOptions{Name: name, Duration: join.Duration, ByKey: join.ByKey})
	if err != nil {
		return nil, err
	}
	w := &worker{Worker: joined}
	c.mu.Lock()
	c.workers[join.Number] = w
	c.mu.Unlock()
	return w, nil
}

// settle does what is asked for the leases of a worker, and returns what became of it.
func (c *conn) settle(number uint64, list []wire.Settlement) []error {
	c.mu.Lock()
	w := c.workers[number]
	c.mu.Unlock()
	outcomes := make([]error, len(list))
	for i, s := range list {
		if w == nil { // worker of a connection that ended
			outcomes[i] = &nerve.LeaseError{ID: s.ID}
			continue
		}
		l := lease.Lease{Record: nerve.Record{ID: s.ID}, Fence: s.Fence}
		switch s.Verb {
		case wire.Ack:
			outcomes[i] = w.Ack(c.ctx, l)
		case wire.Fail:
			outcomes[i] = w.Fail(c.ctx, l, s.After)
		case wire.Extend:
			outcomes[i] = w.Extend(c.ctx, l)
		case wire.Release:
			outcomes[i] = w.Release(c.ctx, l)
		}
	}
	return outcomes
}

// take begins a take, which is answered when there are records, or when the client stops it. A
// worker has one at a time, so that what waits to be sent is bounded.
func (c *conn) take(id uint16, f *wire.Fields) error {
	number, most := f.Uint64(), f.Uint64()
	if err := f.Err(wire.Call); err != nil {
		return c.sendError(id, err)
	}
	ctx, stop := context.WithCancelCause(c.ctx)
	c.mu.Lock()
	w := c.workers[number]
	if c.noTakes {
		w = nil
	}
	busy := w != nil && w.taking
	if w != nil && !busy {
		w.taking = true
		c.takes[id] = func() { stop(nerve.ErrClosed) }
	}
	c.mu.Unlock()
	if w == nil || busy {
		stop(nil)
		if busy {
			return c.sendError(id, &nerve.BusyError{What: "takes of a worker", Limit: 1})
		}
		return c.sendError(id, nerve.ErrClosed)
	}
	c.start(func() error {
		leases, err := w.Take(ctx, int(min(most, lease.DefaultMaxLeases)))
		stop(nil)
		c.mu.Lock()
		w.taking = false
		delete(c.takes, id)
		c.mu.Unlock()
		if err != nil {
			return c.sendError(id, err)
		}
		frame := wire.AppendFrame(nil, wire.Answer, id,
			func(b []byte) []byte { return wire.AppendLeases(b, leases) })
		c.writing.Lock()
		defer c.writing.Unlock()
		return c.write(frame)
	})
	return nil
}

// cancelTake ends a take, if the stream is one: the answer is what it has by then, or an error.
func (c *conn) cancelTake(id uint16) {
	c.mu.Lock()
	stop := c.takes[id]
	c.mu.Unlock()
	if stop != nil {
		stop()
	}
}

// endTakes ends all takes, so that a client is answered before it goes.
func (c *conn) endTakes() {
	c.mu.Lock()
	c.noTakes = true
	takes := maps.Clone(c.takes)
	c.mu.Unlock()
	for _, stop := range takes {
		stop()
	}
}

// leaveAll gives back what the workers of a connection have, which ended.
func (c *conn) leaveAll() {
	for _, w := range c.workers {
		if err := w.Close(); err != nil && !errors.Is(err, nerve.ErrClosed) {
			c.server.logger.Error("nerve: a worker does not leave", "error", err)
		}
	}
}
