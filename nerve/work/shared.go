package work

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/lease"
)

// NewShared makes a group of handlers for a worker of package lease: with others, in this process
// or in many, it handles the records of one consumer, whose name goes into dead letters. Run takes
// as many records as handlers are idle, extends their leases while they are handled, and leaves the
// worker open. The order of keys is that of the dispatcher, and so are the bounds of what waits:
// KeyBy is refused, MaxPending, MaxPendingBytes, MaxWaiting and MaxUnsaved have no meaning.
//
// Each lease is an attempt. One that ended without the handler having returned, because the process
// died or stood still, counts, too: after MaxAttempts of them the record is given up with a
// [LeasesError]. When a lease ends while its handler runs, the context of the handler ends with the
// reason as its cause, such as a [nerve.LeaseError], and somebody else has the record.
func NewShared(w lease.Worker, consumer string, h Handler, o Options) (*Group, error) {
	if o.KeyBy != nil {
		return nil, errors.New("work: the order of keys is that of whoever gives out the leases: " +
			"set lease.Options.KeyBy, or remote.WorkOptions.ByKey")
	}
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	return &Group{worker: w, name: consumer, handler: h, options: o}, nil
}

// LeasesError says that as many leases of a record ended as there may be attempts, and none of them
// with an answer of its handler: each time the process died, stood still, or could not write the
// dead letter.
type LeasesError struct{ Attempts int }

// Error implements error.
func (e *LeasesError) Error() string {
	return fmt.Sprintf("%d leases of this record ended, and it was not done", e.Attempts)
}

// runShared is Run for a worker of package lease.
func (g *Group) runShared(ctx context.Context) error {
	handling, stopHandling := context.WithCancel(context.WithoutCancel(ctx))
	defer stopHandling()
	taking, stopTaking := context.WithCancelCause(ctx)
	defer stopTaking(nil)
	over := make(chan struct{})
	defer close(over)
	go func() {
		<-taking.Done()
		select {
		case <-time.After(g.options.Grace):
			stopHandling()
		case <-over:
		}
	}()

	leases := make(chan lease.Lease)
	idle := make(chan struct{}, g.options.Workers)
	var wait sync.WaitGroup
	for range g.options.Workers {
		idle <- struct{}{}
		wait.Go(func() {
			for l := range leases {
				if err := g.handleLease(handling, l); err != nil {
					stopTaking(err)
				}
				idle <- struct{}{}
			}
		})
	}
	err := g.takeAll(taking, idle, leases)
	close(leases)
	wait.Wait()
	if ctx.Err() != nil && errors.Is(err, context.Cause(ctx)) {
		return nil
	}
	return err
}

// takeAll takes records for handlers that are idle until ctx ends, and returns why no more came.
func (g *Group) takeAll(ctx context.Context, idle chan struct{}, leases chan<- lease.Lease) error {
	for {
		select {
		case <-idle:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		n := 1
		for more := true; more; {
			select {
			case <-idle:
				n++
			default:
				more = false
			}
		}
		taken, err := g.worker.Take(ctx, n)
		if err != nil {
			return err
		}
		var last *lease.Lease // an attempt that is to be made alone
		for i, l := range taken {
			switch {
			case !g.isSuspect(l):
				leases <- l // somebody is idle
				n--
			case last == nil:
				last = &taken[i]
			default: // there is one already
				if err := g.release(l); err != nil {
					return err
				}
			}
		}
		for range n {
			idle <- struct{}{}
		}
		if last != nil {
			g.waitIdle(ctx, *last, idle)
			if ctx.Err() != nil {
				return errors.Join(context.Cause(ctx), g.release(*last))
			}
			leases <- *last
			<-idle // it is done
			for range g.options.Workers {
				idle <- struct{}{}
			}
		}
	}
}

// isSuspect tells whether an attempt is to be made while nothing else is handled in this process:
// the last one of a record that may have taken others down. What was in hands beside such a record
// is not given up with it.
func (g *Group) isSuspect(l lease.Lease) bool {
	return l.Lost > 0 && l.Attempt == g.options.MaxAttempts
}

// release gives a lease back that nobody began with.
func (g *Group) release(l lease.Lease) error {
	err := g.worker.Release(context.Background(), l)
	var late *nerve.LeaseError
	if errors.As(err, &late) {
		return nil
	}
	return err
}

// waitIdle waits until all handlers are idle, and keeps a lease meanwhile.
func (g *Group) waitIdle(ctx context.Context, l lease.Lease, idle <-chan struct{}) {
	stop := g.extend(ctx, l, func(error) {}) // a lease that is lost is found out when it is settled
	defer stop()
	for range g.options.Workers {
		<-idle
	}
}

// extensions is how often a lease is extended within its time.
const extensions = 3

// handleLease makes the attempt of a lease and settles it. The error is one after which nothing can
// be settled.
func (g *Group) handleLease(ctx context.Context, l lease.Lease) error {
	g.running.Add(1)
	defer g.running.Add(-1)
	t := &task{reason: l.Err}
	t.Record, t.Attempt = l.Record, l.Attempt-1
	if t.reason == nil && t.Attempt >= g.options.MaxAttempts {
		t.reason = &LeasesError{Attempts: t.Attempt}
	}
	attempt, lost := context.WithCancelCause(ctx)
	stop := g.extend(attempt, l, lost)
	g.attempt(attempt, t)
	stop()
	lost(nil)

	settling := context.WithoutCancel(ctx)
	var err error
	switch {
	case t.done:
		err = g.worker.Ack(settling, l)
	case t.interrupted && ctx.Err() != nil:
		err = g.worker.Release(settling, l)
	default:
		err = g.worker.Fail(settling, l, time.Until(t.due))
	}
	var late *nerve.LeaseError
	if errors.As(err, &late) {
		g.options.Logger.Warn("work: the lease of a record ended before its attempt did",
			"record", l.ID, "attempt", l.Attempt, "done", t.done)
		return nil
	}
	return err
}

// extend extends a lease until stop is called. When it is lost it says so.
func (g *Group) extend(
	ctx context.Context, l lease.Lease, lost context.CancelCauseFunc,
) (stop func()) {
	every := g.worker.Duration() / extensions
	ended := make(chan struct{})
	timer := time.AfterFunc(every, func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			if err := g.worker.Extend(ctx, l); err != nil {
				lost(err)
				return
			}
			select {
			case <-tick.C:
			case <-ended:
				return
			}
		}
	})
	return func() {
		close(ended)
		timer.Stop()
	}
}
