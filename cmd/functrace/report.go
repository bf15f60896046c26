package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/octopus-framework/octopus/internal/cli/exitcode"
	"github.com/octopus-framework/octopus/internal/trace/report"
)

// readRecordings reads the recordings that are named and says what they lack.
func readRecordings(paths []string, stderr io.Writer) ([]*report.Process, error) {
	procs, err := report.ReadFiles(paths...)
	for _, p := range procs {
		if p.Dropped > 0 {
			fmt.Fprintf(stderr, "functrace: %s (process %d): %d events were dropped\n", p.Program,
				p.PID, p.Dropped)
		}
		for _, d := range p.Damage {
			fmt.Fprintf(stderr, "functrace: %v; the rest is read\n", d)
		}
	}
	return procs, err
}

// reportCommand is report.
func reportCommand(args []string, stdout, stderr io.Writer) error {
	fs := newFlags("report", stderr)
	name := fs.String("func", "",
		"show the chains that reached this function: its full `name` or the end of it, D or T.M")
	format := fs.String("format", "",
		"with --func: text or json; else "+report.FormatNames+" (default tree)")
	var o report.WriteOptions
	treeFlags(fs, &o)
	if err := parse(fs, args); err != nil {
		return err
	}
	if fs.NArg() == 0 {
		return fmt.Errorf("%w: functrace report [flags] recording ...", errUsage)
	}
	procs, err := readRecordings(fs.Args(), stderr)
	if err != nil {
		return err
	}
	if *name == "" {
		return report.Write(stdout, procs, report.Format(cmp.Or(*format, "tree")), o)
	}
	chains, err := report.Chains(procs, *name)
	if err != nil {
		return err
	}
	return writeList(stdout, *format, chains, report.WriteChains)
}

// treeFlags are the flags that say how the tree is written.
func treeFlags(fs *flag.FlagSet, o *report.WriteOptions) {
	fs.BoolVar(&o.Durations, "durations", false, "tree: show the time of each call")
	fs.DurationVar(&o.MinDuration, "min-duration", 0,
		"tree: leave out calls that took less `time`, and what they called")
	fs.BoolVar(&o.Unfolded, "unfolded", false,
		"tree: show each call by itself, also calls in a row that look alike")
	fs.Func("sort", "tree: the calls of a call by `start` (the default) or time, the slowest first",
		func(s string) error {
			if s != "start" && s != "time" {
				return errors.New("start or time")
			}
			o.SlowestFirst = s == "time"
			return nil
		})
}

// writeList writes results as text, which the function does, or as JSON.
func writeList[T any](w io.Writer, format string, list []T, text func(io.Writer, []T) error) error {
	switch format {
	case "", "text":
		return text(w, list)
	case "json":
		return json.NewEncoder(w).Encode(list)
	}
	return fmt.Errorf("%w: the format is text or json", errUsage)
}

// topCommand is top.
func topCommand(args []string, stdout, stderr io.Writer) error {
	fs := newFlags("top", stderr)
	order := fs.String("sort", "self", "calls, total, self, p50, p99, failed or name")
	limit := fs.Int("n", 30, "show at most `n` functions; 0 shows all")
	format := fs.String("format", "", "text or json (default text)")
	if err := parse(fs, args); err != nil {
		return err
	}
	if fs.NArg() == 0 {
		return fmt.Errorf("%w: functrace top [flags] recording ...", errUsage)
	}
	procs, err := readRecordings(fs.Args(), stderr)
	if err != nil {
		return err
	}
	list, err := report.Functions(procs, *order)
	if err != nil {
		return fmt.Errorf("%w: %w", errUsage, err)
	}
	shown := list
	if *limit > 0 {
		shown = list[:min(*limit, len(list))]
	}
	if err := writeList(stdout, *format, shown, report.WriteFunctions); err != nil {
		return err
	}
	if left := len(list) - len(shown); left > 0 {
		fmt.Fprintf(stderr, "functrace: %d more functions; -n 0 shows all\n", left)
	}
	return nil
}

// diffCommand is diff. It exits with 1 when there are differences, as diff does.
func diffCommand(args []string, stdout, stderr io.Writer) error {
	fs := newFlags("diff", stderr)
	format := fs.String("format", "", "text or json (default text)")
	if err := parse(fs, args); err != nil {
		return err
	}
	if fs.NArg() != 2 {
		return fmt.Errorf("%w: functrace diff [flags] good bad", errUsage)
	}
	good, err := readRecordings(fs.Args()[:1], stderr)
	if err != nil {
		return err
	}
	bad, err := readRecordings(fs.Args()[1:], stderr)
	if err != nil {
		return err
	}
	list := report.Diff(good, bad)
	if err := writeList(stdout, *format, list, report.WriteDiff); err != nil {
		return err
	}
	if len(list) > 0 {
		return exitError(exitcode.Failed)
	}
	return nil
}

// viewCommand is view.
func viewCommand(args []string, stdout, stderr io.Writer) error {
	fs := newFlags("view", stderr)
	path := fs.String("o", "functrace.html", "write the page to this `file`")
	if err := parse(fs, args); err != nil {
		return err
	}
	if fs.NArg() == 0 {
		return fmt.Errorf("%w: functrace view [-o page.html] recording ...", errUsage)
	}
	procs, err := readRecordings(fs.Args(), stderr)
	if err != nil {
		return err
	}
	f, err := os.Create(*path)
	if err != nil {
		return err
	}
	left, err := report.WritePage(f, procs)
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if left > 0 {
		fmt.Fprintf(stderr, "functrace: the page counts all calls; its tree shows %d and lacks %d\n",
			report.MaxPageCalls, left)
	}
	fmt.Fprintln(stdout, "open", *path, "in a browser")
	return nil
}
