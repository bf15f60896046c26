// Command nerve measures package nerve beside other embedded logs and stores,
// in one run and in turns, and writes the figures as JSON.
//
// Ratios between engines of one run mean something; absolute figures belong to
// the machine and the moment.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// result is one line of the output.
type result struct {
	Engine string  `json:"engine"`
	Op     string  `json:"op"`
	Rate   float64 `json:"msgs_per_s"`
	P50    float64 `json:"p50_us"`
	P99    float64 `json:"p99_us"`
}

type config struct {
	dir     string
	rounds  int
	packs   int // of packSize events, in one round
	openGiB int
	out     string
}

// packSize is the number of events in a durable pack.
const packSize = 1000

func main() {
	var c config
	flag.StringVar(&c.dir, "dir", "", "where to put the data (default: a temporary folder)")
	flag.IntVar(&c.rounds, "rounds", 7, "rounds, of which the median counts")
	flag.IntVar(&c.packs, "packs", 100, "packs of 1000 events in one round")
	flag.IntVar(&c.openGiB, "open", 10, "size in GiB of the log whose opening is timed, 0 for none")
	flag.StringVar(&c.out, "out", "", "JSON file to write")
	flag.Parse()
	if err := run(c); err != nil {
		fmt.Fprintln(os.Stderr, "lab/nerve:", err)
		os.Exit(1)
	}
}

func run(c config) error {
	dir, err := os.MkdirTemp(c.dir, "lab-nerve-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var all []result
	for _, part := range []func(config, string) ([]result, error){compareEngines, singles, tailing, opening} {
		results, err := part(c, dir)
		if err != nil {
			return err
		}
		for _, r := range results {
			fmt.Printf("%-14s %-22s %12.0f msg/s   p50 %10.1f us   p99 %10.1f us\n", r.Engine, r.Op, r.Rate, r.P50, r.P99)
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

// sample collects the times of an operation over the rounds.
type sample struct {
	rates []float64
	times []time.Duration
}

func (s *sample) add(events int, took time.Duration, times []time.Duration) {
	s.rates = append(s.rates, float64(events)/took.Seconds())
	s.times = append(s.times, times...)
}

func (s *sample) result(engine, op string) result {
	slices.Sort(s.rates)
	slices.Sort(s.times)
	at := func(part float64) float64 {
		if len(s.times) == 0 {
			return 0
		}
		return float64(s.times[int(part*float64(len(s.times)-1))].Nanoseconds()) / 1e3
	}
	return result{Engine: engine, Op: op, Rate: s.rates[len(s.rates)/2], P50: at(0.5), P99: at(0.99)}
}
