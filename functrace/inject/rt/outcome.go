package rt

import (
	"runtime"
	"sync"
)

// A deferred function learns whether its function returned or panics from where it will itself
// return to: the runtime runs deferred functions of a panic from one place in runtime.gopanic, and
// those of a Goexit from one in runtime.Goexit. recover cannot tell without stopping the panic.
// Both places are learned from a real panic and a real Goexit.
var sites struct {
	once          sync.Once
	panic, goexit uintptr // 0: not learned
}

// findSites learns the places; it works once.
func findSites() {
	sites.once.Do(func() {
		probe := func(site *uintptr, want string, end func()) {
			defer func() { _ = recover() }()
			defer func() {
				if pc := ret1(); nameOf(pc) == want {
					*site = pc
				}
			}()
			end()
		}
		probe(&sites.panic, "runtime.gopanic", func() {
			panic("functrace learns what a panic looks like")
		})
		done := make(chan struct{})
		go func() {
			defer close(done)
			probe(&sites.goexit, "runtime.Goexit", runtime.Goexit)
		}()
		<-done
	})
}

// outcomeAt returns the outcome of a function whose deferred function returns to pc.
func outcomeAt(pc uintptr) Outcome {
	switch pc {
	case sites.panic:
		return Panicked
	case sites.goexit:
		return Goexit
	}
	return Returned
}

func nameOf(pc uintptr) string {
	frame, _ := runtime.CallersFrames([]uintptr{pc}).Next()
	return frame.Function
}
