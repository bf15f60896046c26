package rt

import (
	"math"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Reading the time is most of the cost of an event. time.Now takes 25 to 40 ns; the counter that it
// reads itself, the time stamp counter of amd64 and the generic timer of arm64, takes 10. So events
// carry the counter, in ticks since the start of the recording, and the header says how many
// nanoseconds a tick is. That figure is measured at the start and again with every chunk, so it is
// the more exact the longer a recording is; it is one word, which is never half written.
//
// The counter is used only if it runs at the same rate always and on all cores: the processor must
// promise it, the kernel must not have found otherwise, and two measurements must agree. In all
// other cases a tick is a nanosecond of time.Now.
var clock struct {
	once    sync.Once
	counter bool
	zero    time.Time // when ticks are counted from, if they are nanoseconds
	rate    float64   // nanoseconds a tick
}

const (
	// tolerance is by how much measured rates may differ. A larger difference means that the
	// machine slept, during which one clock stood still, or a testing/synctest bubble, which has a
	// clock of its own.
	tolerance = 0.01

	// calibration is the length of a measurement at the start, and readings how many readings of
	// both clocks end it in any case: in a bubble time stands still.
	calibration = 100 * time.Microsecond
	readings    = 10_000

	// minElapsed is how old a recording must be for its own rate to be better than that of the
	// start.
	minElapsed = time.Millisecond
)

// findClock decides what events carry; it works once.
func findClock() {
	clock.once.Do(func() {
		clock.rate, clock.zero = 1, time.Now()
		if !haveAssembly || !counterSteady() || distrusted() {
			return
		}
		first, second := measureRate(), measureRate()
		if first > 0 && second > 0 && agree(first, second) {
			clock.counter, clock.rate = true, second
		}
	})
}

// distrusted reports whether the operating system does not use the counter itself, or may not let
// us.
func distrusted() bool {
	switch runtime.GOOS {
	case "darwin", "windows":
		return false
	case "linux":
		source, _ := os.ReadFile("/sys/devices/system/clocksource/clocksource0/current_clocksource")
		switch strings.TrimSpace(string(source)) {
		case "hpet", "acpi_pm", "jiffies", "refined-jiffies":
			return true
		}
		return false
	}
	return runtime.GOARCH != "amd64"
}

func agree(a, b float64) bool { return math.Abs(a/b-1) < tolerance }

// readBoth reads the counter and the clock at about the same moment; apart is the number of ticks
// it took.
func readBoth() (ticks uint64, now time.Time, apart uint64) {
	before := counter()
	now = time.Now()
	apart = counter() - before
	return before + apart/2, now, apart
}

// readClosely is readBoth with little between the two, whatever interrupts the program.
func readClosely() (ticks uint64, now time.Time) {
	least := uint64(math.MaxUint64)
	for range 8 {
		if t, n, apart := readBoth(); apart < least {
			ticks, now, least = t, n, apart
		}
	}
	return ticks, now
}

// measureRate returns the nanoseconds a tick, 0 if the time stands still.
func measureRate() float64 {
	ticks, start := readClosely()
	for range readings {
		if time.Since(start) >= calibration {
			endTicks, end := readClosely()
			return float64(end.Sub(start)) / float64(endTicks-ticks)
		}
	}
	return 0
}

// startClock notes when the recording starts.
func (r *recording) startClock() {
	findClock()
	r.start = time.Now()
	r.startTicks = ticks()
	if clock.counter {
		r.startTicks, r.start = readClosely()
	}
}

// ticks returns the time in ticks. Cores may differ by a few of them.
func ticks() uint64 {
	if clock.counter {
		return counter()
	}
	return uint64(time.Since(clock.zero))
}

// updateRate measures the rate from the start of the recording till now.
func (r *recording) updateRate() {
	if !clock.counter {
		return
	}
	at, now, apart := readBoth()
	elapsed := now.Sub(r.start)
	if elapsed < minElapsed || float64(apart)*clock.rate > 1000 {
		return
	}
	if rate := float64(elapsed) / float64(at-r.startTicks); agree(rate, clock.rate) {
		atomic.StoreUint64(r.rate, math.Float64bits(rate))
	}
}
