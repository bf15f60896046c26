package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/octopus-framework/octopus/compiler/report"
	"github.com/octopus-framework/octopus/internal/cli/exitcode"
)

// ErrFault ends a command whose diagnostics have been shown; ErrUsage one whose configuration is
// wrong.
var (
	ErrFault = errors.New("fault")
	ErrUsage = errors.New("usage")
)

// Console is where a command shows diagnostics and says what it did.
type Console struct {
	Out, Err io.Writer
	Quiet    bool // errors only

	// Source returns the text of a file, whose lines diagnostics show. It may be nil.
	Source func(file string) (text string, ok bool)

	format string // format of diagnostics
}

// Flags adds what decides how much is shown, and in which form.
func (c *Console) Flags(f *pflag.FlagSet) {
	f.StringVar(&c.format, "error-format", "text",
		"form of diagnostics: text, or json (one object per line)")
	f.BoolVarP(&c.Quiet, "quiet", "q", false, "show errors only")
}

// CheckFlags returns what is wrong with the values of Flags.
func (c *Console) CheckFlags() error {
	if c.format != "text" && c.format != "json" {
		return fmt.Errorf("--error-format is text or json, not %q", c.format)
	}
	return nil
}

// Run runs a command; it returns the exit code.
func (c *Console) Run(ctx context.Context, root *cobra.Command, args []string) int {
	root.SetArgs(args)
	root.SetOut(c.Out)
	root.SetErr(c.Err)
	cmd, err := root.ExecuteContextC(ctx)
	switch {
	case err == nil:
		return exitcode.OK
	case errors.Is(err, ErrFault):
		return exitcode.Failed
	case errors.Is(err, ErrUsage):
		return exitcode.Usage
	}
	// What cobra finds wrong is wrong use.
	hint := fmt.Sprintf("%q tells how it is used", cmd.CommandPath()+" --help")
	if near := Similar(cmd, err); near != "" {
		hint = fmt.Sprintf("did you mean %q?\n", near) + hint
	}
	c.Show(report.List{{Message: err.Error(), Hint: hint}})
	return exitcode.Usage
}

// Show writes diagnostics.
func (c *Console) Show(found report.List) {
	if c.Quiet {
		var errs report.List
		for _, d := range found {
			if d.Severity == report.Error {
				errs = append(errs, d)
			}
		}
		found = errs
	}
	if c.format == "json" {
		_ = report.WriteJSON(c.Err, found) // nobody is left to tell when standard error is gone
		return
	}
	dir, err := os.Getwd()
	if err != nil {
		dir = ""
	}
	source := c.Source
	if source == nil {
		source = func(string) (string, bool) { return "", false }
	}
	text := report.Text{Dir: dir, Color: IsTerminal(c.Err) && os.Getenv("NO_COLOR") == "",
		Source: source}
	_ = text.Write(c.Err, found)
	if n := found.Errors(); n > 1 {
		fmt.Fprintf(c.Err, "%d errors\n", n)
	}
}

// ShowsProgress tells whether somebody looks who wants to see how far a command is.
func (c *Console) ShowsProgress() bool {
	return !c.Quiet && c.format != "json" && IsTerminal(c.Err)
}

// Say writes a line about what was done, unless the command is to be quiet.
func (c *Console) Say(format string, args ...any) {
	if !c.Quiet {
		fmt.Fprintf(c.Out, format+"\n", args...)
	}
}
