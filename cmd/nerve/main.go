// Command nerve looks into, feeds and repairs the queues of package nerve.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/octopus-framework/octopus/internal/version"
	"github.com/octopus-framework/octopus/nerve/seglog"
)

// Exit codes.
const (
	exitOK      = 0
	exitFailure = 1 // it did not work, or damage was found
	exitUsage   = 2 // the command line is wrong
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the program at once
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// usageError marks errors of the command line.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// errReported is returned by commands that have already said what is wrong.
var errReported = errors.New("reported")

func run(ctx context.Context, args []string, in io.Reader, out, errs io.Writer) int {
	root := rootCommand()
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(errs)
	started := false
	root.PersistentPreRun = func(*cobra.Command, []string) { started = true }
	err := root.ExecuteContext(ctx)
	var usage usageError
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errReported):
		return exitFailure
	case !started || errors.As(err, &usage):
		fmt.Fprintf(errs, "nerve: %s\nRun 'nerve --help' for usage.\n", bare(err))
		return exitUsage
	default:
		fmt.Fprintf(errs, "nerve: %s\n", bare(err))
		return exitFailure
	}
}

// bare is the text of an error without the name that those of the library begin
// with.
func bare(err error) string { return strings.TrimPrefix(err.Error(), "nerve: ") }

// oneFolder is what all commands take.
func oneFolder(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usagef("'%s' takes the folder of one queue, not %d arguments", cmd.CommandPath(), len(args))
	}
	return nil
}

func rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "nerve",
		Short: "Look into, feed and repair persistent queues",
		Long: `nerve works on a queue in a folder, as made by the Go package nerve.

Commands that only read (tail, consumers, stats, verify) work beside the
program that writes the queue; append, trim and repair need it closed there.

Exit codes: 0 done, 1 failed or damage found, 2 wrong usage.`,
		Version:       version.String(),
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetVersionTemplate("nerve {{.Version}}\n")
	root.PersistentFlags().Bool("json", false, "print JSON")
	root.AddCommand(appendCommand(), tailCommand(), consumersCommand(), statsCommand(),
		verifyCommand(), repairCommand(), trimCommand(), benchCommand())
	return root
}

func wantJSON(cmd *cobra.Command) bool {
	on, err := cmd.Flags().GetBool("json")
	return err == nil && on
}

func openRead(dir string) (*seglog.Log, error) {
	return seglog.Open(dir, seglog.Options{ReadOnly: true})
}

// openExisting opens a queue for writing, but makes none: a name that was mistyped
// is an error.
func openExisting(dir string) (*seglog.Log, error) {
	log, err := openRead(dir)
	if err != nil {
		return nil, err
	}
	if err := log.Close(); err != nil {
		return nil, err
	}
	return seglog.Open(dir, seglog.Options{})
}

// untilInterrupted returns what work does, or the reason why ctx ended before. It
// is for work that changes nothing and may be left behind.
func untilInterrupted[T any](ctx context.Context, work func() (T, error)) (T, error) {
	if ctx.Err() != nil {
		return *new(T), context.Cause(ctx)
	}
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		value, err := work()
		done <- outcome{value, err}
	}()
	select {
	case o := <-done:
		return o.value, o.err
	case <-ctx.Done():
		return *new(T), context.Cause(ctx)
	}
}
