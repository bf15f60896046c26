package main

import (
	"fmt"
	"slices"
	"time"
)

// result is one line of the output. The ratios are medians of the ratios of
// single rounds, so that a slow moment of the machine, which hits all engines of
// a round, cancels out.
type result struct {
	Engine string  `json:"engine"`
	Op     string  `json:"op"`
	Rate   float64 `json:"msgs_per_s"`
	P50    float64 `json:"p50_us"`
	P99    float64 `json:"p99_us"`

	OfBest   float64 `json:"x_best_peer,omitempty"`    // the best of tidwall/wal, bbolt and pebble; franz-go for kafkalog
	OfFloor  float64 `json:"x_floor,omitempty"`        // of what disk and memory give, see floor.go
	OfAlone  float64 `json:"x_writer_alone,omitempty"` // of the writer without consumers
	OfWriter float64 `json:"x_writer,omitempty"`       // of the writer that is followed
	CPU      float64 `json:"cpu_ns_per_msg,omitempty"` // of the process
	// OfOriginal is beside the original design on the same server, see sql.go.
	OfOriginal float64 `json:"x_original,omitempty"`
	Allocs     float64 `json:"allocs_per_msg,omitempty"`
}

func (r result) String() string {
	line := fmt.Sprintf("%-14s %-24s %12.0f msg/s", r.Engine, r.Op, r.Rate)
	if r.P99 > 0 {
		line += fmt.Sprintf("   p50 %9.1f us   p99 %9.1f us", r.P50, r.P99)
	}
	for _, x := range []struct {
		ratio float64
		of    string
	}{{r.OfBest, "best peer"}, {r.OfFloor, "floor"}, {r.OfAlone, "alone"}, {r.OfWriter, "writer"}, {r.OfOriginal, "original"}} {
		if x.ratio > 0 {
			line += fmt.Sprintf("   %.2fx %s", x.ratio, x.of)
		}
	}
	if r.CPU > 0 {
		line += fmt.Sprintf("   cpu %.0f ns/msg", r.CPU)
	}
	if r.Allocs >= 0.0005 {
		line += fmt.Sprintf("   %.3f allocs/msg", r.Allocs)
	}
	return line
}

// sample collects an operation over the rounds: one rate a round, and the time
// of each call.
type sample struct {
	rates  []float64
	times  []time.Duration
	msgs   int
	allocs uint64
	cpu    time.Duration // of the process, meanwhile
}

func (s *sample) add(msgs int, took time.Duration, times []time.Duration) {
	s.rates = append(s.rates, float64(msgs)/took.Seconds())
	s.times = append(s.times, times...)
	s.msgs += msgs
}

func (s *sample) result(engine, op string) result {
	slices.Sort(s.times)
	at := func(part float64) float64 {
		if len(s.times) == 0 {
			return 0
		}
		return float64(s.times[int(part*float64(len(s.times)-1))].Nanoseconds()) / 1e3
	}
	r := result{Engine: engine, Op: op, Rate: median(s.rates), P50: at(0.5), P99: at(0.99)}
	if s.msgs > 0 {
		r.Allocs = float64(s.allocs) / float64(s.msgs)
		r.CPU = float64(s.cpu) / float64(s.msgs)
	}
	return r
}

func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// over is the median of the ratio of s to the best of others, round by round.
func (s *sample) over(others ...*sample) float64 {
	var ratios []float64
	for round, rate := range s.rates {
		best := 0.0
		for _, o := range others {
			if round < len(o.rates) {
				best = max(best, o.rates[round])
			}
		}
		if best > 0 {
			ratios = append(ratios, rate/best)
		}
	}
	return median(ratios)
}

// table is the samples of one operation by engine.
type table map[string]*sample

func (t table) of(engine string) *sample {
	if t[engine] == nil {
		t[engine] = new(sample)
	}
	return t[engine]
}

// results returns the lines of one operation, in the order of the engines, that
// of nerve with its ratios.
func (t table) results(op string) []result {
	var peers []*sample
	for _, e := range engines {
		if e.rival && t[e.name] != nil {
			peers = append(peers, t[e.name])
		}
	}
	var list []result
	for _, e := range engines {
		s := t[e.name]
		if s == nil {
			continue
		}
		r := s.result(e.name, op)
		if e.name == nerveName {
			r.OfBest = s.over(peers...)
			if t[floorName] != nil {
				r.OfFloor = s.over(t[floorName])
			}
		}
		list = append(list, r)
	}
	return list
}
