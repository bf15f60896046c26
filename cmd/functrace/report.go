package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/octopus-framework/octopus/functrace/report"
)

// reportCommand is report.
func reportCommand(args []string, stdout, stderr io.Writer) error {
	fs := newFlags("report", stderr)
	name := fs.String("func", "", "show the chains that reached this function: its full `name` or the end of it, D or T.M")
	format := fs.String("format", "", "with --func: text or json; else tree, trace-event, folded, json (default tree)")
	durations := fs.Bool("durations", false, "show the time of each call in the tree")
	if err := parse(fs, args); err != nil {
		return err
	}
	if fs.NArg() == 0 {
		return fmt.Errorf("%w: functrace report [flags] recording ...", errUsage)
	}
	procs, err := report.ReadFiles(fs.Args()...)
	if err != nil {
		return err
	}
	for _, p := range procs {
		if p.Dropped > 0 {
			fmt.Fprintf(stderr, "functrace: %s (process %d): %d events were dropped\n", p.Program, p.PID, p.Dropped)
		}
	}
	if *name == "" {
		if *format == "" {
			*format = "tree"
		}
		return report.Write(stdout, procs, report.Format(*format), report.WriteOptions{Durations: *durations})
	}
	chains, err := report.Chains(procs, *name)
	if err != nil {
		return err
	}
	switch *format {
	case "", "text":
		return report.WriteChains(stdout, chains)
	case "json":
		return json.NewEncoder(stdout).Encode(chains)
	}
	return fmt.Errorf("%w: with --func the format is text or json", errUsage)
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
	procs, err := report.ReadFiles(fs.Args()...)
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
		fmt.Fprintf(stderr, "functrace: the page shows the first %d calls; %d more are left out\n", report.MaxPageCalls, left)
	}
	fmt.Fprintln(stdout, "open", *path, "in a browser")
	return nil
}
