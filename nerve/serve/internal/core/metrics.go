package core

import (
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
)

// Metrics counts what a server did since its start, over all transports.
type Metrics struct {
	Connections     atomic.Int64  // binary ones that are open
	AuthFailures    atomic.Uint64 // requests whose token or certificate was refused
	AccessDenied    atomic.Uint64 // calls whose principal lacked the role
	FramesRefused   atomic.Uint64 // frames that were damaged, too long or unknown
	SlowClients     atomic.Uint64 // connections closed because they did not read or write
	StalledReaders  atomic.Uint64 // times that a reader used its credit up
	RefusedByLimits atomic.Uint64 // connections and calls beyond a limit
	Panics          atomic.Uint64 // faults of the server that ended a connection or request
}

// Fault counts a panic in what was done for somebody, and logs it with its stack in
// one line. It is called while the goroutine recovers; args say for whom it was.
func (m *Metrics) Fault(log *slog.Logger, cause any, args ...any) {
	m.Panics.Add(1)
	log.Error("nerve: a fault of the server", append(args, "panic", fmt.Sprint(cause),
		"stack", string(debug.Stack()))...)
}

// commitBounds are the upper bounds of the histogram of commits, in seconds.
var commitBounds = []float64{
	0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5,
}

// Histogram is how long commits took.
type Histogram struct {
	Bounds []float64 // upper bounds in seconds
	Counts []uint64  // per bound, and one more for what is above the last
	Sum    time.Duration
	Errors uint64 // commits that failed, which are in no bound
}

// histogram is the observer of a queue.
type histogram struct {
	mu     sync.Mutex
	counts [13]uint64
	sum    time.Duration
	errors uint64
	last   error
}

// Commit implements nerve.Observer.
func (h *histogram) Commit(_, _ int, took time.Duration, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.last = err
	if err != nil {
		h.errors++
		return
	}
	h.sum += took
	seconds := took.Seconds()
	at := 0
	for at < len(commitBounds) && seconds > commitBounds[at] {
		at++
	}
	h.counts[at]++
}

// lastError is that of the newest commit.
func (h *histogram) lastError() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.last
}

func (h *histogram) snapshot() Histogram {
	h.mu.Lock()
	defer h.mu.Unlock()
	return Histogram{Bounds: commitBounds, Counts: append([]uint64(nil), h.counts[:]...),
		Sum: h.sum, Errors: h.errors}
}
