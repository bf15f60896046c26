package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/octopus-framework/octopus/lab/internal/bench"
	"github.com/octopus-framework/octopus/lab/report"
	"github.com/octopus-framework/octopus/lab/worker"
	"github.com/octopus-framework/octopus/lab/workload"
)

// quickImpls are those that quick measures unless it is told others: ours, and the fastest of each kind of peer.
var quickImpls = []string{"protobuf-go", "vtprotobuf", "vtprotobuf-unsafe", "hyperpb", "hyperpb-pgo", "easyproto", "gremlin-reader",
	"gremlin-reader-validate", "gremlin-message", "gremlin-borrow", "gremlin-reuse", "gremlin-both"}

// quickOps are the operations of quick.
var quickOps = []string{worker.Index, worker.Unmarshal, worker.Reuse, worker.Read2, worker.ReadPath, worker.ReadAll, worker.Append, worker.Marshal}

// heapMiB is the heap that is in use, besides the default of next to none, where a race is run a second time. A process with
// no heap to speak of collects its garbage after every 4 MiB, thousands of times a second, which no service does; what all
// implementations do alike then takes most of the time of those that allocate.
const heapMiB = 64

// column is what is measured of a workload.
type column struct {
	op         string
	ballastMiB int
}

// String is how the column is named, and the op of its measurements in quick.json.
func (c column) String() string {
	if c.ballastMiB == 0 {
		return c.op
	}
	return fmt.Sprintf("%s+%dM", c.op, c.ballastMiB)
}

// defaultHeap returns a column for each operation.
func defaultHeap(ops []string) (all []column) {
	for _, op := range ops {
		all = append(all, column{op: op})
	}
	return all
}

// bothHeaps is defaultHeap with a second column for those operations that cannot but allocate.
func bothHeaps(ops []string) (all []column) {
	for _, c := range defaultHeap(ops) {
		all = append(all, c)
		if c.op == worker.Unmarshal || c.op == worker.Marshal {
			all = append(all, column{c.op, heapMiB})
		}
	}
	return all
}

// budget is how long the table of quick may take; building the worker and what comes after the table are beside it.
const budget = 130 * time.Second

// quick measures all made up workloads in less than four minutes.
func quick(o options) error {
	began := time.Now()
	workloads, err := workload.Find(workload.Made(), o.workloads)
	if err != nil {
		return err
	}
	l, err := bench.New(false, workloads)
	if err != nil {
		return err
	}
	defer l.Close()
	if len(o.impls) == 0 {
		o.impls = quickImpls
	}
	if err := l.Select(o.impls); err != nil {
		return err
	}
	if len(o.ops) == 0 {
		o.ops = quickOps
	}
	r := bench.NewRunner(l)
	defer r.Close()
	fmt.Println(describe(l))

	columns := bothHeaps(o.ops)
	start, race, races := time.Now(), 0, len(workloads)*len(columns)
	var all []report.Measurement
	for i, w := range workloads {
		ref, err := w.Reference(false)
		if err != nil {
			return err
		}
		var ofThis []report.Measurement
		for _, c := range columns {
			progress("%d of %d: %s %s", i+1, len(workloads), w.Name, c)
			// On a machine that is busy with other things, shorter slices rather than a longer run.
			share := (budget - time.Since(start)) / time.Duration(races-race)
			slice := max(min(o.slice, share/time.Duration((o.rounds+2)*len(l.Impls))), o.slice/16)
			race++
			measured, _, err := r.Race(w, ref, c.op, bench.Settings{Rounds: o.rounds, Slice: slice, BallastMiB: c.ballastMiB})
			if err != nil {
				return err
			}
			for i := range measured {
				measured[i].Op = c.String()
			}
			ofThis = append(ofThis, measured...)
		}
		progress("")
		printTable(os.Stdout, w, columns, ofThis)
		all = append(all, ofThis...)
	}
	for _, w := range r.Wrong {
		fmt.Printf("WRONG and not timed: %s %s of %s: %s\n", w.Impl, w.Op, w.Workload, w.Difference)
	}
	printGoals(os.Stdout, all)
	if err := scaling(r, workloads, o); err != nil {
		return err
	}
	var lines []report.Quick
	for _, m := range all {
		lines = append(lines, report.Quick{Workload: m.Workload, Op: m.Op, Impl: m.Impl, Ns: m.Ns, Bytes: m.Bytes, Allocs: m.Allocs, Rounds: m.Rounds})
	}
	fmt.Printf("took %v\n", time.Since(began).Round(time.Second))
	return writeJSON(o.out, "quick.json", lines)
}

// baseline is whose time is divided by those of the others.
const baseline = "protobuf-go"

func lookup(all []report.Measurement, workload, op, impl string) *report.Measurement {
	for i := range all {
		if m := &all[i]; m.Workload == workload && m.Op == op && m.Impl == impl {
			return m
		}
	}
	return nil
}

// printTable prints one workload: a line for each implementation, and for each operation ns, how many times as fast as
// protobuf-go, and allocations.
func printTable(out io.Writer, w workload.Workload, columns []column, all []report.Measurement) {
	fmt.Fprintf(out, "\n%s, %d bytes: ns, x protobuf-go, allocations\n%-24s", w.Name, w.Size(), "")
	for _, c := range columns {
		fmt.Fprintf(out, " %21s", c)
	}
	fmt.Fprintln(out)
	var impls []string
	for _, m := range all {
		if !slices.Contains(impls, m.Impl) {
			impls = append(impls, m.Impl)
		}
	}
	slices.SortFunc(impls, func(a, b string) int { return slices.Index(bench.Order, a) - slices.Index(bench.Order, b) })
	for _, impl := range impls {
		line := fmt.Sprintf("%-24s", impl)
		for _, c := range columns {
			cell := ""
			if m := lookup(all, w.Name, c.String(), impl); m != nil {
				cell = number(m.Ns)
				if b := lookup(all, w.Name, c.String(), baseline); b != nil {
					cell += fmt.Sprintf(" %6sx", number(b.Ns/m.Ns))
				}
				cell += fmt.Sprintf(" %4.0f", m.Allocs)
			}
			line += fmt.Sprintf(" %21s", cell)
		}
		fmt.Fprintln(out, strings.TrimRight(line, " "))
	}
}

// number prints three digits or more.
func number(x float64) string {
	switch {
	case x >= 100:
		return fmt.Sprintf("%.0f", x)
	case x >= 10:
		return fmt.Sprintf("%.1f", x)
	default:
		return fmt.Sprintf("%.2f", x)
	}
}
