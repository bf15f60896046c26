package lease_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/lease"
	"github.com/octopus-framework/octopus/nerve/memlog"
)

// bench is a dispatcher over a queue in memory, in a bubble.
type bench struct {
	*testing.T
	queue *nerve.Queue
	d     *lease.Dispatcher
}

// run calls f in a bubble.
func run(
	t *testing.T, o lease.Options, co nerve.ConsumerOptions, f func(b bench), records ...string,
) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		q := nerve.New(memlog.New(memlog.Options{}), nerve.Options{})
		for _, r := range records {
			if _, err := q.Append(t.Context(), []byte(r)); err != nil {
				t.Fatal(err)
			}
		}
		c, err := q.Consumer("all", co)
		if err != nil {
			t.Fatal(err)
		}
		d, err := lease.New(c, o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := d.Close(); err != nil && !errors.Is(err, nerve.ErrClosed) {
				t.Error(err)
			}
			if err := q.Close(); err != nil {
				t.Error(err)
			}
		})
		f(bench{t, q, d})
	})
}

func (b bench) join(name string, d time.Duration) lease.Worker {
	b.Helper()
	w, err := b.d.Join(name, d)
	if err != nil {
		b.Fatal(err)
	}
	return w
}

func (b bench) take(w lease.Worker, most int) []lease.Lease {
	b.Helper()
	ctx, stop := context.WithTimeout(b.Context(), 10*time.Hour)
	defer stop()
	leases, err := w.Take(ctx, most)
	if err != nil {
		b.Fatal(err)
	}
	return leases
}

func (b bench) must(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// ids is the records of leases in a word.
func ids(leases []lease.Lease) string {
	var list []string
	for _, l := range leases {
		list = append(list, fmt.Sprint(l.ID))
	}
	return strings.Join(list, " ")
}

// taken is the outcome of a Take in another goroutine.
type taken struct {
	leases []lease.Lease
	err    error
}

// later takes in another goroutine and waits until it waits.
func (b bench) later(w lease.Worker, most int) <-chan taken {
	out := make(chan taken, 1)
	ctx := b.Context()
	go func() {
		leases, err := w.Take(ctx, most)
		out <- taken{leases, err}
	}()
	synctest.Wait()
	return out
}

// has is what a Take that waited has got; it fails if it waits still.
func (b bench) has(out <-chan taken) taken {
	b.Helper()
	synctest.Wait()
	select {
	case got := <-out:
		return got
	default:
		b.Fatal("Take waits")
		return taken{}
	}
}

// waits fails unless a Take waits still.
func (b bench) waits(out <-chan taken) {
	b.Helper()
	synctest.Wait()
	select {
	case got := <-out:
		b.Fatalf("Take got %+v", got)
	default:
	}
}

// TestTakeWaits wakes a Take by an append, by an acknowledgement that makes room, by the end of a
// delay and of a lease, and by a worker that leaves.
func TestTakeWaits(t *testing.T) {
	run(t, lease.Options{MaxLeases: 1, Duration: time.Minute}, nerve.ConsumerOptions{},
		func(b bench) {
			w, other := b.join("a", 0), b.join("b", 2*time.Minute)
			first := b.later(w, 5)
			_, err := b.queue.Append(b.Context(), []byte("one"))
			b.must(err)
			one := b.has(first)
			_, err = b.queue.Append(b.Context(), []byte("two"))
			b.must(err)
			second := b.later(w, 5)
			b.waits(second)
			b.must(w.Ack(b.Context(), one.leases[0]))
			two := b.has(second)
			if ids(one.leases) != "1" || ids(two.leases) != "2" {
				b.Fatalf("%+v, %+v", one, two)
			}
			third := b.later(other, 1)
			b.must(w.Fail(b.Context(), two.leases[0], time.Second))
			b.waits(third)
			time.Sleep(time.Second)
			again := b.has(third)
			if ids(again.leases) != "2" || again.leases[0].Attempt != 2 {
				b.Fatalf("%+v", again)
			}
			fourth := b.later(w, 1)
			time.Sleep(2*time.Minute - 1)
			b.waits(fourth)
			time.Sleep(time.Nanosecond)
			again = b.has(fourth)
			if ids(again.leases) != "2" || again.leases[0].Attempt != 3 {
				b.Fatalf("%+v", again)
			}
			fifth := b.later(other, 1)
			b.must(w.Close())
			if again = b.has(fifth); ids(again.leases) != "2" || again.leases[0].Attempt != 4 {
				b.Fatalf("%+v", again)
			}
			sixth := b.later(other, 1)
			b.must(other.Close())
			if got := b.has(sixth); !errors.Is(got.err, nerve.ErrClosed) {
				b.Fatalf("a worker that left: %v", got.err)
			}
			if err := other.Close(); !errors.Is(err, nerve.ErrClosed) {
				b.Fatalf("closed twice: %v", err)
			}
		})
}

// TestShares gives those who wait their part, in the order in which they came.
func TestShares(t *testing.T) {
	run(t, lease.Options{}, nerve.ConsumerOptions{}, func(b bench) {
		hold := b.join("hold", 0)
		synctest.Wait()
		all := b.take(hold, 6)
		var waiting []<-chan taken
		for i := range 3 {
			waiting = append(waiting, b.later(b.join(fmt.Sprint(i), 0), 100))
		}
		if n := b.d.Stats().Waiting; n != 3 {
			b.Fatalf("%d wait", n)
		}
		b.must(hold.Close()) // gives one record back after the other
		var got []string
		for _, w := range waiting {
			got = append(got, ids(b.has(w).leases))
		}
		if len(all) != 6 || !slices.Equal(got, []string{"1", "2", "3"}) {
			b.Fatalf("%d records are shared as %q", len(all), got)
		}
		// What is there at once is divided.
		one, two := b.later(b.join("one", 0), 1), b.later(b.join("two", 0), 100)
		if a, c := b.has(one), b.has(two); ids(a.leases) != "4" || ids(c.leases) != "5 6" {
			b.Fatalf("%+v, %+v", a, c)
		}
	}, "a", "b", "c", "d", "e", "f")
}

// TestBounds holds what is in memory and who may come to the options.
func TestBounds(t *testing.T) {
	o := lease.Options{MaxReady: 3, MaxReadyBytes: 250, MaxWorkers: 2, MaxOpen: 8}
	run(t, o, nerve.ConsumerOptions{}, func(b bench) {
		check := func(open, ready int, bytes int64) {
			b.Helper()
			synctest.Wait()
			s := b.d.Stats()
			if s.Open != open || s.Ready != ready || s.Bytes != bytes {
				b.Fatalf("%+v", s)
			}
		}
		for range 10 {
			_, err := b.queue.Append(b.Context(), make([]byte, 100))
			b.must(err)
		}
		check(3, 3, 300) // the last one begins below the bound
		w := b.join("a", 0)
		first := b.take(w, 1)
		check(4, 3, 300)
		if s := b.d.Stats(); len(s.Held) != 1 || s.Held[0].Worker != "a" || s.Held[0].ID != 1 ||
			s.Held[0].Attempt != 1 || s.Held[0].Left != lease.DefaultDuration || s.Stalled {
			b.Fatalf("%+v", s)
		}
		for range 3 {
			b.take(w, 100)
			synctest.Wait()
		}
		if s := b.d.Stats(); s.Open != 8 || !s.Stalled || len(s.Held) != 8 {
			b.Fatalf("%+v", s)
		}
		b.must(w.Ack(b.Context(), first[0]))
		check(8, 1, 100)
		b.join("b", 0)
		var busy *nerve.BusyError
		if _, err := b.d.Join("c", 0); !errors.As(err, &busy) || busy.Limit != 2 {
			b.Fatalf("a third worker: %v", err)
		}
	})
}

// TestTakeBytes returns no more data at a time than it may, but for one record.
func TestTakeBytes(t *testing.T) {
	big := strings.Repeat("x", 50)
	run(t, lease.Options{MaxTakeBytes: 120}, nerve.ConsumerOptions{}, func(b bench) {
		synctest.Wait()
		w := b.join("a", 0)
		var got []string
		for range 3 {
			got = append(got, ids(b.take(w, 100)))
		}
		if !slices.Equal(got, []string{"1 2", "3", "4 5"}) {
			b.Fatalf("%q", got)
		}
	}, big, big, big+big+big, big, big)
}

// TestUnusable gives out what cannot be used with the reason: what the check of the consumer
// refuses, what spoils KeyBy, and what was trimmed while it waited.
func TestUnusable(t *testing.T) {
	check := func(data []byte) error {
		if string(data) == "bad" {
			return errors.New("it is bad")
		}
		return nil
	}
	o := lease.Options{KeyBy: func(r nerve.Record) string { return string(r.Data[:1]) }}
	run(t, o, nerve.ConsumerOptions{Check: check}, func(b bench) {
		w := b.join("a", 0)
		synctest.Wait()
		leases := b.take(w, 3)
		slices.SortFunc(leases, func(x, y lease.Lease) int { return int(x.ID) - int(y.ID) })
		var refused *nerve.DecodeError
		if len(leases) != 2 || leases[0].Err != nil || !errors.As(leases[1].Err, &refused) ||
			string(leases[1].Data) != "bad" {
			b.Fatalf("%+v", leases)
		}
		// The third has no first byte; its panic is its own. It shares the line of what is refused.
		b.must(w.Fail(b.Context(), leases[1], 0))
		again := b.take(w, 1)
		if !errors.As(again[0].Err, &refused) || string(again[0].Data) != "bad" {
			b.Fatalf("%+v", again)
		}
		b.must(w.Ack(b.Context(), again[0]))
		empty := b.take(w, 1)
		if empty[0].ID != 3 || empty[0].Err == nil ||
			!strings.Contains(empty[0].Err.Error(), "KeyBy panicked") {
			b.Fatalf("%+v", empty)
		}
		b.must(w.Ack(b.Context(), empty[0]))
		b.must(w.Fail(b.Context(), leases[0], time.Second))
		_, err := b.queue.Trim(b.Context(), 4)
		b.must(err)
		var trimmed *nerve.TrimmedError
		gone := b.take(w, 1)
		if gone[0].ID != 1 || !errors.As(gone[0].Err, &trimmed) {
			b.Fatalf("%+v", gone)
		}
		b.must(w.Ack(b.Context(), gone[0]))
		if p := b.d.Consumer().Pointer(); p != 3 {
			b.Fatalf("the pointer is %d", p)
		}
	}, "good", "bad", "")
}

// TestConsumerEnds tells workers why nothing comes any more.
func TestConsumerEnds(t *testing.T) {
	run(t, lease.Options{}, nerve.ConsumerOptions{}, func(b bench) {
		w := b.join("a", 0)
		one := b.take(w, 1)
		waits := b.later(w, 1)
		b.must(b.d.Consumer().Close())
		if got := b.has(waits); !errors.Is(got.err, nerve.ErrClosed) {
			b.Fatalf("%v", got.err)
		}
		for what, err := range map[string]error{
			"ack":     w.Ack(b.Context(), one[0]),
			"extend":  w.Extend(b.Context(), one[0]),
			"fail":    w.Fail(b.Context(), one[0], 0),
			"release": w.Release(b.Context(), one[0]),
		} {
			if !errors.Is(err, nerve.ErrClosed) {
				b.Errorf("%s: %v", what, err)
			}
		}
		if _, err := b.d.Join("b", 0); !errors.Is(err, nerve.ErrClosed) {
			b.Errorf("join: %v", err)
		}
		b.must(w.Close())
	}, "a")
}

// TestCloseGoesOn has the consumer deliver again what was not acknowledged.
func TestCloseGoesOn(t *testing.T) {
	run(t, lease.Options{}, nerve.ConsumerOptions{}, func(b bench) {
		w := b.join("a", 0)
		synctest.Wait()
		leases := b.take(w, 3)
		b.must(w.Ack(b.Context(), leases[1]))
		b.must(b.d.Close())
		var batch nerve.Batch
		c := b.d.Consumer()
		var left []nerve.ID
		for len(left) < 2 {
			b.must(c.Next(b.Context(), &batch))
			for rec := range batch.All() {
				left = append(left, rec.ID)
			}
		}
		if !slices.Equal(left, []nerve.ID{1, 3}) || c.Attempts(1) != 1 {
			b.Fatalf("%v, attempts %d", left, c.Attempts(1))
		}
	}, "a", "b", "c")
}

// TestAtOnce lets many workers work at once: each record is done once, those of a key in order.
func TestAtOnce(t *testing.T) {
	const records, workers, keys = 2000, 8, 20
	q := nerve.New(memlog.New(memlog.Options{}), nerve.Options{})
	defer q.Close()
	for i := range records {
		if _, err := q.Append(t.Context(), fmt.Append(nil, i%keys)); err != nil {
			t.Fatal(err)
		}
	}
	c, err := q.Consumer("all", nerve.ConsumerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	d, err := lease.New(c, lease.Options{
		KeyBy: func(r nerve.Record) string { return string(r.Data) }})
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	last := map[string]nerve.ID{}
	done := 0
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	var all sync.WaitGroup
	for i := range workers {
		w, err := d.Join(fmt.Sprint(i), time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		all.Go(func() {
			for {
				leases, err := w.Take(ctx, 1+i)
				if err != nil {
					if !errors.Is(err, context.Canceled) {
						t.Error(err)
					}
					return
				}
				for _, l := range leases {
					if l.ID%7 == 0 && l.Attempt == 1 {
						if err := w.Fail(ctx, l, 0); err != nil {
							t.Error(err)
						}
						continue
					}
					mu.Lock()
					key := string(l.Data)
					if l.ID <= last[key] {
						t.Errorf("record %d of key %s after %d", l.ID, key, last[key])
					}
					last[key] = l.ID
					done++
					over := done == records
					mu.Unlock()
					if err := w.Ack(ctx, l); err != nil {
						t.Error(err)
					}
					if over {
						stop()
					}
				}
			}
		})
	}
	all.Wait()
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if done != records || c.Pointer() != records {
		t.Errorf("%d records are done, the pointer is %d", done, c.Pointer())
	}
}
