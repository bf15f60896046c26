package nerve

import (
	"context"
	"time"
)

// callContext is for one call to the log that is not tied to a context of a
// caller.
func (q *Queue) callContext() (context.Context, context.CancelFunc) {
	after := q.options.CallTimeout
	return context.WithTimeoutCause(context.Background(), after, &TimeoutError{After: after})
}

// deadline makes the contexts of calls that come one after the other, each with
// the same time to run. It makes a new one only after one has ended: commits are
// too many to pay for a context each.
type deadline struct {
	after time.Duration
	ctx   context.Context
	timer *time.Timer
}

// begin returns the context of the next call.
func (d *deadline) begin() context.Context {
	if d.ctx != nil {
		d.timer.Reset(d.after)
		return d.ctx
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	d.ctx = ctx
	d.timer = time.AfterFunc(d.after, func() { cancel(&TimeoutError{After: d.after}) })
	return ctx
}

// end says that the call is over.
func (d *deadline) end() {
	if !d.timer.Stop() {
		d.ctx = nil // it ended, or is about to
	}
}
