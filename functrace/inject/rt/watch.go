package rt

import (
	"sync"
	"sync/atomic"
	"time"
)

// Snapshots by triggers.
const (
	// TriggerPause is the least time between two of them.
	TriggerPause = 10 * time.Second

	// MaxSnapshots is how many a recording makes.
	MaxSnapshots = 16
)

// watch makes snapshots when calls end as Options say. Its first fields are set before the
// recording starts.
type watch struct {
	on              bool
	failure, panics bool
	slow            uint64 // time in ticks, 0 for none
	pause           uint64 // time in ticks

	goTrace *goTrace
	files   atomic.Uint64 // snapshots of all kinds
	busy    atomic.Bool   // a trigger is making one
	made    int           // number that triggers have made; belongs to who has set busy
	next    atomic.Uint64 // the time, as of ticks, before which triggers do nothing
	work    sync.WaitGroup
}

// init sets what is known before anything is recorded.
func (w *watch) init(o Options) {
	w.failure, w.panics = o.OnFailure, o.OnPanic
	if o.Slow > 0 {
		w.slow = max(1, uint64(float64(o.Slow)/clock.rate)) // a tick may be longer than Slow
	}
	w.pause = uint64(float64(TriggerPause) / clock.rate)
	w.on = o.OnFailure || o.OnPanic || o.Slow > 0
}

// look makes a snapshot if the call that ends at a time, as of ticks, is a reason for it. The file
// is written by another goroutine, for this one has a request to answer.
func (w *watch) look(r *recording, c frame, depth uint32, at uint64, o Outcome) {
	reason := ""
	switch {
	case w.panics && o == Panicked:
		reason = "a panic in "
	case w.failure && o == Failed && c.f.isRequest(depth):
		reason = "an error of "
	case w.slow > 0 && at-c.at > w.slow && c.f.isRequest(depth):
		reason = "a slow call of "
	default:
		return
	}
	if at < w.next.Load() || !w.busy.CompareAndSwap(false, true) {
		return
	}
	if w.made == MaxSnapshots {
		return // and stay busy
	}
	w.made++
	w.next.Store(at + w.pause)
	w.work.Add(1)
	go func() {
		defer w.work.Done()
		defer w.busy.Store(false)
		if _, err := r.snapshot(reason+c.f.name, at); err != nil {
			complain(err)
		}
	}()
}

// start begins what runs beside a recording.
func (w *watch) start(o Options) (err error) {
	if o.RuntimeTrace {
		w.goTrace, err = startGoTrace(o.Last)
	}
	return err
}

// stop ends it and waits for snapshots under way.
func (w *watch) stop() error {
	w.work.Wait()
	if w.goTrace == nil {
		return nil
	}
	return w.goTrace.stop()
}
