package main

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"time"

	"github.com/octopus-framework/octopus/lab/internal/bench"
	"github.com/octopus-framework/octopus/lab/report"
	"github.com/octopus-framework/octopus/lab/worker"
	"github.com/octopus-framework/octopus/lab/workload"
)

// full measures everything and writes results.json, and of it the page and the summary.
func full(o options) error {
	began := time.Now()
	all, err := workload.All(o.corpora)
	if err != nil {
		return err
	}
	workloads, err := workload.Find(all, o.workloads)
	if err != nil {
		return err
	}
	l, err := bench.New(true, workloads)
	if err != nil {
		return err
	}
	defer l.Close()
	if err := l.Select(o.impls); err != nil {
		return err
	}
	if len(o.ops) == 0 {
		o.ops = worker.Ops
	}
	fmt.Println(describe(l))
	if len(all) == len(workload.Made()) {
		fmt.Printf("no real data: there is no %s\n", o.corpora)
	}
	res := report.Results{Date: began.UTC().Format(time.RFC3339), Commit: commit(), Machine: machine(), Versions: versions(l)}
	r := bench.NewRunner(l)
	defer r.Close()
	if err := grid(r, workloads, o, &res); err != nil {
		return err
	}
	if len(o.workloads)+len(o.impls) == 0 && len(o.ops) == len(worker.Ops) { // names are chosen among those of protobuf
		if err := measureJSON(options{rounds: o.rounds, slice: o.slice}, &res); err != nil {
			return err
		}
	}
	if err := sweeps(l, r, o, &res); err != nil {
		return err
	}
	if err := memory(l, workloads, &res); err != nil {
		return err
	}
	if res.Sizes, err = sizes(); err != nil {
		return err
	}
	progress("")
	res.Wrong = append(res.Wrong, r.Wrong...)
	for _, w := range res.Wrong {
		fmt.Printf("WRONG and not timed: %s %s of %s: %s\n", w.Impl, w.Op, w.Workload, w.Difference)
	}
	printGoals(os.Stdout, slices.DeleteFunc(slices.Clone(res.Measurements), func(m report.Measurement) bool {
		return m.Goroutines > 1 || m.BallastMiB > 0
	}))
	fmt.Printf("took %v\n", time.Since(began).Round(time.Second))
	if err := writeJSON(o.out, "results.json", res); err != nil {
		return err
	}
	paths, err := report.WriteFiles(o.out, &res)
	for _, path := range paths {
		fmt.Println("wrote", path)
	}
	return err
}

// grid measures all workloads, operations and implementations: with one goroutine, two and as many as there are CPUs, and
// with a heap that is larger by 64 MiB. The others are shorter than the first.
func grid(r *bench.Runner, workloads []workload.Workload, o options, res *report.Results) error {
	short := max(1, o.rounds/2)
	settings := []bench.Settings{{Rounds: o.rounds, Slice: o.slice, Goroutines: []int{1}}}
	for _, g := range slices.Compact([]int{2, max(2, runtime.GOMAXPROCS(0))}) {
		settings = append(settings, bench.Settings{Rounds: short, Slice: o.slice, Goroutines: []int{g}})
	}
	settings = append(settings, bench.Settings{Rounds: short, Slice: o.slice, Goroutines: []int{1}, BallastMiB: 64})
	for i, w := range workloads {
		ref, err := w.Reference(false)
		if err != nil {
			return err
		}
		first := len(res.Measurements)
		for _, op := range o.ops {
			for j, s := range settings {
				progress("%d of %d: %s %s, %d goroutines, %d MiB more", i+1, len(workloads), w.Name, op, s.Goroutines[0], s.BallastMiB)
				if j == 0 {
					s.Control = baseline
					if op == worker.ReadAll {
						s.Control = reader
					} else if op == worker.Append {
						s.Control = message
					}
				}
				measured, control, err := r.Race(w, ref, op, s)
				if err != nil {
					return err
				}
				res.Measurements = append(res.Measurements, measured...)
				if control != nil {
					res.Control = append(res.Control, *control)
				}
			}
		}
		progress("")
		printTable(os.Stdout, w, defaultHeap(o.ops), res.Measurements[first:])
	}
	return nil
}

// sweeps measures how time depends on depth, fields and bytes.
func sweeps(l *bench.Lab, r *bench.Runner, o options, res *report.Results) error {
	ops := []string{worker.Unmarshal, worker.ReadAll, worker.Append}
	found := map[[2]string]*report.Sweep{}
	var order [][2]string
	steps := workload.Sweep()
	for i, step := range steps {
		if err := l.Add(step.Workload); err != nil {
			return err
		}
		ref, err := step.Reference(false)
		if err != nil {
			return err
		}
		for _, op := range ops {
			progress("sweep %d of %d: %s %s", i+1, len(steps), step.Name, op)
			measured, _, err := r.Race(step.Workload, ref, op, bench.Settings{Rounds: o.rounds, Slice: o.slice})
			if err != nil {
				return err
			}
			for _, m := range measured {
				key := [2]string{m.Impl, op}
				if found[key] == nil {
					found[key] = &report.Sweep{Impl: m.Impl, Op: op}
					order = append(order, key)
				}
				p := step.Point
				p.Ns = m.Ns
				found[key].Points = append(found[key].Points, p)
			}
		}
	}
	for _, key := range order {
		if s := found[key]; len(s.Points) == len(steps) { // the others lack the wide messages
			res.Sweeps = append(res.Sweeps, *s)
		}
	}
	return nil
}

// memory has a fresh process for each implementation do a million messages.
func memory(l *bench.Lab, workloads []workload.Workload, res *report.Results) error {
	const messages = 1e6
	for _, w := range workloads {
		if w.Name != "Submit" && w.Name != "Deposit1024" {
			continue
		}
		for _, op := range []string{worker.ReadAll, worker.Marshal} {
			for _, i := range l.Impls {
				if !slices.Contains(i.Types[w.Type], op) {
					continue
				}
				progress("memory: %s %s %s", w.Name, op, i.Name)
				p, err := l.Start(i)
				if err != nil {
					return err
				}
				a, err := p.Do(worker.Request{Cmd: "run", Workload: w.Name, Op: op, Iterations: messages})
				if err != nil {
					return err
				}
				if err := p.Close(); err != nil {
					return err
				}
				res.RSS = append(res.RSS, report.RSS{Impl: i.Name, Workload: w.Name, Op: op, PeakBytes: a.PeakBytes})
			}
		}
	}
	return nil
}
