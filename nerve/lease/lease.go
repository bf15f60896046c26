package lease

import (
	"context"
	"time"

	"github.com/octopus-framework/octopus/nerve"
)

// Lease is a record that is with a worker for a time.
type Lease struct {
	nerve.Record // its Data is the worker's own, and may be kept and changed

	// Attempt is how often the record was given out, this time included. A lease that was released
	// does not count.
	Attempt int
	// Lost is how many of the attempts before ended without a word of their worker: it died, stood
	// still, or its connection was lost. It counts since the dispatcher began.
	Lost int
	// Fence is the number of this lease. It is drawn at random, so that nobody guesses it, and says
	// nothing about the order of leases.
	Fence uint64
	// Err says why the record cannot be read or used: it was trimmed or is damaged, or
	// [nerve.ConsumerOptions.Check] refuses it. Data is empty, or what was refused. Another attempt
	// would not mend it: keep a note of it, and acknowledge it.
	Err error
}

// Worker takes records under the name of a consumer which others work on, too. Its methods may be
// called by many goroutines at once. After an error of the queue, such as [nerve.ErrClosed] or a
// [nerve.FencedError], join again.
//
// What is asked for a lease that has ended is a [nerve.LeaseError], and changes nothing.
type Worker interface {
	// Take returns between one and most leases. It waits until there is a record, and until this
	// worker may have another lease. Records are shared among those that wait, who came first is
	// served first. When ctx ends it returns its cause, and has taken nothing.
	Take(ctx context.Context, most int) ([]Lease, error)

	// Extend begins the time of a lease anew.
	Extend(ctx context.Context, l Lease) error

	// Ack says that the record is done: nobody gets it again.
	Ack(ctx context.Context, l Lease) error

	// Fail gives the record back, for another attempt after so long.
	Fail(ctx context.Context, l Lease, after time.Duration) error

	// Release gives the record back as if it had not been taken.
	Release(ctx context.Context, l Lease) error

	// Duration is how long a lease lasts unless it is extended.
	Duration() time.Duration

	// Close gives everything back at once, as if the leases had ended. A Take that waits returns
	// [nerve.ErrClosed].
	Close() error
}

// Defaults of Options.
const (
	DefaultDuration      = 30 * time.Second
	DefaultMaxLeases     = 256
	DefaultMaxWorkers    = 1024
	DefaultMaxReady      = 1024
	DefaultMaxReadyBytes = 16 << 20
	DefaultMaxOpen       = 1 << 16
	DefaultMaxTakeBytes  = 1 << 20
)

// MaxDuration is the longest that a lease may last without being extended.
const MaxDuration = 24 * time.Hour

// Options of a Dispatcher. The zero value is useful.
type Options struct {
	// KeyBy gives records keys: those with one key are given out in order, one at a time. It must
	// not keep the record. Nil: there is no order.
	KeyBy func(nerve.Record) string
	// Duration of leases for workers that do not say. Default 30 s.
	Duration time.Duration
	// MaxLeases is how many leases a worker may have at a time. Default 256.
	MaxLeases int
	// MaxTakeBytes bounds the data that one Take returns, but for one record. Default 1 MiB.
	MaxTakeBytes int64
	// MaxWorkers is how many workers there may be; Join returns a [nerve.BusyError] beyond.
	// Default 1024.
	MaxWorkers int
	// MaxReady bounds the records that are in memory because they are next. Default 1024.
	MaxReady int
	// MaxReadyBytes bounds their data, but for one record. Default 16 MiB.
	MaxReadyBytes int64
	// MaxOpen bounds the records that are read and not acknowledged: those that are next, that are
	// with workers, and that wait to be tried again or behind one of their key. The latter are not
	// in memory but for 150 bytes or so each. With so many no others are read. Default 65,536.
	MaxOpen int
}

func (o Options) withDefaults() Options {
	set := func(v *int, to int) {
		if *v <= 0 {
			*v = to
		}
	}
	set(&o.MaxLeases, DefaultMaxLeases)
	set(&o.MaxWorkers, DefaultMaxWorkers)
	set(&o.MaxReady, DefaultMaxReady)
	set(&o.MaxOpen, DefaultMaxOpen)
	if o.MaxReadyBytes <= 0 {
		o.MaxReadyBytes = DefaultMaxReadyBytes
	}
	if o.MaxTakeBytes <= 0 {
		o.MaxTakeBytes = DefaultMaxTakeBytes
	}
	if o.Duration <= 0 {
		o.Duration = DefaultDuration
	}
	o.Duration = min(o.Duration, MaxDuration)
	return o
}
