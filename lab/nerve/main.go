// Command nerve measures package nerve beside other embedded logs and stores,
// and package sqllog beside other queues in databases, on servers that it
// starts, in one run and in turns, and writes the figures as JSON.
//
// Every engine gets the same events and makes each append durable before it
// returns. In each round all engines take their turn, in another order each
// time, and nerve is compared with the best peer of the same round; the medians
// over the rounds are reported. Absolute figures belong to the machine and the
// moment. Progress goes to the standard error.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

type config struct {
	dir     string
	rounds  int
	packs   int // of packSize events, in one round
	openGiB int
	farGiB  int
	long    time.Duration
	out     string
	limit   time.Duration
	pace    *pace    // of the part that runs
	engines []string // none: all
	parts   []string // none: all
}

// packSize is the number of events in a durable pack.
const packSize = 1000

type part struct {
	name  string
	share int // of the time
	run   func(config, string) ([]result, error)
}

var parts = []part{
	{"append", 4, bursts}, {"sustained", 4, sustained}, {"read", 6, reads}, {"single", 2, singles}, {"tail", 2, tailing}, {"open", 2, opening}, {"far", 2, far}, {"long", 2, long},
	{"kafka", 4, kafka}, {"sql", 5, sqlQueues},
}

func main() {
	var c config
	var chosen, only string
	flag.StringVar(&c.dir, "dir", "", "where to put the data (default: a temporary folder)")
	flag.IntVar(&c.rounds, "rounds", 5, "rounds, of which the median counts")
	flag.DurationVar(&c.limit, "time", 5*time.Minute, "how long all may take; of more than four rounds the rest is left out then")
	flag.IntVar(&c.packs, "packs", 200, "packs of 1000 events in one round")
	flag.IntVar(&c.openGiB, "open", 10, "size in GiB of the log whose opening is timed, 0 for none")
	flag.IntVar(&c.farGiB, "far", 2, "size in GiB of the log that a consumer reads from the disk beside a writer, 0 for none")
	flag.DurationVar(&c.long, "long", 10*time.Second, "how long each engine appends without a pause in the part of that name, 0 for none")
	flag.StringVar(&c.out, "out", "", "JSON file to write")
	quick := flag.Bool("quick", false, "in about a minute: -time 60s -open 0 -far 1 -long 5s")
	flag.StringVar(&chosen, "engines", "", "engines to run, with commas (default: all)")
	flag.StringVar(&only, "parts", "", "parts to run, with commas: append, sustained, read, single, tail, open, far, long, kafka, sql (default: all)")
	flag.Parse()
	if *quick {
		c.limit, c.openGiB, c.farGiB, c.long = time.Minute, 0, 1, 5*time.Second
	}
	err := choose(&c.engines, "engine", chosen, append(names(engines, func(e engineKind) string { return e.name }), append(names(sqlEngines, func(e sqlKind) string { return e.name }), kafkalogName)...))
	if err == nil {
		err = choose(&c.parts, "part", only, names(parts, func(p part) string { return p.name }))
	}
	if err == nil {
		err = run(c)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "lab/nerve:", err)
		os.Exit(1)
	}
}

// choose sets chosen to the names in text, which must be among those that there
// are.
func choose(chosen *[]string, what, text string, known []string) error {
	*chosen = strings.FieldsFunc(text, func(r rune) bool { return r == ',' })
	for _, name := range *chosen {
		if !slices.Contains(known, name) {
			return fmt.Errorf("no %s %q; there are: %s", what, name, strings.Join(known, ", "))
		}
	}
	return nil
}

func names[T any](list []T, name func(T) string) (all []string) {
	for _, e := range list {
		all = append(all, name(e))
	}
	return all
}

func run(c config) error {
	dir, err := os.MkdirTemp(c.dir, "lab-nerve-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var all []result
	chosen := parts
	if len(c.parts) > 0 {
		chosen = slices.DeleteFunc(slices.Clone(parts), func(p part) bool { return !slices.Contains(c.parts, p.name) })
	}
	shares := 0
	for _, p := range chosen {
		shares += p.share
	}
	until := time.Now().Add(c.limit)
	for _, p := range chosen {
		// What a part left over is for those after it.
		c.pace = newPace(p.name, time.Until(until)*time.Duration(p.share)/time.Duration(shares))
		shares -= p.share
		flush()
		results, err := p.run(c, filepath.Join(dir, p.name))
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		if err := os.RemoveAll(filepath.Join(dir, p.name)); err != nil {
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
