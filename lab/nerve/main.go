// Command nerve measures package nerve beside other embedded logs and stores,
// in one run and in turns, and writes the figures as JSON.
//
// Every engine gets the same events and makes each append durable before it
// returns. In each round all engines take their turn, in another order each
// time, and nerve is compared with the best peer of the same round; the medians
// over the rounds are reported. Absolute figures belong to the machine and the
// moment.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

type config struct {
	dir     string
	rounds  int
	packs   int // of packSize events, in one round
	openGiB int
	out     string
	engines []string // none: all
	parts   []string // none: all
}

// packSize is the number of events in a durable pack.
const packSize = 1000

var parts = []struct {
	name string
	run  func(config, string) ([]result, error)
}{
	{"append", bursts}, {"sustained", sustained}, {"read", reads}, {"single", singles}, {"tail", tailing}, {"open", opening},
}

func main() {
	var c config
	var chosen, only string
	flag.StringVar(&c.dir, "dir", "", "where to put the data (default: a temporary folder)")
	flag.IntVar(&c.rounds, "rounds", 7, "rounds, of which the median counts")
	flag.IntVar(&c.packs, "packs", 200, "packs of 1000 events in one round")
	flag.IntVar(&c.openGiB, "open", 10, "size in GiB of the log whose opening is timed, 0 for none")
	flag.StringVar(&c.out, "out", "", "JSON file to write")
	flag.StringVar(&chosen, "engines", "", "engines to run, with commas (default: all)")
	flag.StringVar(&only, "parts", "", "parts to run, with commas: append, sustained, read, single, tail, open (default: all)")
	flag.Parse()
	c.engines, c.parts = list(chosen), list(only)
	if err := run(c); err != nil {
		fmt.Fprintln(os.Stderr, "lab/nerve:", err)
		os.Exit(1)
	}
}

func list(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' })
}

func run(c config) error {
	dir, err := os.MkdirTemp(c.dir, "lab-nerve-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var all []result
	for _, part := range parts {
		if len(c.parts) > 0 && !slices.Contains(c.parts, part.name) {
			continue
		}
		results, err := part.run(c, filepath.Join(dir, part.name))
		if err != nil {
			return fmt.Errorf("%s: %w", part.name, err)
		}
		if err := os.RemoveAll(filepath.Join(dir, part.name)); err != nil {
			return err
		}
		for _, r := range results {
			fmt.Println(r)
		}
		all = append(all, results...)
	}
	if c.out == "" {
		return nil
	}
	text, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(c.out), 0o755); err != nil {
		return err
	}
	return os.WriteFile(c.out, append(text, '\n'), 0o644)
}
