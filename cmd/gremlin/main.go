// Command gremlin compiles .proto files to Go: no protoc, no plugins. See docs/gremlin-command.md
// or gremlin help.
package main

import (
	"context"
	"os"
	"os/signal"

	"github.com/octopus-framework/octopus/internal/cli"
)

func main() {
	cli.LimitMemory()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
