package nervetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/lease"
)

func dispatcher(t *testing.T, c *nerve.Consumer, o lease.Options) *lease.Dispatcher {
	t.Helper()
	d, err := lease.New(c, o)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// join adds a worker whose leases do not end by time.
func join(t *testing.T, d *lease.Dispatcher) lease.Worker {
	t.Helper()
	w, err := d.Join("worker", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// takeLeases takes n records and checks them.
func takeLeases(t *testing.T, w lease.Worker, n int) map[nerve.ID]lease.Lease {
	t.Helper()
	taken := map[nerve.ID]lease.Lease{}
	for len(taken) < n {
		leases, err := w.Take(testContext(t), n-len(taken))
		if err != nil {
			t.Fatalf("Take: %v", err)
		}
		for _, l := range leases {
			if _, twice := taken[l.ID]; twice || l.Err != nil || string(l.Data) != content(l.ID) {
				t.Fatalf("record %d is %q, %v", l.ID, l.Data, l.Err)
			}
			taken[l.ID] = l
		}
	}
	return taken
}

// workersShare lets workers share a consumer: each record is done once, those of a key in order,
// also when it failed at first.
func workersShare(t *testing.T, e *env) {
	const last, keys = 300, 7
	fill(t, e.log, last, 40)
	c := consumer(t, e.queue(t, nerve.Options{}), "a", nerve.ConsumerOptions{})
	key := func(id nerve.ID) string { return fmt.Sprint(id % keys) }
	d := dispatcher(t, c, lease.Options{MaxReady: 20,
		KeyBy: func(r nerve.Record) string { return key(r.ID) }})
	ctx, stop := context.WithCancel(testContext(t))
	defer stop()
	var mu sync.Mutex
	done, before := 0, map[string]nerve.ID{}
	var all sync.WaitGroup
	for range 3 {
		w := join(t, d)
		all.Go(func() {
			for {
				leases, err := w.Take(ctx, 4)
				if err != nil {
					if !errors.Is(err, context.Canceled) {
						t.Error(err)
					}
					return
				}
				for _, l := range leases {
					if l.ID%10 == 0 && l.Attempt == 1 {
						err = errors.Join(err, w.Fail(ctx, l, 0))
						continue
					}
					mu.Lock()
					if l.ID <= before[key(l.ID)] || l.Err != nil ||
						string(l.Data) != content(l.ID) {
						t.Errorf("record %d is %q, %v, after %d", l.ID, l.Data, l.Err,
							before[key(l.ID)])
					}
					before[key(l.ID)] = l.ID
					done++
					over := done == last
					mu.Unlock()
					err = errors.Join(err, w.Ack(ctx, l))
					if over {
						stop()
					}
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if done != last || c.Pointer() != last {
		t.Fatalf("%d records are done, the pointer is %d", done, c.Pointer())
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
}

// workersSurvive ends everybody: what was acknowledged is done, attempts go on, and leases from
// before are over.
func workersSurvive(t *testing.T, e *env) {
	const last = 20
	fill(t, e.log, last, 7)
	q := e.queue(t, nerve.Options{})
	c := consumer(t, q, "a", nerve.ConsumerOptions{})
	d := dispatcher(t, c, lease.Options{})
	w := join(t, d)
	taken := takeLeases(t, w, last)
	for id, l := range taken {
		if l.Attempt != 1 {
			t.Fatalf("%+v", l)
		}
		if id%2 == 0 {
			if err := w.Ack(testContext(t), l); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Take(testContext(t), 1); !errors.Is(err, nerve.ErrClosed) {
		t.Fatalf("Take after Close: %v", err)
	}
	q = e.reopenQueue(t, q)
	c = consumer(t, q, "a", nerve.ConsumerOptions{})
	d = dispatcher(t, c, lease.Options{})
	w = join(t, d)
	for id, l := range takeLeases(t, w, last/2) {
		if id%2 == 0 || l.Attempt != 2 {
			t.Fatalf("record %d is given out at attempt %d", id, l.Attempt)
		}
		old := taken[id]
		if e := wantError[*nerve.LeaseError](t, w.Ack(testContext(t), old)); e.ID != id {
			t.Fatalf("%+v", e)
		}
		if err := w.Ack(testContext(t), l); err != nil {
			t.Fatal(err)
		}
	}
	if c.Pointer() != last {
		t.Fatalf("the pointer is %d", c.Pointer())
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
}

// workersOfTheFenced has another process take the name of a consumer that workers share: its own
// workers get what was not acknowledged, and those of before can save nothing.
func workersOfTheFenced(t *testing.T, e *env) {
	if !e.can.Shared || e.can.Lapse == nil {
		t.Skip("no other process takes a name in this store")
	}
	const last = 10
	fill(t, e.log, last, 10)
	mine := e.queue(t, nerve.Options{SaveInterval: time.Hour})
	theirs := nerve.New(e.other(t), nerve.Options{})
	defer theirs.Close()
	c := consumer(t, mine, "a", nerve.ConsumerOptions{})
	d := dispatcher(t, c, lease.Options{})
	w := join(t, d)
	taken := takeLeases(t, w, last)
	ctx := testContext(t)
	if err := errors.Join(w.Ack(ctx, taken[1]), c.Save(ctx)); err != nil {
		t.Fatal(err)
	}
	e.can.Lapse(t)
	other := consumer(t, theirs, "a", nerve.ConsumerOptions{})
	next := dispatcher(t, other, lease.Options{})
	heir := join(t, next)
	// The one before does not know yet; what it acknowledges it cannot save.
	if err := w.Ack(ctx, taken[2]); err != nil {
		wantError[*nerve.FencedError](t, err)
	}
	wantError[*nerve.FencedError](t, c.Save(ctx))
	wantError[*nerve.FencedError](t, w.Ack(ctx, taken[3]))
	_, err := w.Take(ctx, 1)
	wantError[*nerve.FencedError](t, err)
	for id, l := range takeLeases(t, heir, last-1) {
		if id == 1 || l.Attempt != 2 {
			t.Fatalf("record %d is given out at attempt %d", id, l.Attempt)
		}
		if err := heir.Ack(ctx, l); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(next.Close(), other.Save(ctx)); err != nil {
		t.Fatal(err)
	}
	if other.Pointer() != last {
		t.Fatalf("the pointer is %d", other.Pointer())
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
}
