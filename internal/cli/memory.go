package cli

import (
	"os"
	"runtime/debug"
)

const (
	// memoryLimit is where the garbage collector starts to work harder instead of taking more
	// memory. Eight thousand files compile in it at nearly full speed; far larger sets still
	// compile, slower.
	memoryLimit = 2000 << 20
	// gcPercent lets the collector run half as often as by default below the limit: a run ends
	// before most of its garbage would be needed again.
	gcPercent = 200
)

// LimitMemory sets the garbage collector for a program that compiles and ends, where GOMEMLIMIT and
// GOGC do not.
func LimitMemory() {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryLimit)
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
}
