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
	"time"

	"github.com/spf13/cobra"

	"github.com/octopus-framework/octopus/cmd/nerve/internal/open"
	"github.com/octopus-framework/octopus/internal/cli"
	"github.com/octopus-framework/octopus/internal/cli/exitcode"
	"github.com/octopus-framework/octopus/internal/version"
	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/seglog"
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
	cmd, err := root.ExecuteContextC(ctx)
	var usage usageError
	switch {
	case err == nil:
		return exitcode.OK
	case errors.Is(err, errReported):
		return exitcode.Failed
	case !started || errors.As(err, &usage):
		hint := ""
		if near := cli.Similar(cmd, err); near != "" {
			hint = fmt.Sprintf("; did you mean %q?", near)
		}
		fmt.Fprintf(errs, "nerve: %s%s\nRun '%s --help' for usage.\n", forTerminal(errs, err), hint,
			cmd.CommandPath())
		return exitcode.Usage
	default:
		fmt.Fprintf(errs, "nerve: %s\n", forTerminal(errs, err))
		return exitcode.Failed
	}
}

// forTerminal is bare for errs, where a terminal must not obey what a server or a record
// says. Lines stay lines.
func forTerminal(errs io.Writer, err error) string {
	text := bare(err)
	if !cli.IsTerminal(errs) {
		return text
	}
	return string(escapeLines([]byte(text), true))
}

// bare is the text of an error without the name that those of the library begin
// with.
func bare(err error) string { return strings.TrimPrefix(err.Error(), "nerve: ") }

// onePlace is what most commands take.
func onePlace(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usagef("'%s' takes one queue, a folder or a URL, not %d arguments",
			cmd.CommandPath(), len(args))
	}
	return nil
}

// oneFolder is what commands take that look at files.
func oneFolder(cmd *cobra.Command, args []string) error {
	if err := onePlace(cmd, args); err != nil {
		return err
	}
	if !open.IsFolder(args[0]) {
		return usagef(
			"'%s' looks at the files of a folder; what is behind a URL its server keeps whole",
			cmd.CommandPath())
	}
	return nil
}

func rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "nerve",
		Short: "Look into, feed and repair persistent queues",
		Long: `nerve works on queues, as made by the Go package nerve:

` + open.Forms + `

Commands that only read (tail, consumers, stats, list, verify) work beside the
program that writes the queue. The others need a queue in a folder closed
there; one behind a URL has many writers.

Exit codes: 0 done, 1 failed or damage found, 2 wrong usage.`,
		Version:       version.String(),
		SilenceErrors: true,
		SilenceUsage:  true,

		DisableSuggestions: true, // see run
	}
	root.SetVersionTemplate("nerve {{.Version}}\n")
	root.PersistentFlags().Bool("json", false, "print JSON")
	root.PersistentFlags().Duration("timeout", 15*time.Second, "how long to try to reach a server")
	root.AddCommand(appendCommand(), tailCommand(), consumersCommand(), statsCommand(),
		listCommand(),
		queryCommand(), verifyCommand(), repairCommand(), trimCommand(), benchCommand(),
		copyCommand(), sqlSchemaCommand(), serveCommand(), tokenCommand(), deadCommand(),
		requeueCommand())
	return root
}

func wantJSON(cmd *cobra.Command) bool {
	on, err := cmd.Flags().GetBool("json")
	return err == nil && on
}

// openLog opens the queue at a place, for as long as --timeout allows.
func openLog(
	cmd *cobra.Command, place string, mode open.Mode, folder seglog.Options,
) (nerve.Log, error) {
	timeout, err := cmd.Flags().GetDuration("timeout")
	if err != nil {
		return nil, err
	}
	cause := &nerve.TimeoutError{After: timeout}
	ctx, cancel := context.WithTimeoutCause(cmd.Context(), timeout, cause)
	defer cancel()
	log, err := open.Log(ctx, place, mode, folder)
	var wrong *open.PlaceError
	var unnamed *open.ProfileError
	if errors.As(err, &wrong) || errors.As(err, &unnamed) {
		return nil, usageError{err}
	}
	return log, err
}

func openRead(cmd *cobra.Command, place string) (nerve.Log, error) {
	return openLog(cmd, place, open.Read, seglog.Options{})
}

// openExisting opens a queue for writing, but makes none: a name that was
// mistyped is an error.
func openExisting(cmd *cobra.Command, place string) (nerve.Log, error) {
	return openLog(cmd, place, open.Write, seglog.Options{})
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
