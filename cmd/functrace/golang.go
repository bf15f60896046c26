package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/octopus-framework/octopus/functrace/inject/rt"
	"github.com/octopus-framework/octopus/internal/cli/exitcode"
	"github.com/octopus-framework/octopus/internal/trace/inject"
)

// goCommand is what run, test and build have in common: the go command over instrumented sources.
type goCommand struct {
	fs             *flag.FlagSet
	config         inject.Config
	args           goArgs
	out            output
	quiet          bool
	stdout, stderr io.Writer
}

func newGoCommand(name string, stdout, stderr io.Writer) *goCommand {
	c := &goCommand{fs: newFlags(name, stderr), stdout: stdout, stderr: stderr}
	selectFlags(c.fs, &c.config.Select)
	c.fs.Func("pkg",
		"instrument the packages that match this import path `pattern`, instead of those of the main module (repeatable)",
		func(s string) error { c.config.Packages = append(c.config.Packages, s); return nil })
	c.fs.BoolVar(&c.config.Args, "args", false, "record argument values and the texts of errors")
	c.fs.BoolVar(&c.quiet, "q", false, "do not say which files are left alone")
	return c
}

// buildCommand builds a program that records where it is told to.
func buildCommand(args []string, stdout, stderr io.Writer) error {
	c := newGoCommand("build", stdout, stderr)
	program := c.fs.String("o", "", "write the program to this `file`")
	if err := c.parse(args); err != nil {
		return err
	}
	if err := c.noVersion(); err != nil {
		return err
	}
	overlay, err := c.instrument()
	if err != nil {
		return err
	}
	defer func() { _ = overlay.Remove() }()
	flags := c.args.flags
	if *program != "" {
		flags = append(flags, "-o", *program)
	}
	return c.execute(overlay.Command("build", flags, c.args.packages...))
}

// testCommand runs tests and shows their calls.
func testCommand(args []string, stdout, stderr io.Writer) error {
	c := newGoCommand("test", stdout, stderr)
	c.config.Test = true
	c.out.flags(c.fs)
	if err := c.parse(args); err != nil {
		return err
	}
	if err := c.noVersion(); err != nil {
		return err
	}
	overlay, err := c.instrument()
	if err != nil {
		return err
	}
	defer func() { _ = overlay.Remove() }()
	cmd := overlay.Command("test", append([]string{"-count=1"}, c.args.flags...),
		c.args.packages...)
	if len(c.args.program) > 0 {
		cmd.Args = append(append(cmd.Args, "-args"), c.args.program...)
	}
	return c.record(cmd)
}

// runCommand builds and runs a program, of this module or package@version, and shows its calls.
func runCommand(args []string, stdout, stderr io.Writer) error {
	c := newGoCommand("run", stdout, stderr)
	c.out.flags(c.fs)
	if err := c.parse(args); err != nil {
		return err
	}
	// As for go run: the package or files come first, the rest is the program's.
	n := 1
	for n < len(c.args.packages) && strings.HasSuffix(c.args.packages[n], ".go") {
		n++
	}
	if n < len(c.args.packages) {
		return fmt.Errorf("%w: arguments of the program come after --", errUsage)
	}
	leave := func() error { return nil }
	if pkg, version, ok := strings.Cut(c.args.packages[0], "@"); ok {
		module, err := useVersion(pkg, version, &c.config, stderr)
		if err != nil {
			return err
		}
		defer func() { _ = errors.Join(module.leave(), module.remove()) }()
		leave = module.leave
		c.args.packages[0] = pkg
	}
	overlay, err := c.instrument()
	if err != nil {
		return err
	}
	defer func() { _ = overlay.Remove() }()
	dir, err := os.MkdirTemp("", "functrace-run-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	bin := filepath.Join(dir, programName(c.args.packages[0]))
	if err := c.execute(overlay.Command("build", append(c.args.flags, "-o", bin),
		c.args.packages...)); err != nil {
		return err
	}
	// The program runs where the command was called, not in the module made for its version.
	if err := leave(); err != nil {
		return err
	}
	return c.record(exec.Command(bin, c.args.program...))
}

// parse reads the arguments and goes into the folder of -C, in which everything lies that they
// name.
func (c *goCommand) parse(args []string) (err error) {
	if c.args, err = split(c.fs, args); err != nil {
		return err
	}
	if err := parse(c.fs, c.args.own); err != nil {
		return err
	}
	if err := c.out.check(); err != nil {
		return err
	}
	if c.args.dir == "" {
		return nil
	}
	return os.Chdir(c.args.dir)
}

// noVersion refuses package@version.
func (c *goCommand) noVersion() error {
	if strings.Contains(c.args.packages[0], "@") {
		return fmt.Errorf("%w: only run takes a package with a version", errUsage)
	}
	return nil
}

// instrument makes the overlay, which the caller removes.
func (c *goCommand) instrument() (*inject.Overlay, error) {
	c.config.Flags, c.config.Patterns = c.args.list, c.args.packages
	overlay, err := inject.Build(c.config)
	if errors.Is(err, inject.ErrBroken) {
		if goErr := c.plainGo(); goErr != nil {
			return nil, goErr // the go command's own words
		}
	}
	if err != nil {
		return nil, err
	}
	for _, s := range overlay.Skipped {
		if !c.quiet && strings.HasSuffix(s, "cgo file") {
			fmt.Fprintln(c.stderr, "functrace: left alone:", s)
		}
	}
	return overlay, nil
}

// record runs a command with recordings in a folder of their own, and shows them when it has ended.
func (c *goCommand) record(cmd *exec.Cmd) error {
	dir, err := os.MkdirTemp("", "functrace-recordings-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	cmd.Env = append(cmd.Environ(), rt.EnvPath+"="+dir)
	runErr := c.execute(cmd)
	err = c.out.write(dir, c.stderr)
	if runErr != nil && err != nil { // the exit code is the program's
		fmt.Fprintln(c.stderr, "functrace:", err)
	}
	return cmp.Or(runErr, err)
}

// plainGo lets the go command report what is wrong with the code.
func (c *goCommand) plainGo() error {
	args := append([]string{"build", "-o", os.DevNull}, c.args.list...)
	if c.config.Test {
		args = append([]string{"vet"}, c.args.list...)
	}
	return c.execute(exec.Command("go", append(args, c.args.packages...)...))
}

func programName(pkg string) string {
	abs, err := filepath.Abs(strings.TrimSuffix(pkg, ".go"))
	if err != nil {
		return "program"
	}
	return filepath.Base(abs)
}

// execute runs a command with our standard input. Signals that ask us to end are the command's
// affair: it may want to clean up, and what it recorded is still to be written.
func (c *goCommand) execute(cmd *exec.Cmd) error {
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, c.stdout, c.stderr
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	if err := cmd.Start(); err != nil {
		return err
	}
	done := make(chan struct{})
	defer close(done)
	go func() {
		for {
			select {
			case s := <-signals:
				if s != os.Interrupt { // the terminal sends that one to both
					_ = cmd.Process.Signal(s)
				}
			case <-done:
				return
			}
		}
	}()
	err := cmd.Wait()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		if code := exit.ExitCode(); code > 0 {
			return exitError(code)
		}
		fmt.Fprintln(c.stderr, "functrace: the program was ended by", exit)
		return exitError(exitcode.Failed)
	}
	return err
}
