// Command gremlin-migrate replaces code of gogo/protobuf's generators; gremlin migrate runs it. It
// is a command of its own because the types of Go programs, by which it compares, are a tenth of
// what gremlin would weigh with it. See docs/migrate.md.
package main

import (
	"context"
	"io"
	"os"
	"os/signal"

	"github.com/octopus-framework/octopus/internal/cli"
)

func main() {
	cli.LimitMemory()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run is the command; it returns the exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	m := &migration{Console: cli.Console{Out: stdout, Err: stderr}}
	return m.Run(ctx, m.command(), args)
}
