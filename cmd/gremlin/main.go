// Command gremlin compiles .proto files to Go: no protoc, no plugins. See docs/gremlin-command.md or gremlin help.
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
)

// memoryLimit is where the garbage collector starts to work harder instead of taking more memory. Eight thousand files
// compile in it at full speed; far larger sets still compile, slower.
const memoryLimit = 1800 << 20

func main() {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryLimit)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
