package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"time"

	"github.com/octopus-framework/octopus/lab/internal/bench"
	"github.com/octopus-framework/octopus/lab/jsonlab"
	"github.com/octopus-framework/octopus/lab/jsonlab/kit"
	"github.com/octopus-framework/octopus/lab/report"
	"github.com/octopus-framework/octopus/lab/worker"
	"github.com/octopus-framework/octopus/lab/workload"
)

// justJSON measures JSON alone: the summary on a terminal, and json.json, a raw file as that of full.
func justJSON(o options) error {
	res := report.Results{Date: time.Now().UTC().Format(time.RFC3339), Commit: commit(), Machine: machine(), Versions: map[string]string{}}
	if err := measureJSON(o, &res); err != nil {
		return err
	}
	progress("")
	if err := report.WriteSummary(os.Stdout, &res); err != nil {
		return err
	}
	named := slices.Clone(res.Measurements)
	for i, m := range named {
		named[i].Op = column{m.Op, m.BallastMiB}.String()
	}
	printRules(os.Stdout, named, jsonRules)
	return writeJSON(o.out, "json.json", res)
}

// jsonRules are the goals of JSON.
var jsonRules = []rule{
	{"encode: x protojson on Submit and Deposit", 8, wholeMessage(kit.Encode)},
	{"the same with 64 MiB of heap", 8, wholeMessage(column{kit.Encode, heapMiB}.String())},
	{"decode: x protojson on Submit and Deposit", 5, wholeMessage(kit.Decode)},
	{"the same with 64 MiB of heap", 5, wholeMessage(column{kit.Decode, heapMiB}.String())},
	{"encode: x sonic", 1, jsonGoal(kit.Encode, "sonic", message)},
	{"decode: x sonic", 1 / 1.3, jsonGoal(kit.Decode, "sonic", message)},
	{"decode: x encoding/json", 3, jsonGoal(kit.Decode, "encoding-json", message)},
	{"Reader.AppendJSON: x Message.Unmarshal and MarshalJSON", 1.5, jsonGoal(kit.FromWire, "gremlin-two-steps", reader)},
}

func jsonGoal(op, a, b string) func(all []report.Measurement, workload string) (float64, bool) {
	return func(all []report.Measurement, workload string) (float64, bool) { return ratio(all, workload, op, a, b) }
}

func wholeMessage(op string) func(all []report.Measurement, workload string) (float64, bool) {
	return func(all []report.Measurement, workload string) (float64, bool) {
		if workload != "Submit" && workload != "Deposit" {
			return 0, false
		}
		return ratio(all, workload, op, "protojson", message)
	}
}

var (
	jsonWorkers = []bench.Programs{{Dir: ".", Pattern: "./jsonlab/workers/..."}}
	jsonOrder   = []string{"protojson", "encoding-json", "json-v2", "jsoniter", "jsoniter-fastest", "sonic", "sonic-std", "easyjson", "gremlin-message",
		"gremlin-reader", "gremlin-two-steps", "gremlin-six-digits", "reference-binary"}
)

// measureJSON adds the group JSON to res.
func measureJSON(o options, res *report.Results) error {
	workloads, err := workload.Find(jsonlab.Workloads(), o.workloads)
	if err != nil {
		return err
	}
	l, err := bench.Of(jsonWorkers, jsonOrder, workloads)
	if err != nil {
		return err
	}
	defer l.Close()
	for _, i := range l.Impls {
		res.Versions[i.Name] = i.Version
		if i.Name == "encoding-json" {
			res.Versions[i.Name] = runtime.Version()
		}
	}
	if err := l.Select(o.impls); err != nil {
		return err
	}
	r := bench.NewRunner(l)
	defer r.Close()
	r.Group, r.Check = report.GroupJSON, checkJSON
	for i, w := range workloads {
		for _, op := range kit.Ops {
			if len(o.ops) > 0 && !slices.Contains(o.ops, op) {
				continue
			}
			settings := []bench.Settings{{Rounds: o.rounds, Slice: o.slice, Control: report.Baseline(report.GroupJSON)}}
			if op == kit.Encode || op == kit.Decode {
				// They allocate. A process with next to no heap collects its garbage every few milliseconds, and whether that
				// happens once or twice in a slice must not decide the figure.
				settings[0].Slice *= 4
				settings = append(settings, bench.Settings{Rounds: o.rounds, Slice: o.slice, BallastMiB: heapMiB})
			}
			for _, s := range settings {
				progress("JSON, %d of %d: %s %s", i+1, len(workloads), w.Name, column{op, s.BallastMiB})
				measured, control, err := r.Race(w, nil, op, s)
				if err != nil {
					return err
				}
				res.Measurements = append(res.Measurements, measured...)
				if control != nil {
					res.Control = append(res.Control, *control)
				}
			}
		}
	}
	res.Wrong = append(res.Wrong, r.Wrong...)
	return nil
}

// checkJSON is a bench.Runner's Check: it runs an operation once over the messages of w and compares with protojson and
// encoding/json.
func checkJSON(p *bench.Process, w workload.Workload, _ *workload.Reference, _, op string) (difference string, err error) {
	a, err := p.Do(worker.Request{Cmd: "check", Workload: w.Name, Op: op})
	var failed bench.Failed
	if errors.As(err, &failed) {
		return string(failed), nil
	} else if err != nil {
		return "", err
	}
	if len(a.Out) != len(w.Data) {
		return fmt.Sprintf("%d results of %d messages", len(a.Out), len(w.Data)), nil
	}
	for i, wire := range w.Data {
		if got, want := string(a.Out[i]), string(jsonlab.Reference(w.Type, wire)); got != want {
			return differing(got, want), nil
		}
	}
	return "", nil
}

// differing shows where two texts part.
func differing(got, want string) string {
	at := 0
	for at < min(len(got), len(want)) && got[at] == want[at] {
		at++
	}
	around := func(s string) string { return s[max(0, at-20):min(len(s), at+30)] }
	return fmt.Sprintf("got ...%s..., want ...%s...", around(got), around(want))
}
