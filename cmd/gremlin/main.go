// Command gremlin compiles .proto files to Go: no protoc, no plugins. See docs/gremlin-command.md
// or gremlin help.
package main

import (
	"context"
	"os"
	"os/signal"
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

func main() {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryLimit)
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
