package work

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"runtime"
	"time"

	"github.com/octopus-framework/octopus/nerve"
)

// Handler handles a record. An error, or a panic, has it called again later, unless the error is
// [Permanent]. The context ends when the attempt takes longer than Options.Timeout, and when Run
// has waited Options.Grace after its own context ended.
type Handler func(ctx context.Context, d *Delivery) error

// Delivery is a record for a handler.
type Delivery struct {
	nerve.Record     // its Data is the handler's own, and may be kept and changed
	Attempt      int // 1 at first
}

// Options of a Group. The zero value lacks DeadLetters or Discard.
type Options struct {
	// Workers is how many records are handled at a time. Default: one a processor.
	Workers int
	// KeyBy gives records keys: those with one key are handled in order, one at a time. It must not
	// keep the record. Nil: there is no order.
	KeyBy func(nerve.Record) string

	// MaxAttempts is how often a record is handled before it is given up. Default 5.
	MaxAttempts int
	// Backoff is how long to wait after a failed attempt, counted from 1. Default [Exponential]
	// from 100 ms to 30 s.
	Backoff func(attempt int) time.Duration
	// Timeout ends the context of an attempt. 0: none.
	Timeout time.Duration

	// DeadLetters gets records that are given up, as messages of package deadletter.
	DeadLetters *nerve.Queue
	// Discard gives records up without keeping them. Run refuses to start with neither of the two.
	Discard bool

	// MaxPending bounds the records in memory: those that are handled or are next. Default 1024.
	MaxPending int
	// MaxPendingBytes bounds their data, but for one record. Default 64 MiB.
	MaxPendingBytes int64
	// MaxWaiting bounds the records that wait for another attempt, or behind such a one of their
	// key. They are not in memory but for 150 bytes or so each, and are read again when it is
	// their turn. With so many no others are read, see [Stats.Stalled]; those in memory may join
	// them. Default 65,536. A consumer whose MaxUnacked is smaller stops before.
	MaxWaiting int
	// MaxUnsaved bounds the records that are done, or were tried, without that being saved: what a
	// crash makes come again besides those that were being handled. It is saved within the
	// SaveInterval of the queue, sooner when there are half as many, and with so many workers wait
	// for it.
	// Default 1024.
	MaxUnsaved int
	// Grace is how long handlers may go on when the context of Run has ended. Default 30 s.
	Grace time.Duration

	// Observer is told of attempts. It may be nil.
	Observer Observer
	// Logger is told of records that are given up. Nil is silent.
	Logger *slog.Logger
}

// Observer is told what happens to records. Its methods are called by several goroutines.
type Observer interface {
	// Attempted is called after each attempt, with the error of the handler.
	Attempted(d *Delivery, took time.Duration, err error)
	// GivenUp is called when a record is in the dead letters, or discarded.
	GivenUp(d *Delivery, reason error)
}

func (o Options) withDefaults() (Options, error) {
	if o.DeadLetters == nil && !o.Discard {
		return o, errors.New("work: a record that cannot be handled has to go somewhere: " +
			"set DeadLetters to a queue for them, or Discard")
	}
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if o.MaxAttempts <= 0 {
		o.MaxAttempts = 5
	}
	if o.Backoff == nil {
		o.Backoff = Exponential(100*time.Millisecond, 30*time.Second)
	}
	if o.MaxPending <= 0 {
		o.MaxPending = 1024
	}
	o.MaxPending = max(o.MaxPending, o.Workers)
	if o.MaxPendingBytes <= 0 {
		o.MaxPendingBytes = 64 << 20
	}
	if o.MaxWaiting <= 0 {
		o.MaxWaiting = 1 << 16
	}
	if o.MaxUnsaved <= 0 {
		o.MaxUnsaved = 1024
	}
	if o.Grace <= 0 {
		o.Grace = 30 * time.Second
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o, nil
}

// Exponential returns a backoff that doubles from first to limit, less up to a fifth at random, so
// that records which failed together do not come back together.
func Exponential(first, limit time.Duration) func(attempt int) time.Duration {
	return func(attempt int) time.Duration {
		d := first
		for i := 1; i < attempt && d < limit; i++ {
			d *= 2
		}
		d = min(d, limit)
		return d - time.Duration(rand.Int64N(int64(d)/5+1))
	}
}

// Permanent marks an error that another attempt would not mend: the record is given up at once. Nil
// stays nil.
func Permanent(err error) error {
	if err == nil {
		return nil
	}
	return &permanentError{err}
}

type permanentError struct{ err error }

func (e *permanentError) Error() string { return e.err.Error() }
func (e *permanentError) Unwrap() error { return e.err }

// PanicError is what a handler panicked with.
type PanicError struct {
	Value any
	Stack []byte // where it did
}

// Error implements error.
func (e *PanicError) Error() string { return fmt.Sprintf("the handler panicked: %v", e.Value) }

// CrashError says that the process ended while a record was being handled alone, at the last of its
// attempts.
type CrashError struct{ Attempts int }

// Error implements error.
func (e *CrashError) Error() string {
	return fmt.Sprintf("the process ended while this record was handled, at attempt %d", e.Attempts)
}

// Typed makes a handler of one for generated Readers. A record that does not decode is given up at
// once. The Reader and its strings are the handler's own.
func Typed[R any, P nerve.Unmarshaler[R]](handle func(context.Context, *Delivery,
	*R) error) Handler {
	return func(ctx context.Context, d *Delivery) error {
		value := new(R)
		if err := P(value).Unmarshal(d.Data); err != nil {
			return Permanent(&nerve.DecodeError{ID: d.ID, Err: err})
		}
		return handle(ctx, d, value)
	}
}
