package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/octopus-framework/octopus/lab/internal/bench"
	"github.com/octopus-framework/octopus/lab/report"
	"github.com/octopus-framework/octopus/lab/worker"
	"github.com/octopus-framework/octopus/lab/workload"
)

const (
	reader    = "gremlin-reader"
	validated = "gremlin-reader-validate"
	message   = "gremlin-message"
)

// The names of what is measured with more heap.
var (
	unmarshalHeap = column{worker.Unmarshal, heapMiB}.String()
	marshalHeap   = column{worker.Marshal, heapMiB}.String()
)

// goals are how many times as fast as protobuf-go ours is to be. Zero is no goal.
var goals = []struct {
	workload                               string
	index, read2, readAll, append, marshal float64
}{
	{"Submit", 45, 30, 16, 5.5, 2.2},
	{"Deposit", 0, 90, 12, 9, 5.5},
	{"DeepNested", 300, 250, 70, 6, 3.2},
	{"TestAllTypes", 14, 0, 10, 6.5, 3.9},
	{"Timestamps10000", 0, 0, 3.8, 5, 4.5},
	{"PackedInt64x1000", 0, 0, 2.3, 1.5, 0},
	{"PackedDoublex1000", 0, 0, 4.5, 1.0, 0},
}

// printGoals prints what is to hold beside what was measured.
func printGoals(out io.Writer, all []report.Measurement) {
	fmt.Fprintf(out, "\ngoals: x protobuf-go, measured / wanted\n%-20s", "")
	ops := []string{worker.Index, worker.Read2, worker.ReadAll, worker.Append, worker.Marshal, marshalHeap}
	for _, op := range ops {
		fmt.Fprintf(out, " %20s", op)
	}
	fmt.Fprintln(out)
	for _, g := range goals {
		line := fmt.Sprintf("%-20s", g.workload)
		for i, want := range []float64{g.index, g.read2, g.readAll, g.append, g.marshal, g.marshal} {
			impl := reader
			if i >= 3 {
				impl = message
			}
			cell := ""
			op := ops[i]
			if g.workload == "DeepNested" && op == worker.ReadAll {
				op = worker.ReadPath // the goal is about one way down; no reader gets at every value that much faster
			}
			if x, ok := ratio(all, g.workload, op, baseline, impl); ok && want > 0 {
				cell = fmt.Sprintf("%s / %s %s", number(x), number(want), verdict(x >= want))
			}
			line += fmt.Sprintf(" %20s", cell)
		}
		fmt.Fprintln(out, strings.TrimRight(line, " "))
	}
	printRules(out, all, rules)
	printBeaten(out, all)
}

func verdict(ok bool) string {
	if ok {
		return "ok   "
	}
	return "SHORT"
}

// ratio is the time of a divided by that of b.
func ratio(all []report.Measurement, workload, op, a, b string) (float64, bool) {
	x, y := lookup(all, workload, op, a), lookup(all, workload, op, b)
	if x == nil || y == nil {
		return 0, false
	}
	return x.Ns / y.Ns, true
}

// rule is what holds on every workload, or on every one that it is about.
type rule struct {
	text  string
	want  float64
	ratio func(all []report.Measurement, workload string) (float64, bool)
}

// printRules prints for each rule where it holds least.
func printRules(out io.Writer, all []report.Measurement, rules []rule) {
	for _, rule := range rules {
		worst, where := math.Inf(1), ""
		for _, m := range all {
			if x, ok := rule.ratio(all, m.Workload); ok && x < worst {
				worst, where = x, m.Workload
			}
		}
		if where != "" {
			fmt.Fprintf(out, "%-62s at least %4s / %4s on %s %s\n", rule.text, number(worst), number(rule.want), where, verdict(worst >= rule.want))
		}
	}
}

// rules are the goals of protobuf that are about more than one workload.
var rules = []rule{
	{"Reader + CheckEncoding, read all: x Unmarshal of vtprotobuf-unsafe", 1, func(all []report.Measurement, w string) (float64, bool) {
		peer, ours := lookup(all, w, worker.Unmarshal, "vtprotobuf-unsafe"), lookup(all, w, worker.ReadAll, validated)
		if peer == nil || ours == nil {
			return 0, false
		}
		return peer.Ns / ours.Ns, true
	}},
	{"the same, x read all of vtprotobuf-unsafe with a used target", 1, func(all []report.Measurement, w string) (float64, bool) {
		return ratio(all, w, worker.ReadAll, "vtprotobuf-unsafe", validated)
	}},
	{"Reader + CheckEncoding, read all: x protobuf-go", 3.5, func(all []report.Measurement, w string) (float64, bool) {
		return ratio(all, w, worker.ReadAll, baseline, validated)
	}},
	{"Message.Unmarshal: x protobuf-go, with messages or strings", 2, unmarshalGoal(worker.Unmarshal)},
	{"the same with 64 MiB of heap", 2, unmarshalGoal(unmarshalHeap)},
	{"Message.Unmarshal: x vtprotobuf", 1, func(all []report.Measurement, w string) (float64, bool) {
		return ratio(all, w, worker.Unmarshal, "vtprotobuf", message)
	}},
	{"the same with 64 MiB of heap", 1, func(all []report.Measurement, w string) (float64, bool) {
		return ratio(all, w, unmarshalHeap, "vtprotobuf", message)
	}},
	{"out of order and unknown fields, read all: x protobuf-go", 3, func(all []report.Measurement, w string) (float64, bool) {
		if !strings.HasSuffix(w, "Reversed") && !strings.HasSuffix(w, "Unknown") {
			return 0, false
		}
		return ratio(all, w, worker.ReadAll, baseline, reader)
	}},
}

// unmarshalGoal is about workloads with messages or strings.
func unmarshalGoal(op string) func(all []report.Measurement, workload string) (float64, bool) {
	return func(all []report.Measurement, workload string) (float64, bool) {
		if slices.Contains([]string{"TenInts", "TenDoubles", "PackedInt64x1000", "PackedDoublex1000", "Blob1MiB"}, workload) {
			return 0, false
		}
		return ratio(all, workload, op, baseline, message)
	}
}

// printBeaten names each workload where a peer is more than a tenth faster than ours in what it reads or appends.
func printBeaten(out io.Writer, all []report.Measurement) {
	for _, m := range all {
		ours := reader
		if m.Op == worker.Append {
			ours = message
		} else if m.Op != worker.Read2 && m.Op != worker.ReadPath && m.Op != worker.ReadAll {
			continue
		}
		if strings.HasPrefix(m.Impl, "gremlin") || m.Impl == "floor" {
			continue
		}
		if x, ok := ratio(all, m.Workload, m.Op, m.Impl, ours); ok && x < 1/1.1 {
			fmt.Fprintf(out, "beaten by more than 10%%: %s %s: %s takes %s of our time\n", m.Workload, m.Op, m.Impl, number(x))
		}
	}
}

// scaling prints how much faster two goroutines are than one.
func scaling(r *bench.Runner, workloads []workload.Workload, o options) error {
	for _, w := range workloads {
		if w.Name != "Submit" && w.Name != "Deposit" {
			continue
		}
		ref, err := w.Reference(false)
		if err != nil {
			return err
		}
		for _, op := range []string{worker.ReadAll, worker.Append} {
			measured, _, err := r.Race(w, ref, op, bench.Settings{Rounds: o.rounds, Slice: 2 * o.slice, Goroutines: []int{1, 2},
				Only: []string{baseline, reader, message}})
			if err != nil {
				return err
			}
			for i, one := range measured {
				if one.Goroutines != 1 || one.Impl == message && op == worker.ReadAll {
					continue
				}
				two := measured[i+1]
				fmt.Printf("two goroutines: %s %s %s: %.2f times the messages of one (1.8 wanted of ours)\n", w.Name, op, one.Impl, one.Ns/two.Ns)
			}
		}
	}
	return nil
}
