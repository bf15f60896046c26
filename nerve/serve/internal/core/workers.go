package core

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/envelope"
	"github.com/octopus-framework/octopus/nerve/lease"
)

// dispatchers are those of a queue, by name of the consumer. One is there while it has workers, and
// a little longer, so that workers whose connections were lost find it again.
type dispatchers struct {
	mu     sync.Mutex
	byName map[string]*dispatcher

	guests guests
}

// dispatcher is one with its consumer.
type dispatcher struct {
	*lease.Dispatcher
	name    string
	byKey   bool
	share   string // share of the readers that it uses
	workers int
	idle    *time.Timer // closes it; set while it has no workers
}

// Bounds of a dispatcher, of which there may be as many as readers.
const (
	maxReadyBytes = 1 << 20
	maxTakeBytes  = 256 << 10
	maxOpen       = 1 << 14
)

// WorkOptions say how a worker wants to work.
type WorkOptions struct {
	Name     string        // name of the worker, for people
	Duration time.Duration // duration of a lease; 0 is lease.DefaultDuration
	ByKey    bool          // records of a key are given out in order, see package nerve/envelope
}

// Join adds a worker to those of a consumer, whose name they have from then on: close it. All
// workers of a name must want the same order. A principal has its share of the workers there may
// be ([Options.Workers]), and of the readers for each name. It takes Consume.
func (a *Access) Join(consumer string, o WorkOptions) (lease.Worker, error) {
	if err := a.Need(Consume); err != nil {
		return nil, err
	}
	w, d, err := a.join(consumer, o)
	if err != nil {
		return nil, err
	}
	return &worker{Worker: w, access: a, d: d}, nil
}

// join adds a worker to a dispatcher; leave takes it away.
func (a *Access) join(consumer string, o WorkOptions) (lease.Worker, *dispatcher, error) {
	r, share := a.root, a.principal.Share()
	if r.options.ReadOnly {
		return nil, nil, nerve.ErrReadOnly
	}
	if err := r.workers.Enter(share); err != nil {
		r.Metrics.RefusedByLimits.Add(1)
		return nil, nil, err
	}
	d, err := a.dispatcher(consumer, o.ByKey)
	if err != nil {
		r.workers.Leave(share)
		return nil, nil, r.Public(err)
	}
	w, err := d.Dispatcher.Join(o.Name, o.Duration)
	if err != nil {
		a.leave(d)
		return nil, nil, r.Public(err)
	}
	return w, d, nil
}

// dispatcher returns the dispatcher of a consumer with one worker more, and begins it if there is
// none.
func (a *Access) dispatcher(consumer string, byKey bool) (*dispatcher, error) {
	all := &a.queue.dispatchers
	all.mu.Lock()
	defer all.mu.Unlock()
	d := all.byName[consumer]
	if d == nil {
		var err error
		if d, err = a.begin(consumer, byKey); err != nil {
			return nil, err
		}
		if all.byName == nil {
			all.byName = make(map[string]*dispatcher)
		}
		all.byName[consumer] = d
	}
	if d.byKey != byKey {
		return nil, &nerve.SetupError{Server: "consumer " + consumer,
			Reason: fmt.Sprintf("its workers have the order by key %s, this one wants it %s",
				onOff(d.byKey), onOff(byKey)), Advice: "let all of them ask for the same"}
	}
	if d.idle != nil {
		d.idle.Stop()
		d.idle = nil
	}
	d.workers++
	return d, nil
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

// begin opens a consumer and a dispatcher over it.
func (a *Access) begin(consumer string, byKey bool) (*dispatcher, error) {
	r, share := a.root, a.principal.Share()
	if err := r.readers.Enter(share); err != nil {
		r.Metrics.RefusedByLimits.Add(1)
		return nil, err
	}
	d := &dispatcher{name: consumer, byKey: byKey, share: share}
	c, err := a.queue.queue.Consumer(consumer, nerve.ConsumerOptions{})
	if err != nil {
		r.readers.Leave(share)
		return nil, a.queue.claims.explain(err)
	}
	o := lease.Options{MaxReadyBytes: maxReadyBytes, MaxTakeBytes: maxTakeBytes, MaxOpen: maxOpen,
		MaxWorkers: r.options.Workers}
	if byKey {
		o.KeyBy = envelope.KeyOf
	}
	if d.Dispatcher, err = lease.New(c, o); err != nil {
		r.readers.Leave(share)
		_ = c.Close() // why the dispatcher does not begin is what matters
		return nil, err
	}
	a.queue.claims.shared(consumer)
	return d, nil
}

// leave takes a worker from a dispatcher, which ends some time after the last one.
func (a *Access) leave(d *dispatcher) {
	a.root.workers.Leave(a.principal.Share())
	all := &a.queue.dispatchers
	all.mu.Lock()
	defer all.mu.Unlock()
	if d.workers--; d.workers > 0 {
		return
	}
	if d.Err() != nil { // the next worker begins another one
		a.end(d)
		return
	}
	d.idle = time.AfterFunc(a.root.options.Lease, func() {
		all.mu.Lock()
		defer all.mu.Unlock()
		if d.workers == 0 && all.byName[d.name] == d {
			a.end(d)
		}
	})
}

// end ends a dispatcher that has no workers. The mutex is held.
func (a *Access) end(d *dispatcher) {
	all := &a.queue.dispatchers
	delete(all.byName, d.name)
	a.root.readers.Leave(d.share)
	_ = d.Close() // only that it is closed could be wrong
	if err := d.Consumer().Close(); err != nil && !errors.Is(err, nerve.ErrClosed) {
		a.root.logger.Error("nerve: the consumer of workers is not closed well",
			"consumer", d.name, "error", a.root.Public(err))
	}
}

// worker leaves its dispatcher when it is closed, and works no more when the lease of its principal
// has ended.
type worker struct {
	lease.Worker
	access *Access
	d      *dispatcher
	once   sync.Once
}

func (w *worker) allowed() error { return w.access.Need(Consume) }

// Take implements lease.Worker.
func (w *worker) Take(ctx context.Context, most int) ([]lease.Lease, error) {
	leases, err := w.Worker.Take(ctx, most)
	if denied := w.allowed(); denied != nil {
		return nil, denied // the connection ends, and gives back what was taken
	}
	for i := range leases {
		leases[i].Err = w.access.root.Public(leases[i].Err)
	}
	return leases, w.access.root.Public(err)
}

// Ack implements lease.Worker.
func (w *worker) Ack(ctx context.Context, l lease.Lease) error {
	if err := w.allowed(); err != nil {
		return err
	}
	return w.access.root.Public(w.Worker.Ack(ctx, l))
}

// Fail implements lease.Worker.
func (w *worker) Fail(ctx context.Context, l lease.Lease, after time.Duration) error {
	if err := w.allowed(); err != nil {
		return err
	}
	return w.access.root.Public(w.Worker.Fail(ctx, l, after))
}

// Extend implements lease.Worker.
func (w *worker) Extend(ctx context.Context, l lease.Lease) error {
	if err := w.allowed(); err != nil {
		return err
	}
	return w.access.root.Public(w.Worker.Extend(ctx, l))
}

// Release implements lease.Worker.
func (w *worker) Release(ctx context.Context, l lease.Lease) error {
	if err := w.allowed(); err != nil {
		return err
	}
	return w.access.root.Public(w.Worker.Release(ctx, l))
}

// Close implements lease.Worker.
func (w *worker) Close() error {
	err := nerve.ErrClosed
	w.once.Do(func() {
		err = w.Worker.Close()
		w.access.leave(w.d)
	})
	return err
}
