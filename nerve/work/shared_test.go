package work_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/lease"
	"github.com/octopus-framework/octopus/nerve/memlog"
	"github.com/octopus-framework/octopus/nerve/work"
)

// newDispatcher makes a dispatcher over a consumer of q.
func newDispatcher(t *testing.T, q *nerve.Queue, o lease.Options) *lease.Dispatcher {
	t.Helper()
	d, err := lease.New(newConsumer(t, q), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}

// share starts a group that shares the consumer of d. It ends with the context.
func share(ctx context.Context, t *testing.T, d *lease.Dispatcher, h work.Handler,
	o work.Options) (g *work.Group, w lease.Worker, ended chan error) {
	t.Helper()
	w, err := d.Join("group", 0)
	if err != nil {
		t.Fatal(err)
	}
	if g, err = work.NewShared(w, "worker", h, o); err != nil {
		t.Fatal(err)
	}
	ended = make(chan error, 1)
	go func() { ended <- g.Run(ctx) }()
	return g, w, ended
}

// TestSharedGroups has two groups share a consumer: what fails is tried again by either of them,
// after its delay, and becomes a dead letter; the records of a key are handled in order.
func TestSharedGroups(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const records, keys, attempts = 500, 7, 3
		q, dead := newQueue(t, memlog.Options{}), newQueue(t, memlog.Options{})
		appendMany(t, q, records, func(i int) string { return fmt.Sprint(i % keys) })
		d := newDispatcher(t, q, lease.Options{
			KeyBy: func(r nerve.Record) string { return string(r.Data) }})
		var mu sync.Mutex
		last, tried, by := map[string]nerve.ID{}, map[nerve.ID]int{}, map[string]int{}
		handler := func(name string) work.Handler {
			return func(_ context.Context, rec *work.Delivery) error {
				mu.Lock()
				defer mu.Unlock()
				key := string(rec.Data)
				if tried[rec.ID]++; tried[rec.ID] != rec.Attempt {
					t.Errorf("record %d at attempt %d, want %d", rec.ID, rec.Attempt, tried[rec.ID])
				}
				if rec.ID < last[key] {
					t.Errorf("record %d of key %s after %d", rec.ID, key, last[key])
				}
				last[key] = rec.ID
				by[name]++
				switch {
				case rec.ID%50 == 0:
					return errors.New("it never works")
				case rec.ID%20 == 0 && rec.Attempt == 1:
					panic("it works the second time")
				}
				return nil
			}
		}
		o := work.Options{Workers: 4, MaxAttempts: attempts, DeadLetters: dead}
		ctx, stop := context.WithCancel(t.Context())
		one, _, oneEnded := share(ctx, t, d, handler("one"), o)
		two, _, twoEnded := share(ctx, t, d, handler("two"), o)
		time.Sleep(time.Hour)
		synctest.Wait()
		if p := d.Consumer().Pointer(); p != records {
			t.Fatalf("the pointer is %d", p)
		}
		stop()
		if err := errors.Join(<-oneEnded, <-twoEnded); err != nil {
			t.Fatal(err)
		}
		a, b := one.Stats(), two.Stats()
		if a.Handled+b.Handled != records-10 || a.GivenUp+b.GivenUp != 10 ||
			a.Failed+b.Failed != 10*attempts+20 || a.Running+b.Running != 0 ||
			by["one"] == 0 || by["two"] == 0 {
			t.Errorf("%+v, %+v, %v", a, b, by)
		}
		list := letters(t, dead)
		if len(list) != 10 || list[0].Attempts != attempts || list[0].Consumer != "worker" ||
			list[0].Reason != "it never works" {
			t.Errorf("%d letters, the first one is %+v", len(list), list[0])
		}
	})
}

// TestSharedLeases keeps the lease of a handler that takes long, tells one whose lease is lost, and
// gives up a record whose leases end without an answer.
func TestSharedLeases(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, dead := newQueue(t, memlog.Options{}), newQueue(t, memlog.Options{})
		appendAll(t, q, "long", "lost", "dead")
		d := newDispatcher(t, q, lease.Options{Duration: time.Minute})
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		var causes []error
		var attempts []string
		handler := func(ctx context.Context, rec *work.Delivery) error {
			attempts = append(attempts, fmt.Sprint(string(rec.Data), " ", rec.Attempt))
			if string(rec.Data) == "long" {
				time.Sleep(time.Hour)
				return nil
			}
			<-ctx.Done()
			causes = append(causes, context.Cause(ctx))
			return ctx.Err()
		}
		o := work.Options{Workers: 1, MaxAttempts: 3, DeadLetters: dead}
		_, w, ended := share(ctx, t, d, handler, o)
		synctest.Wait()
		time.Sleep(time.Hour + time.Second) // the first one is done, the second one hangs
		synctest.Wait()
		if fmt.Sprint(attempts) != "[long 1 lost 1]" || d.Consumer().Pointer() != 1 {
			t.Fatalf("%q, pointer %d", attempts, d.Consumer().Pointer())
		}
		if err := w.Close(); err != nil { // as when its connection is lost
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		if err := <-ended; !errors.Is(err, nerve.ErrClosed) {
			t.Fatalf("Run: %v", err)
		}
		if len(causes) != 1 || !errors.Is(causes[0], nerve.ErrClosed) {
			t.Fatalf("the handler was told %v", causes)
		}
		// Others take what is left and die.
		for range 3 {
			raw, err := d.Join("raw", 0)
			if err != nil {
				t.Fatal(err)
			}
			for got := 0; got < 2; {
				leases, err := raw.Take(ctx, 10)
				if err != nil {
					t.Fatal(err)
				}
				got += len(leases)
			}
			time.Sleep(time.Minute)
			synctest.Wait()
		}
		_, _, ended = share(ctx, t, d, handler, o)
		synctest.Wait()
		stop()
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
		list := letters(t, dead)
		if len(list) != 2 || list[0].Id != 3 || list[1].Attempts != 4 ||
			list[0].Reason != "3 leases of this record ended, and it was not done" {
			t.Fatalf("%+v", list)
		}
	})
}

// TestSharedStops finishes what is under way when Run is to end, and gives back what it interrupts
// as if it had not been tried.
func TestSharedStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, memlog.Options{})
		appendAll(t, q, "quick", "slow", "next")
		d := newDispatcher(t, q, lease.Options{})
		ctx, stop := context.WithCancel(t.Context())
		_, _, ended := share(ctx, t, d, func(ctx context.Context, rec *work.Delivery) error {
			if string(rec.Data) == "quick" {
				time.Sleep(time.Second)
				return nil
			}
			<-ctx.Done()
			return ctx.Err()
		}, work.Options{Workers: 2, Discard: true, Grace: 5 * time.Second})
		synctest.Wait()
		began := time.Now()
		stop()
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
		c := d.Consumer()
		if took := time.Since(began); took != 5*time.Second || c.Pointer() != 1 ||
			c.Attempts(2) != 0 || c.Attempts(3) != 0 {
			t.Errorf("after %v the pointer is %d, attempts %d and %d", took, c.Pointer(),
				c.Attempts(2), c.Attempts(3))
		}
		if _, err := work.NewShared(nil, "worker", nil, work.Options{Discard: true,
			KeyBy: func(nerve.Record) string { return "" }}); err == nil {
			t.Error("an order by key that nobody keeps is taken")
		}
		if _, err := work.NewShared(nil, "worker", nil, work.Options{}); err == nil {
			t.Error("a record that is given up has nowhere to go")
		}
	})
}

// TestSharedSuspects makes the last attempt of a record whose leases were lost while nothing else
// is handled: should it take the process down, no other record loses an attempt with it.
func TestSharedSuspects(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, memlog.Options{})
		appendMany(t, q, 4, func(int) string { return "suspect" })
		d := newDispatcher(t, q, lease.Options{Duration: time.Minute})
		for range 2 {
			raw, err := d.Join("raw", 0)
			if err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			if leases, err := raw.Take(t.Context(), 10); err != nil || len(leases) != 4 {
				t.Fatalf("%+v, %v", leases, err)
			}
			if err := raw.Close(); err != nil {
				t.Fatal(err)
			}
		}
		appendMany(t, q, 20, func(int) string { return "other" })
		var mu sync.Mutex
		running, most, suspects := 0, 0, 0
		ctx, stop := context.WithCancel(t.Context())
		_, _, ended := share(ctx, t, d, func(_ context.Context, rec *work.Delivery) error {
			mu.Lock()
			running++
			most = max(most, running)
			if string(rec.Data) == "suspect" {
				suspects++
				if running != 1 || rec.Attempt != 3 {
					t.Errorf("%d are handled beside attempt %d of a suspect", running-1, rec.Attempt)
				}
			}
			mu.Unlock()
			time.Sleep(2 * time.Minute)
			mu.Lock()
			defer mu.Unlock()
			if string(rec.Data) == "suspect" && running != 1 {
				t.Errorf("%d came while a suspect was handled", running-1)
			}
			running--
			return nil
		}, work.Options{Workers: 4, MaxAttempts: 3, Discard: true})
		time.Sleep(10 * time.Hour)
		synctest.Wait()
		stop()
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
		if p := d.Consumer().Pointer(); p != 24 || suspects != 4 || most != 4 {
			t.Errorf("the pointer is %d; %d suspects, %d at a time", p, suspects, most)
		}
	})
}
