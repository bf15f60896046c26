package nervetest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/octopus-framework/octopus/nerve"
)

// cutContext is testContext for tests that make thousands of connections.
func cutContext(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 5*testTimeout)
	t.Cleanup(cancel)
	return ctx
}

// lostConnectionAppendsOnce cuts the connection at every byte of an append, in
// both directions, with a key, with an id, and without.
func lostConnectionAppendsOnce(t *testing.T, e *env) {
	if err := CutAppends(cutContext(t), e.log, e.can.Breaker); err != nil {
		t.Fatal(err)
	}
}

// CutAppends appends to an empty log, each time cutting the connection one byte
// later, until an append needs no more bytes, and returns an error unless each
// record is in the log once. It is part of the suite.
func CutAppends(ctx context.Context, log nerve.Log, breaker *Breaker) error {
	c := cutter{ctx: ctx, log: log, breaker: breaker, next: 1}
	for _, kind := range kindsOf(log) {
		for _, where := range []Direction{Up, Down} {
			for n := int64(0); ; n++ {
				breaker.Arm(where, n)
				err := c.append(kind)
				cut := breaker.Disarm()
				if err != nil {
					return fmt.Errorf("cut at byte %d, direction %d, %s: %w", n, where, kind, err)
				}
				if !cut {
					break
				}
			}
		}
	}
	return c.check()
}

// How an append of a cutter says that it is sent again.
const (
	byKey     = "by key"
	byID      = "by id"
	byNothing = "without a key"
)

func kindsOf(log nerve.Log) []string {
	kinds := []string{byNothing}
	if _, ok := log.(nerve.Repeatable); ok {
		kinds = append(kinds, byKey)
	}
	if _, ok := log.(nerve.Deduplicator); ok {
		kinds = append(kinds, byID)
	}
	return kinds
}

// cutter appends through connections that break.
type cutter struct {
	ctx     context.Context
	log     nerve.Log
	breaker *Breaker
	next    nerve.ID // id of the next record
}

// append appends two records until it is known that they are in the log.
func (c *cutter) append(kind string) error {
	for {
		b := batchOf(c.next, c.next+1)
		switch kind {
		case byKey:
			b.Key = nerve.Key{Producer: 42, Seq: uint64(c.next)}
		case byID:
			b.Once(idOf(c.next))
		}
		id, err := c.log.Append(c.ctx, b)
		var unknown *nerve.OutcomeError
		var lost *nerve.ConnectionError
		switch {
		case err == nil && id != c.next:
			return fmt.Errorf("the id is %d, want %d", id, c.next)
		case err == nil:
			if _, last := c.log.Bounds(); last != c.next+1 {
				return fmt.Errorf("the log ends at %d, want %d", last, c.next+1)
			}
			c.next += 2
			return nil
		case errors.As(err, &lost): // nothing was stored
		case kind != byNothing && errors.As(err, &unknown): // appended again it tells
		default:
			return err
		}
		if c.ctx.Err() != nil {
			return err
		}
	}
}

// check reads the log and repeats the last append.
func (c *cutter) check() error {
	b := batchOf(c.next, c.next)
	b.Key = nerve.Key{Producer: 42, Seq: uint64(c.next)}
	for range 2 {
		if id, err := c.log.Append(c.ctx, b); err != nil || id != c.next {
			return fmt.Errorf("append at the end = %d, %w; want %d", id, err, c.next)
		}
	}
	cur, err := c.log.Read(c.ctx, 1)
	if err != nil {
		return err
	}
	defer cur.Close()
	for next := nerve.ID(1); next <= c.next; {
		if err := cur.Next(c.ctx, b); err != nil {
			return fmt.Errorf("read at %d: %w", next, err)
		}
		for rec := range b.All() {
			if rec.ID != next || string(rec.Data) != content(next) {
				return fmt.Errorf("record %d is %d %q", next, rec.ID, rec.Data)
			}
			next++
		}
	}
	if _, last := c.log.Bounds(); last != c.next {
		return fmt.Errorf("the log ends at %d, want %d", last, c.next)
	}
	return nil
}

// lostConnectionIsMended cuts the connection at every byte of the calls that
// change nothing twice: they connect again, or say that they could not.
func lostConnectionIsMended(t *testing.T, e *env) {
	fill(t, e.log, 20, 4)
	ctx := cutContext(t)
	name := "a"
	calls := map[string]func() error{
		"Seek": func() error { _, err := e.log.Seek(ctx, time.Unix(1, 0)); return err },
		"Pointers": func() error {
			_, err := e.log.Pointers(ctx)
			return err
		},
		"SavePointers": func() error {
			return e.log.SavePointers(ctx, []nerve.Pointer{{Name: name, ID: 7}})
		},
		"RemovePointer": func() error { return e.log.RemovePointer(ctx, name) },
		"Trim":          func() error { _, err := e.log.Trim(ctx, 3); return err },
		"Read": func() error {
			cur, err := e.log.Read(ctx, 5)
			if err != nil {
				return err
			}
			defer cur.Close()
			var b nerve.Batch
			for next := nerve.ID(5); next <= 20; {
				if err := cur.Next(ctx, &b); err != nil {
					var lost *nerve.ConnectionError
					if errors.As(err, &lost) && ctx.Err() == nil {
						continue // it moved nothing
					}
					return err
				}
				for rec := range b.All() {
					if rec.ID != next || string(rec.Data) != content(next) {
						return fmt.Errorf("record %d is %d %q", next, rec.ID, rec.Data)
					}
					next++
				}
			}
			return nil
		},
	}
	for what, call := range calls {
		for _, where := range []Direction{Up, Down} {
			for n := int64(0); ; n++ {
				e.can.Breaker.Arm(where, n)
				err := call()
				for lost := (*nerve.ConnectionError)(nil); errors.As(err, &lost); {
					if ctx.Err() != nil {
						t.Fatalf("%s never connects again: %v", what, err)
					}
					err = call()
				}
				cut := e.can.Breaker.Disarm()
				if err != nil {
					t.Fatalf("%s, cut at byte %d, direction %d: %v", what, n, where, err)
				}
				if !cut {
					break
				}
			}
		}
	}
	wantBounds(t, e.log, 3, 20)
}

// hungServerEndsWithContext gives up an append to a server that says nothing
// when its context ends, and finds out later what became of it.
func hungServerEndsWithContext(t *testing.T, e *env) {
	fill(t, e.log, 1, 1)
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	e.can.Breaker.Stall()
	defer e.can.Breaker.Resume()
	before := e.can.Breaker.Passed(Up)
	done := make(chan error)
	go func() {
		_, err := e.log.Append(ctx, keyed(42, 1, 2, 3))
		done <- err
	}()
	e.can.Breaker.WaitPassed(Up, before)
	cancel(cause)
	if err := <-done; !errors.Is(err, cause) {
		t.Fatalf("Append to a server that hangs = %v, want the cause of the context", err)
	}
	e.can.Breaker.Resume()
	for {
		id, err := e.log.Append(testContext(t), keyed(42, 1, 2, 3))
		var lost *nerve.ConnectionError
		if errors.As(err, &lost) {
			continue
		}
		if err != nil || id != 2 {
			t.Fatalf("the same append again = %d, %v; want 2", id, err)
		}
		break
	}
	expect(t, e.log, 1, 3)
	wantBounds(t, e.log, 1, 3)
}
