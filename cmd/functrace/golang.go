package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/octopus-framework/octopus/functrace/inject"
	"github.com/octopus-framework/octopus/functrace/inject/rt"
	"github.com/octopus-framework/octopus/functrace/report"
)

// output says where the calls of a run go.
type output struct {
	format string
	path   string
	tree   report.WriteOptions
}

// goCommand is run, test and build.
func goCommand(name string, args []string, stdout, stderr io.Writer) error {
	fs := newFlags(name, stderr)
	var c inject.Config
	var out output
	selectFlags(fs, &c.Select)
	fs.Func("pkg",
		"instrument the packages that match this import path `pattern`, instead of those of the main module (repeatable)",
		func(s string) error { c.Packages = append(c.Packages, s); return nil })
	fs.BoolVar(&c.Args, "args", false, "record argument values and the texts of errors")
	quiet := fs.Bool("q", false, "do not say which files are left alone")
	if name == "build" {
		fs.StringVar(&out.path, "o", "", "write the program to this `file`")
	} else {
		fs.StringVar(&out.format, "format", "",
			report.FormatNames+", or raw for a recording (default: by the name of -o, else tree)")
		fs.StringVar(&out.path, "o", "",
			"write the calls to this `file` (default: standard error, when the program has ended)")
		treeFlags(fs, &out.tree)
	}
	g, err := split(fs, args)
	if err != nil {
		return err
	}
	if err := parse(fs, g.own); err != nil {
		return err
	}
	formats := append(strings.Split(report.FormatNames, ", "), "raw", "")
	if !slices.Contains(formats, out.format) {
		return fmt.Errorf("%w: unknown format %q (%s, raw)", errUsage, out.format,
			report.FormatNames)
	}
	if g.dir != "" { // as for the go command: everything named by the arguments lies there
		if err := os.Chdir(g.dir); err != nil {
			return err
		}
	}
	if name == "run" {
		// As for go run: the package or files come first, the rest is the program's.
		n := 1
		for n < len(g.packages) && strings.HasSuffix(g.packages[n], ".go") {
			n++
		}
		if n < len(g.packages) {
			return fmt.Errorf("%w: arguments of the program come after --", errUsage)
		}
	}
	var module *versioned
	if pkg, version, ok := strings.Cut(g.packages[0], "@"); ok {
		if name != "run" {
			return fmt.Errorf("%w: only run takes a package with a version", errUsage)
		}
		if module, err = useVersion(pkg, version, &c, stderr); err != nil {
			return err
		}
		defer func() { _ = errors.Join(module.leave(), module.remove()) }()
		g.packages[0] = pkg
	}
	c.Flags, c.Patterns, c.Test = g.list, g.packages, name == "test"
	overlay, err := inject.Build(c)
	if errors.Is(err, inject.ErrBroken) {
		if goErr := plainGo(name, g, stdout, stderr); goErr != nil {
			return goErr // the go command's own words
		}
	}
	if err != nil {
		return err
	}
	defer func() { _ = overlay.Remove() }()
	if !*quiet {
		for _, s := range overlay.Skipped {
			if strings.HasSuffix(s, "cgo file") {
				fmt.Fprintln(stderr, "functrace: left alone:", s)
			}
		}
	}
	if name == "build" {
		flags := g.flags
		if out.path != "" {
			flags = append(flags, "-o", out.path)
		}
		return execute(overlay.Command("build", flags, g.packages...), stdout, stderr)
	}
	dir, err := os.MkdirTemp("", "functrace-run-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	cmd := overlay.Command("test", append([]string{"-count=1"}, g.flags...), g.packages...)
	if name == "test" && len(g.program) > 0 {
		cmd.Args = append(append(cmd.Args, "-args"), g.program...)
	}
	if name == "run" {
		bin := filepath.Join(dir, programName(g.packages[0]))
		if err := execute(overlay.Command("build", append(g.flags, "-o", bin), g.packages...),
			stdout, stderr); err != nil {
			return err
		}
		cmd = exec.Command(bin, g.program...)
		if module != nil {
			if err := module.leave(); err != nil {
				return err
			}
		}
	}
	recordings := filepath.Join(dir, "recordings")
	if err := os.Mkdir(recordings, 0o700); err != nil {
		return err
	}
	cmd.Env = append(cmd.Environ(), rt.EnvPath+"="+recordings)
	runErr := execute(cmd, stdout, stderr)
	err = out.write(recordings, stderr)
	if runErr != nil && err != nil { // the exit code is the program's
		fmt.Fprintln(stderr, "functrace:", err)
	}
	return cmp.Or(runErr, err)
}

// plainGo lets the go command report what is wrong with the code.
func plainGo(name string, g goArgs, stdout, stderr io.Writer) error {
	args := append([]string{"build", "-o", os.DevNull}, g.list...)
	if name == "test" {
		args = append([]string{"vet"}, g.list...)
	}
	return execute(exec.Command("go", append(args, g.packages...)...), stdout, stderr)
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
func execute(cmd *exec.Cmd, stdout, stderr io.Writer) error {
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, stdout, stderr
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
		fmt.Fprintln(stderr, "functrace: the program was ended by", exit)
		return exitError(exitFailed)
	}
	return err
}

// write converts the recordings in a folder.
func (o output) write(dir string, stderr io.Writer) (err error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.functrace"))
	if err != nil {
		return err
	}
	if len(files) == 0 {
		fmt.Fprintln(stderr, "functrace: no instrumented function was called")
		return nil
	}
	format := o.format
	if format == "" {
		format = "tree"
		if strings.HasSuffix(o.path, ".functrace") {
			format = "raw"
		}
	}
	var w io.Writer = stderr
	if o.path != "" {
		f, err := os.Create(o.path)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, f.Close()) }()
		w = f
	}
	if format == "raw" {
		for _, name := range files {
			f, err := os.Open(name)
			if err != nil {
				return err
			}
			_, err = io.Copy(w, f)
			if err = errors.Join(err, f.Close()); err != nil {
				return err
			}
		}
		return nil
	}
	procs, err := report.ReadFiles(files...)
	if err != nil {
		return err
	}
	return report.Write(w, procs, report.Format(format), o.tree)
}
