package sqllog

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/octopus-framework/octopus/nerve"
)

// state is the row of the queue.
type state struct {
	next, first int64
	nano        int64 // time of the newest batch
	epoch       int64 // epoch of the newest lease of a writer
	owner       string
	left        int64 // what is left of that lease, in microseconds, negative when it is over
	format      int64
}

// readState reads the row by query, which may lock it.
func (l *Log) readState(ctx context.Context, x execer, query string) (state, error) {
	var s state
	var owner []byte
	found, err := queryRow(ctx, x, query, []any{l.id},
		&s.next, &s.first, &s.nano, &s.epoch, &owner, &s.left, &s.format)
	s.owner = string(owner)
	switch {
	case err != nil:
		return s, err
	case !found:
		return s, &DatabaseError{Queue: l.queue, Server: l.server}
	case s.format != format:
		return s, &nerve.FormatError{Path: l.server, Reason: fmt.Sprintf(
			"queue %q has format %d and this program knows %d; use a newer version of the program",
			l.queue, s.format, format)}
	}
	return s, nil
}

// Bounds implements nerve.Log. It is as of the last contact, which is less than
// a second ago unless the server does not answer.
func (l *Log) Bounds() (first, last nerve.ID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.first, l.last
}

// publish makes what is known of the queue known to cursors.
func (l *Log) publish(first, last nerve.ID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.first = max(l.first, first)
	if last > l.last {
		l.last = last
		close(l.moved)
		l.moved = make(chan struct{})
	}
}

// refresh asks the server for the bounds.
func (l *Log) refresh(ctx context.Context) error {
	_, before := l.Bounds()
	var s state
	err := l.retry(ctx, "read the bounds", func(ctx context.Context, c conn) (err error) {
		s, err = l.readState(ctx, c, l.dialect.sql.state)
		if err == nil && nerve.ID(s.next-1) > before {
			err = l.barrier(ctx, c)
		}
		return err
	})
	if err != nil {
		return err
	}
	if last := nerve.ID(s.next - 1); last < before {
		return l.fail(last, before)
	}
	l.publish(nerve.ID(s.first), nerve.ID(s.next-1))
	return nil
}

// barrier makes all durable that was seen through c before: at once, or with the
// commit if c is in a transaction.
//
// InnoDB without a binary log shows a transaction to others before it has synced
// its log: a reader may see what a power cut then takes back. The log is synced
// in order, so a commit of our own makes all before it durable.
//
// It has to be the same connection. Another one may be to a server that was
// restarted in between, and has forgotten what was seen.
func (l *Log) barrier(ctx context.Context, c conn) error {
	if !l.early {
		return nil
	}
	_, err := c.exec(ctx, l.dialect.barrier, rand.IntN(barrierSlots))
	return err
}

// barrierSlots is how many rows there are to change, so that few wait for each
// other.
const barrierSlots = 16

// fail is for a server that lost what it had committed: a restored backup, a
// replica that took over without the newest transactions. Ids would be given
// out again; nothing goes on until the log is opened again, knowing that.
func (l *Log) fail(last, before nerve.ID) error {
	err := &nerve.FailedError{Cause: &RewoundError{Server: l.server, Queue: l.queue, Last: last,
		Before: before}}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.failed == nil {
		l.failed = err
		close(l.moved) // wakes cursors
		l.moved = make(chan struct{})
	}
	return l.failed
}

func (l *Log) failedError() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.failed
}

// RewoundError says that the database went back to an earlier state: records
// that were acknowledged are gone, and their ids will be given out again to
// others.
type RewoundError struct {
	Server, Queue string
	Last          nerve.ID // last id that there is
	Before        nerve.ID // last id that there was, or that a consumer has read
	Consumer      string   // consumer whose pointer is past Last, if that is how it is known
}

// Error implements error.
func (e *RewoundError) Error() string {
	whose := "this program has seen"
	if e.Consumer != "" {
		whose = fmt.Sprintf("consumer %q has acknowledged", e.Consumer)
	}
	return fmt.Sprintf("nerve: queue %q of %s ends at record %d, but %s record %d: the database "+
		"lost what it had committed (a restored backup, or a failover to a replica that lagged); "+
		"decide what consumers do about that, and open the queue with Options.AllowRewound",
		e.Queue, e.Server, e.Last, whose, e.Before)
}

// Pauses of the watch.
const (
	firstPoll = time.Millisecond
	// firstBarrier is firstPoll where each look that finds something costs a
	// commit.
	firstBarrier = 4 * time.Millisecond
	idlePoll     = time.Second
)

// watch looks for what other processes append: often while cursors wait for it,
// else once a second.
func (l *Log) watch() {
	timer := time.NewTimer(idlePoll)
	defer timer.Stop()
	first := firstPoll
	if l.early {
		first = min(firstBarrier, l.options.PollMax)
	}
	poll := first
	told := false // of a failure, until there is none
	for {
		select {
		case <-l.life.Done():
			return
		case <-l.kick:
			poll = first
		case <-timer.C:
			_, before := l.Bounds()
			err := l.refresh(l.life)
			if err != nil && !told && l.life.Err() == nil {
				l.options.Logger.Error("nerve: the end of the queue is not known", "error", err)
			}
			told = err != nil
			if _, last := l.Bounds(); last > before {
				poll = first
			} else {
				poll = min(2*poll, l.options.PollMax)
			}
		}
		l.mu.Lock()
		waiting := l.waiting
		l.mu.Unlock()
		if waiting > 0 {
			timer.Reset(poll)
		} else {
			timer.Reset(idlePoll)
		}
	}
}

// await waits until id is there, ctx ends, or closed is closed.
func (l *Log) await(ctx context.Context, id nerve.ID, closed <-chan struct{}) error {
	for {
		l.mu.Lock()
		there, failed, moved := l.last >= id, l.failed, l.moved
		if there || failed != nil {
			l.mu.Unlock()
			return failed
		}
		l.waiting++
		l.mu.Unlock()
		select {
		case l.kick <- struct{}{}:
		default:
		}
		err := error(nil)
		select {
		case <-moved:
		case <-closed:
			err = nerve.ErrClosed
		case <-l.life.Done():
			err = nerve.ErrClosed
		case <-ctx.Done():
			err = context.Cause(ctx)
		}
		l.mu.Lock()
		l.waiting--
		l.mu.Unlock()
		if err != nil {
			return err
		}
	}
}
