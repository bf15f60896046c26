package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"

	"github.com/octopus-framework/octopus/internal/trace/report"
)

const blameUsage = "functrace blame [flags] good ... -- bad ... or " +
	"functrace blame --case NAME recording ..."

// errOneKind says that there is nothing to compare.
var errOneKind = errors.New("there must be good cases and bad ones")

// blameCommand is blame.
func blameCommand(args []string, stdout, stderr io.Writer) error {
	fs := newFlags("blame", stderr)
	name := fs.String("case", "", "each call of a function that matches this expression is a case, "+
		"good or bad as it ends; without it each process is")
	limit := fs.Int("n", 10, "show at most `n` suspects; 0 shows all")
	format := fs.String("format", "", "text or json, which is a line for each (default text)")
	var bad []string
	if i := slices.Index(args, "--"); i >= 0 {
		args, bad = args[:i], args[i+1:]
	}
	if err := parse(fs, args); err != nil {
		return err
	}
	if *format != "" && *format != "text" && *format != "json" {
		return fmt.Errorf("%w: the format is text or json", errUsage)
	}
	if fs.NArg() == 0 || (*name == "") != (len(bad) > 0) {
		return fmt.Errorf("%w: %s", errUsage, blameUsage)
	}
	cases, err := blameCases(fs.Args(), bad, *name, stderr)
	if err != nil {
		return err
	}
	list := report.Blame(cases)
	if *limit > 0 {
		list = list[:min(*limit, len(list))]
	}
	if *format != "json" {
		return report.WriteSuspects(stdout, list)
	}
	lines := json.NewEncoder(stdout)
	for _, s := range list {
		if err := lines.Encode(s); err != nil {
			return err
		}
	}
	return nil
}

// blameCases reads the cases.
func blameCases(good, bad []string, name string, stderr io.Writer) (cases []report.Case,
	err error) {
	procs, err := readRecordings(good, stderr)
	if err != nil {
		return nil, err
	}
	if name != "" {
		re, err := regexp.Compile(name)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", errUsage, err)
		}
		cases = report.CallCases(procs, re)
	} else {
		badProcs, err := readRecordings(bad, stderr)
		if err != nil {
			return nil, err
		}
		cases = append(report.ProcessCases(procs, false), report.ProcessCases(badProcs, true)...)
	}
	isBad := func(c report.Case) bool { return c.Bad }
	isGood := func(c report.Case) bool { return !c.Bad }
	if !slices.ContainsFunc(cases, isBad) || !slices.ContainsFunc(cases, isGood) {
		return nil, errOneKind
	}
	return cases, nil
}
