package work_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/octopus-framework/octopus/gremlin"
	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/memlog"
	"github.com/octopus-framework/octopus/nerve/work"
	"github.com/octopus-framework/octopus/nerve/work/deadletter"
)

// newQueue makes a queue in memory, which ends with the test.
func newQueue(t *testing.T, o memlog.Options) *nerve.Queue {
	t.Helper()
	q := nerve.New(memlog.New(o), nerve.Options{})
	t.Cleanup(func() { _ = q.Close() })
	return q
}

func newConsumer(t *testing.T, q *nerve.Queue) *nerve.Consumer {
	t.Helper()
	c, err := q.Consumer("worker", nerve.ConsumerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func appendAll(t *testing.T, q *nerve.Queue, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if _, err := q.Append(t.Context(), []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
}

// TestCheckedConsumer: what the consumer's check refuses is given up at once, and no handler sees
// it.
func TestCheckedConsumer(t *testing.T) {
	q, dead := newQueue(t, memlog.Options{}), newQueue(t, memlog.Options{})
	appendAll(t, q, "a", "bad", "c")
	c, err := q.Consumer("worker", nerve.ConsumerOptions{Check: func(record []byte) error {
		if string(record) == "bad" {
			return errors.New("it is bad")
		}
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	g := runUntil(t, c, 3, func(_ context.Context, d *work.Delivery) error {
		if string(d.Data) == "bad" {
			t.Error("a handler got what the check refused")
		}
		return nil
	}, work.Options{Workers: 2, DeadLetters: dead,
		KeyBy: func(rec nerve.Record) string { return string(rec.Data[:1]) }})
	if s := g.Stats(); s.Handled != 2 || s.GivenUp != 1 || s.Failed != 0 {
		t.Errorf("%+v", s)
	}
	letters, err := dead.Consumer("reader", nerve.ConsumerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for letter, err := range nerve.Typed[deadletter.DeadLetterReader](t.Context(), letters) {
		if err != nil || letter.Value.GetId() != 2 || string(letter.Value.GetData()) != "bad" ||
			!strings.Contains(letter.Value.GetReason(), "it is bad") {
			t.Errorf("%v, %v", letter.Value, err)
		}
		break
	}
}

// runUntil runs a group until the pointer of its consumer is at last, and then stops it.
func runUntil(t *testing.T, c *nerve.Consumer, last nerve.ID, h work.Handler,
	o work.Options) *work.Group {
	t.Helper()
	g, err := work.New(c, h, o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- g.Run(ctx) }()
	for c.Pointer() < last {
		select {
		case err := <-ended:
			t.Fatalf("Run ended at %d: %v", c.Pointer(), err)
		case <-time.After(time.Millisecond):
		}
	}
	stop()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	return g
}

// letters reads the dead letters of a queue.
func letters(t *testing.T, q *nerve.Queue) (list []*deadletter.DeadLetter) {
	t.Helper()
	c, err := q.Consumer("letters", nerve.ConsumerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_, last := q.Bounds()
	for id := nerve.ID(0); id < last; {
		for item, err := range nerve.Typed[deadletter.DeadLetterReader](t.Context(), c) {
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, item.Value.ToMessage())
			if id = item.ID; id == last {
				break
			}
		}
	}
	return list
}

func TestRetriesAndDeadLetters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, dead := newQueue(t, memlog.Options{}), newQueue(t, memlog.Options{})
		appendAll(t, q, "good", "late", "bad", "hopeless", "panics", "good")
		var mu sync.Mutex
		attempts := map[string][]time.Duration{}
		start := time.Now()
		g := runUntil(t, newConsumer(t, q), 6, func(_ context.Context, d *work.Delivery) error {
			mu.Lock()
			defer mu.Unlock()
			text := string(d.Data)
			attempts[text] = append(attempts[text], time.Since(start).Round(time.Second))
			switch {
			case text == "bad", text == "late" && d.Attempt < 3:
				return fmt.Errorf("attempt %d", d.Attempt)
			case text == "hopeless":
				return work.Permanent(errors.New("no account"))
			case text == "panics":
				panic("at the disco")
			}
			return nil
		}, work.Options{
			Workers: 2, MaxAttempts: 4, DeadLetters: dead,
			Backoff: func(attempt int) time.Duration {
				return time.Duration(attempt) * time.Second
			},
		})
		for text, want := range map[string][]time.Duration{
			"good": {0, 0}, "late": {0, 1e9, 3e9}, "bad": {0, 1e9, 3e9, 6e9}, "hopeless": {0},
			"panics": {0, 1e9, 3e9, 6e9},
		} {
			if !slices.Equal(attempts[text], want) {
				t.Errorf("%s was attempted at %v, want %v", text, attempts[text], want)
			}
		}
		if s := g.Stats(); s.Handled != 3 || s.GivenUp != 3 || s.Failed != 2+4+1+4 ||
			s.Pending != 0 {
			t.Errorf("stats are %+v", s)
		}
		var got []string
		for _, l := range letters(t, dead) {
			got = append(got, fmt.Sprintf("%d %s after %d: %s (%s)", l.Id, l.Data, l.Attempts,
				l.Reason, l.Consumer))
			if l.Failed.AsTime().Before(l.Appended.AsTime()) || l.Appended.AsTime().IsZero() {
				t.Errorf("letter %d was appended at %v and failed at %v", l.Id, l.Appended,
					l.Failed)
			}
		}
		slices.Sort(got)
		want := []string{
			"3 bad after 4: attempt 4 (worker)",
			"4 hopeless after 1: no account (worker)",
			"5 panics after 4: the handler panicked: at the disco (worker)",
		}
		if !slices.Equal(got, want) {
			t.Errorf("dead letters are\n%s\nwant\n%s", strings.Join(got, "\n"),
				strings.Join(want, "\n"))
		}
	})
}

func TestOrderByKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, memlog.Options{})
		const keys, each = 7, 30
		for i := range keys * each {
			appendAll(t, q, fmt.Sprintf("%c%03d", 'a'+i%keys, i/keys))
		}
		var mu sync.Mutex
		order := map[string]string{}
		running, most := map[string]bool{}, 0
		runUntil(t, newConsumer(t, q), keys*each, func(_ context.Context, d *work.Delivery) error {
			key, number := string(d.Data[:1]), string(d.Data[1:])
			mu.Lock()
			if running[key] {
				t.Errorf("two records of key %s are handled at a time", key)
			}
			running[key] = true
			most = max(most, len(running))
			mu.Unlock()
			time.Sleep(time.Duration(d.ID%5) * time.Millisecond)
			mu.Lock()
			defer mu.Unlock()
			delete(running, key)
			if d.ID%11 == 0 && d.Attempt == 1 {
				return errors.New("once more")
			}
			if number <= order[key] {
				t.Errorf("key %s: %s comes after %s", key, number, order[key])
			}
			order[key] = number
			return nil
		}, work.Options{
			Workers: 4, Discard: true, MaxPending: 16,
			KeyBy: func(r nerve.Record) string { return string(r.Data[:1]) },
		})
		if most != 4 {
			t.Errorf("at most %d records were handled at a time, want 4", most)
		}
		for key, last := range order {
			if last != fmt.Sprintf("%03d", each-1) {
				t.Errorf("key %s ended at %s", key, last)
			}
		}
	})
}

// TestStop ends the context while a record is handled: it is finished, the next ones come again.
func TestStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, memlog.Options{})
		appendAll(t, q, "one", "two", "three")
		c := newConsumer(t, q)
		ctx, stop := context.WithCancel(t.Context())
		var handled []string
		handler := func(ctx context.Context, d *work.Delivery) error {
			stop()
			time.Sleep(time.Second)
			handled = append(handled, string(d.Data))
			return ctx.Err()
		}
		o := work.Options{Workers: 1, Discard: true}
		g, err := work.New(c, handler, o)
		if err != nil {
			t.Fatal(err)
		}
		if err := g.Run(ctx); err != nil || c.Pointer() != 1 ||
			!slices.Equal(handled, []string{"one"}) {
			t.Errorf("%v, the pointer is %d, handled are %v", err, c.Pointer(), handled)
		}
		runUntil(t, c, 3, handler, o)
		if !slices.Equal(handled, []string{"one", "two", "three"}) {
			t.Errorf("after a second run handled are %v", handled)
		}
		if len(c.Meta()) != 0 {
			t.Errorf("a clean end left the note %q", c.Meta())
		}

		// A handler that goes on after the grace is told to stop, and its record comes again.
		appendAll(t, q, "four")
		ctx, stop = context.WithCancel(t.Context())
		g, err = work.New(c, func(ctx context.Context, d *work.Delivery) error {
			stop()
			<-ctx.Done()
			return ctx.Err()
		}, work.Options{Discard: true, MaxAttempts: 1, Grace: time.Second})
		if err != nil {
			t.Fatal(err)
		}
		if err := g.Run(ctx); err != nil || c.Pointer() != 3 {
			t.Errorf("%v, the pointer is %d, want 3", err, c.Pointer())
		}
	})
}

// TestDeadLettersThatCannotBeWritten keeps a record until its letter is.
func TestDeadLettersThatCannotBeWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, memlog.Options{})
		small := newQueue(t, memlog.Options{Limits: nerve.Limits{Record: 200, Batch: 1000}})
		appendAll(t, q, strings.Repeat("x", 300))
		fail := func(context.Context, *work.Delivery) error {
			return work.Permanent(errors.New("no"))
		}
		runUntil(t, newConsumer(t, q), 1, fail, work.Options{DeadLetters: small})
		list := letters(t, small)
		if len(list) != 1 || len(list[0].Data) != 0 ||
			!strings.Contains(list[0].Reason, "too large") {
			t.Errorf("the letters are %v", list)
		}

		closed := nerve.New(memlog.New(memlog.Options{}), nerve.Options{})
		if err := closed.Close(); err != nil {
			t.Fatal(err)
		}
		q2 := newQueue(t, memlog.Options{})
		appendAll(t, q2, "a")
		c := newConsumer(t, q2)
		g, err := work.New(c, fail, work.Options{DeadLetters: closed})
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithTimeout(t.Context(), time.Hour)
		defer stop()
		if err := g.Run(ctx); err != nil || c.Pointer() != 0 || g.Stats().GivenUp != 0 {
			t.Errorf("%v, the pointer is %d, stats %+v", err, c.Pointer(), g.Stats())
		}
	})
}

func TestTyped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, dead := newQueue(t, memlog.Options{}), newQueue(t, memlog.Options{})
		for _, id := range []uint64{7, 8} {
			if _, err := nerve.AppendMessage(t.Context(),
				q, &deadletter.DeadLetter{Id: id, Reason: "r"}); err != nil {
				t.Fatal(err)
			}
		}
		appendAll(t, q, "\xff")
		var mu sync.Mutex
		var kept []*deadletter.DeadLetterReader
		runUntil(t, newConsumer(t, q), 3,
			work.Typed(func(_ context.Context, _ *work.Delivery,
				r *deadletter.DeadLetterReader) error {
				mu.Lock()
				defer mu.Unlock()
				kept = append(kept, r)
				return nil
			}), work.Options{DeadLetters: dead})
		if len(kept) != 2 || kept[0].GetId()+kept[1].GetId() != 15 || kept[0].GetReason() != "r" {
			t.Errorf("kept Readers are %v", kept)
		}
		if list := letters(t, dead); len(list) != 1 || list[0].Attempts != 1 ||
			!bytes.Equal(list[0].Data, []byte("\xff")) {
			t.Errorf("a record that does not decode: %v", list)
		}
	})
}

// TestLentMessages reads a queue into one Message, which borrows from the records.
func TestLentMessages(t *testing.T) {
	q := newQueue(t, memlog.Options{})
	for id := range uint64(3) {
		if _, err := nerve.AppendMessage(t.Context(), q,
			&deadletter.DeadLetter{Id: id + 1, Reason: fmt.Sprint("r", id+1)}); err != nil {
			t.Fatal(err)
		}
	}
	type letter = gremlin.Lent[deadletter.DeadLetter, *deadletter.DeadLetter]
	var clones []*deadletter.DeadLetter
	var kept []nerve.Item[letter]
	for item, err := range nerve.Typed[letter](t.Context(), newConsumer(t, q)) {
		if err != nil {
			t.Fatal(err)
		}
		clones = append(clones, item.Value.Message().Clone())
		if kept = append(kept, item.Keep()); len(kept) == 3 {
			break
		}
	}
	for i, c := range clones {
		want := &deadletter.DeadLetter{Id: uint64(i) + 1, Reason: fmt.Sprint("r", i+1)}
		if !c.Equal(want) || !kept[i].Value.Message().Equal(want) {
			t.Errorf("record %d: cloned %v, kept %v", i, c, kept[i].Value.Message())
		}
	}
}

func TestMisuse(t *testing.T) {
	q := newQueue(t, memlog.Options{})
	c := newConsumer(t, q)
	handler := func(context.Context, *work.Delivery) error { return nil }
	if _, err := work.New(c, handler, work.Options{}); err == nil ||
		!strings.Contains(err.Error(), "DeadLetters") {
		t.Errorf("without a place for dead letters: %v", err)
	}
	if err := c.SetMeta([]byte("mine")); err != nil {
		t.Fatal(err)
	}
	g, err := work.New(c, handler, work.Options{Discard: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "somebody else") {
		t.Errorf("with metadata of the user: %v", err)
	}
	if work.Permanent(nil) != nil {
		t.Error("Permanent(nil) is an error")
	}
	backoff := work.Exponential(100*time.Millisecond, time.Second)
	for attempt, most := range []time.Duration{1: 100e6, 2: 200e6, 3: 400e6, 4: 800e6, 5: 1e9,
		100: 1e9} {
		if d := backoff(max(attempt, 1)); most > 0 && (d > most || d < most*4/5) {
			t.Errorf("backoff %d is %v, want a little less than %v", attempt, d, most)
		}
	}
}
