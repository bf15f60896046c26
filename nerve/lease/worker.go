package lease

import (
	"cmp"
	"container/heap"
	"context"
	"slices"
	"time"

	"github.com/octopus-framework/octopus/nerve"
)

// worker implements Worker. What changes is guarded by the mutex of the dispatcher.
type worker struct {
	d        *Dispatcher
	name     string
	duration time.Duration
	leases   map[*task]bool
	left     bool
}

// Duration implements Worker.
func (w *worker) Duration() time.Duration { return w.duration }

// Take implements Worker.
func (w *worker) Take(ctx context.Context, most int) ([]Lease, error) {
	given, err := w.take(ctx, max(most, 1))
	if err != nil {
		return nil, err
	}
	if err := w.d.load(ctx, given); err != nil {
		w.giveBack(given)
		return nil, err
	}
	return given, nil
}

// take waits for leases. Those of records that are not in memory have no data.
func (w *worker) take(ctx context.Context, most int) ([]Lease, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	d := w.d
	wait := &waiter{worker: w, most: most, done: make(chan struct{})}
	d.mu.Lock()
	if err := w.over(); err != nil {
		d.mu.Unlock()
		return nil, err
	}
	d.waiting = append(d.waiting, wait)
	d.match()
	d.mu.Unlock()
	select {
	case <-wait.done:
	case <-ctx.Done():
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := w.over(); err != nil {
		return nil, err
	}
	if len(wait.given) == 0 {
		d.waiting = slices.DeleteFunc(d.waiting, func(o *waiter) bool { return o == wait })
		return nil, context.Cause(ctx)
	}
	return wait.given, nil
}

// over returns why nothing is given to this worker any more, if so. The mutex is held.
func (w *worker) over() error {
	if w.d.err == nil && w.left {
		return nerve.ErrClosed
	}
	return w.d.err
}

// giveBack releases leases that the caller of Take will not see.
func (w *worker) giveBack(given []Lease) {
	for _, l := range given {
		_ = w.release(l) // one that ended meanwhile is back already
	}
}

// lease returns the task of a lease that goes on. The mutex is held.
func (w *worker) lease(l Lease) (*task, error) {
	if err := w.over(); err != nil {
		return nil, err
	}
	t := w.d.tasks[l.ID]
	if t == nil || t.holder != w || t.fence != l.Fence {
		return nil, &nerve.LeaseError{ID: l.ID}
	}
	return t, nil
}

// settle calls f with the task of a lease, under the mutex.
func (w *worker) settle(l Lease, f func(*task) error) error {
	w.d.mu.Lock()
	defer w.d.mu.Unlock()
	t, err := w.lease(l)
	if err != nil {
		return err
	}
	if err := f(t); err != nil {
		w.d.fail(err)
		return err
	}
	return nil
}

// Extend implements Worker.
func (w *worker) Extend(_ context.Context, l Lease) error {
	return w.settle(l, func(t *task) error {
		t.at = time.Now().Add(w.duration)
		heap.Fix(&w.d.timed, t.index)
		return nil
	})
}

// Ack implements Worker.
func (w *worker) Ack(_ context.Context, l Lease) error {
	return w.settle(l, func(t *task) error {
		if err := w.d.consumer.Ack(t.rec.ID); err != nil {
			return err
		}
		w.d.done(t)
		return nil
	})
}

// Fail implements Worker.
func (w *worker) Fail(_ context.Context, l Lease, after time.Duration) error {
	return w.settle(l, func(t *task) error {
		w.d.takeBack(t)
		if after <= 0 {
			w.d.offer(t)
			return nil
		}
		t.state, t.at = delayed, time.Now().Add(after)
		w.d.wait(t)
		w.d.match() // there is room for another lease
		return nil
	})
}

// Release implements Worker.
func (w *worker) Release(_ context.Context, l Lease) error { return w.release(l) }

func (w *worker) release(l Lease) error {
	return w.settle(l, func(t *task) error {
		t.attempt--
		if err := w.d.consumer.SetAttempts(t.rec.ID, t.attempt); err != nil {
			return err
		}
		w.d.takeBack(t)
		w.d.offer(t)
		return nil
	})
}

// Close implements Worker.
func (w *worker) Close() error {
	d := w.d
	d.mu.Lock()
	defer d.mu.Unlock()
	if w.left {
		return nerve.ErrClosed
	}
	w.left = true
	delete(d.workers, w)
	d.waiting = slices.DeleteFunc(d.waiting, func(o *waiter) bool {
		if o.worker == w {
			close(o.done)
		}
		return o.worker == w
	})
	if d.err != nil {
		return nil
	}
	for _, t := range d.sorted(w.leases) {
		t.lost++
		d.takeBack(t)
		d.offer(t)
	}
	return nil
}

// sorted returns tasks by record.
func (d *Dispatcher) sorted(set map[*task]bool) []*task {
	list := make([]*task, 0, len(set))
	for t := range set {
		list = append(list, t)
	}
	slices.SortFunc(list, func(a, b *task) int { return cmp.Compare(a.rec.ID, b.rec.ID) })
	return list
}
