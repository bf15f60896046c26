package rt

import (
	"math"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// The counter and time.Now agree on how long something takes, in every goroutine and whatever core
// it runs on.
func TestClock(t *testing.T) {
	record(t, Options{})
	if haveAssembly && (runtime.GOOS == "linux" || runtime.GOOS == "darwin") && !clock.counter {
		t.Log("the counter of this machine is not used")
	}
	origin, start := ticks(), time.Now()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			last := origin
			for time.Since(start) < 50*time.Millisecond {
				at, before := time.Since(start), ticks()
				if int64(before-last) < -1000 {
					t.Errorf("the time went back by %d ticks", last-before)
				}
				last = before
				got := time.Duration(float64(before-origin) * clock.rate)
				if got < at-time.Millisecond || got > time.Since(start)+time.Millisecond {
					t.Errorf("after %v to %v the ticks say %v", at, time.Since(start), got)
				}
				runtime.Gosched()
			}
		})
	}
	wg.Wait()
}

// In a bubble of testing/synctest time.Now stands still. What decides on the clock must come to an
// end there, and a recording that begins or goes on there must not take times from it that make no
// sense.
func TestClockInBubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		if rate := measureRate(); rate != 0 {
			t.Errorf("a rate of %v was measured while the time stood still", rate)
		}
	})
	record(t, Options{})
	r := active.Load()
	before := *r.rate
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Hour)
		r.updateRate()
	})
	if *r.rate != before {
		t.Error("the time of a bubble changed the rate")
	}
}

// Where the counter is not to be trusted, a tick is a nanosecond.
func TestClockWithoutCounter(t *testing.T) {
	findClock()
	counter, rate := clock.counter, clock.rate
	clock.counter, clock.rate = false, 1
	defer func() { clock.counter, clock.rate = counter, rate }()
	record(t, Options{})
	r := active.Load()
	start := ticks()
	leaf(1)
	time.Sleep(10 * time.Millisecond)
	leaf(1)
	r.updateRate()
	if got := time.Duration(ticks() - start); got < 10*time.Millisecond || got > time.Minute {
		t.Errorf("10ms are %d ticks", got)
	}
	if got := math.Float64frombits(*r.rate); got != 1 {
		t.Errorf("a tick is %v ns", got)
	}
	if _, err := Stop(); err != nil {
		t.Error(err)
	}
}
