package work_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/memlog"
	"github.com/octopus-framework/octopus/nerve/work"
)

// appendMany appends n records that begin with text.
func appendMany(t *testing.T, q *nerve.Queue, n int, text func(i int) string) {
	t.Helper()
	var b nerve.Batch
	for i := range n {
		b.Append([]byte(text(i)))
	}
	if _, err := q.AppendBatch(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
}

// TestFailingJobsStopNobody has jobs that fail for hours in front of good ones: those are done
// at once, and in the end the others are dead letters. What is in memory stays bounded.
func TestFailingJobsStopNobody(t *testing.T) {
	for _, failing := range []int{1100, 20_000} {
		t.Run(fmt.Sprint(failing), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { failingJobs(t, failing) })
		})
	}
}

func failingJobs(t *testing.T, failing int) {
	const good, attempts, maxBytes = 1000, 3, 20_000
	q, dead := newQueue(t, memlog.Options{}), newQueue(t, memlog.Options{})
	padding := strings.Repeat("x", 100)
	appendMany(t, q, failing, func(int) string { return "bad" + padding })
	appendMany(t, q, good, func(int) string { return "good" + padding })
	start := time.Now()
	var mu sync.Mutex
	done, tried := 0, map[nerve.ID][]int{}
	var g *work.Group
	handler := func(_ context.Context, d *work.Delivery) error {
		mu.Lock()
		defer mu.Unlock()
		if s := g.Stats(); s.Bytes > maxBytes+200 || s.Pending-s.Waiting > 256 {
			t.Errorf("too much is in memory: %+v", s)
		}
		if strings.HasPrefix(string(d.Data), "good") {
			if done++; time.Since(start) > 0 {
				t.Errorf("a good job was done after %v", time.Since(start))
			}
			return nil
		}
		if string(d.Data) != "bad"+padding {
			t.Errorf("record %d is %q", d.ID, d.Data)
		}
		tried[d.ID] = append(tried[d.ID], d.Attempt)
		return errors.New("the upstream is down")
	}
	g, err := work.New(newConsumer(t, q), handler, work.Options{
		Workers: 8, DeadLetters: dead, MaxAttempts: attempts,
		MaxPending: 256, MaxPendingBytes: maxBytes,
		Backoff: func(int) time.Duration { return time.Hour },
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- g.Run(ctx) }()
	time.Sleep(time.Minute) // of the fake clock: nothing more can be done until the first retry
	synctest.Wait()
	if s := g.Stats(); s.Handled != good || s.Waiting != int64(failing) || s.Bytes != 0 ||
		s.Pending != int64(failing) || s.Delayed != int64(failing) || s.Stalled {
		t.Errorf("while the failing jobs wait: %+v", s)
	}
	time.Sleep(attempts * time.Hour)
	synctest.Wait()
	if s := g.Stats(); s.GivenUp != uint64(failing) || s.Pending != 0 || s.Waiting != 0 {
		t.Errorf("in the end: %+v", s)
	}
	stop()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if done != good || len(tried) != failing {
		t.Errorf("%d good jobs were done, %d others tried", done, len(tried))
	}
	for id, list := range tried {
		if fmt.Sprint(list) != "[1 2 3]" {
			t.Fatalf("attempts of %d were %v", id, list)
		}
	}
}

// TestBoundOnWaiting: with MaxWaiting records that wait no others are read, Stats and one line in
// the log say so, and it goes on when they are done.
func TestBoundOnWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, memlog.Options{})
		appendMany(t, q, 100, func(i int) string { return fmt.Sprintf("%03d", i) })
		var logged strings.Builder
		c := newConsumer(t, q)
		g, err := work.New(c, func(_ context.Context, d *work.Delivery) error {
			if d.Attempt == 1 {
				return errors.New("once more")
			}
			return nil
		}, work.Options{Workers: 4, Discard: true, MaxWaiting: 30, MaxPending: 8,
			Backoff: func(int) time.Duration { return time.Hour },
			Logger:  slog.New(slog.NewTextHandler(&logged, nil))})
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- g.Run(ctx) }()
		time.Sleep(time.Minute)
		synctest.Wait()
		if s := g.Stats(); !s.Stalled || s.Waiting < 30 || s.Waiting > 40 || s.Handled != 0 {
			t.Errorf("%+v", s)
		}
		time.Sleep(10 * time.Hour)
		synctest.Wait()
		if s := g.Stats(); s.Stalled || s.Handled != 100 || c.Pointer() != 100 {
			t.Errorf("%+v, the pointer is %d", s, c.Pointer())
		}
		stop()
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(logged.String(), "bound=MaxWaiting"); n != 1 {
			t.Errorf("%d lines say so:\n%s", n, logged.String())
		}
	})
}

// TestOrderByKeyWhileOthersFail: keys keep their order while records wait, leave memory, come
// again, over runs that end in between. One key fails for long, and the others go on.
func TestOrderByKeyWhileOthersFail(t *testing.T) {
	for seed := range uint64(20) {
		synctest.Test(t, func(t *testing.T) { keysAndFailures(t, seed) })
	}
}

func keysAndFailures(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	q := newQueue(t, memlog.Options{})
	keys, each := 1+rng.IntN(12), 40
	n := keys * each
	next := make([]int, keys)
	appendMany(t, q, n, func(int) string {
		key := rng.IntN(keys)
		for next[key] == each {
			key = (key + 1) % keys
		}
		next[key]++
		return fmt.Sprintf("%c%03d", 'a'+key, next[key])
	})
	var mu sync.Mutex
	order, running := map[string]string{}, map[string]bool{}
	fails := map[nerve.ID]int{} // how often
	for id := range nerve.ID(n) {
		if fails[id+1] = max(0, rng.IntN(8)-4); id == 0 {
			fails[1] = 6
		}
	}
	handler := func(ctx context.Context, d *work.Delivery) error {
		key, number := string(d.Data[:1]), string(d.Data[1:])
		mu.Lock()
		if running[key] {
			t.Errorf("seed %d: two records of key %s at a time", seed, key)
		}
		running[key] = true
		if number < order[key] {
			t.Errorf("seed %d: key %s: %s comes after %s", seed, key, number, order[key])
		}
		again := d.Attempt <= fails[d.ID]
		mu.Unlock()
		time.Sleep(time.Duration(d.ID%7) * time.Millisecond)
		mu.Lock()
		defer mu.Unlock()
		delete(running, key)
		if again {
			return errors.New("once more")
		}
		order[key] = number
		return nil
	}
	c := newConsumer(t, q)
	options := work.Options{
		Workers: 1 + rng.IntN(5), Discard: true, MaxAttempts: 10,
		MaxPending: 1 + rng.IntN(40), MaxPendingBytes: 1 + rng.Int64N(200),
		MaxUnsaved: 1 + rng.IntN(10),
		Backoff:    func(attempt int) time.Duration { return time.Duration(attempt) * time.Second },
		KeyBy:      func(r nerve.Record) string { return string(r.Data[:1]) },
	}
	handled := uint64(0)
	for run := 0; c.Pointer() < nerve.ID(n); run++ {
		g, err := work.New(c, handler, options)
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithTimeout(t.Context(), time.Duration(1+rng.IntN(20))*time.Second)
		if err := g.Run(ctx); err != nil {
			t.Fatal(err)
		}
		stop()
		s := g.Stats()
		if handled += s.Handled; run > 1000 || s.GivenUp > 0 {
			t.Fatalf("seed %d: after %d runs the pointer is %d, %+v", seed, run, c.Pointer(), s)
		}
	}
	if handled != uint64(n) {
		t.Errorf("seed %d: %d records were handled, some twice", seed, handled)
	}
	for key, last := range order {
		if last != fmt.Sprintf("%03d", each) {
			t.Errorf("seed %d: key %s ended at %s", seed, key, last)
		}
	}
}

// TestWaitingRecordsThatAreTrimmed become dead letters without data when it is their turn.
func TestWaitingRecordsThatAreTrimmed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, dead := newQueue(t, memlog.Options{}), newQueue(t, memlog.Options{})
		appendMany(t, q, 3, func(i int) string { return "abc"[i : i+1] })
		c := newConsumer(t, q)
		g, err := work.New(c, func(_ context.Context, d *work.Delivery) error {
			if _, err := q.Trim(context.Background(), 3); err != nil {
				t.Error(err)
			}
			if d.Attempt == 1 {
				return errors.New("once more")
			}
			return nil
		}, work.Options{Workers: 1, DeadLetters: dead})
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithTimeout(t.Context(), time.Hour)
		defer stop()
		if err := g.Run(ctx); err != nil || c.Pointer() != 3 {
			t.Fatalf("%v, the pointer is %d", err, c.Pointer())
		}
		list := letters(t, dead)
		if len(list) != 2 || list[0].Id+list[1].Id != 3 || len(list[0].Data) != 0 ||
			!strings.Contains(list[0].Reason, "trim") || list[0].Attempts != 1 {
			t.Errorf("the letters are %v", list)
		}
	})
}
