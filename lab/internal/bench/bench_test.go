package bench_test

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/octopus-framework/octopus/internal/oracle"
	"github.com/octopus-framework/octopus/lab/internal/bench"
	"github.com/octopus-framework/octopus/lab/report"
	"github.com/octopus-framework/octopus/lab/worker"
	"github.com/octopus-framework/octopus/lab/workload"
)

// TestMain works where the programs of the lab do, in the folder of the module.
func TestMain(m *testing.M) {
	if err := os.Chdir("../.."); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// known is how peers differ from google.golang.org/protobuf, by implementation and workload.
var known = map[string][]string{
	"hyperpb-pgo": {"TestAllTypes", "TestAllTypesNegative", "Pprof", "VectorTiles", "OsmBlocks"}, // lists of strings
	"easyproto":   {"TestAllTypesNegative", "SubmitUnknown", "DepositUnknown"},                   // int32 in ten bytes; unknown fields
	"gogo-faster": {"SubmitUnknown", "DepositUnknown"},                                           // unknown fields
	"gogo-slick":  {"SubmitUnknown", "DepositUnknown"},
}

// TestPeersAgree checks every implementation on every workload with every operation. Ours is never wrong; how the others
// are wrong is known.
func TestPeersAgree(t *testing.T) {
	workloads, err := workload.All("../../shared/corpora")
	if err != nil {
		t.Fatal(err)
	}
	if len(workloads) == len(workload.Made()) {
		oracle.Missing(t, "shared", "no real data: there is no ../../shared/corpora")
	}
	for n := len(workload.Made()); n < len(workloads); n++ {
		workloads[n].Data = workloads[n].Data[:1] // enough, and soon done
	}
	l, err := bench.New(true, workloads)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if len(l.Impls) != len(bench.Order) {
		t.Errorf("%d implementations, but %d have a place in reports", len(l.Impls), len(bench.Order))
	}
	references := map[string]*workload.Reference{}
	for _, w := range workloads {
		if references[w.Name], err = w.Reference(false); err != nil {
			t.Fatal(err)
		}
	}
	found := map[[2]string]string{}
	for _, i := range l.Impls {
		p, err := l.Start(i)
		if err != nil {
			t.Fatal(err)
		}
		checks := 0
		for n, w := range workloads {
			for _, op := range i.Types[w.Type] {
				if real := n >= len(workload.Made()); real && !slices.Contains([]string{worker.Reuse, worker.ReadAll, worker.PassThrough}, op) {
					continue // they are large
				}
				difference, err := bench.Check(p, w, references[w.Name], i.Name, op)
				if err != nil {
					t.Fatalf("%s %s %s: %v", i.Name, w.Name, op, err)
				}
				checks++
				if difference != "" {
					found[[2]string{i.Name, w.Name}] = op + ": " + difference
				}
			}
		}
		if checks < 20 {
			t.Errorf("%s: only %d checks", i.Name, checks)
		}
		if err := p.Close(); err != nil {
			t.Errorf("%s: %v", i.Name, err)
		}
	}
	for impl, names := range known {
		for _, name := range names {
			key := [2]string{impl, name}
			if _, there := references[name]; there && found[key] == "" {
				t.Errorf("%s is no longer wrong on %s", impl, name)
			}
			delete(found, key)
		}
	}
	for key, difference := range found {
		t.Errorf("%s on %s: %s", key[0], key[1], difference)
	}
}

// few are the workers of tests that do not need all, which take seconds to be linked.
var few = []bench.Programs{{Dir: ".", Pattern: "./workers/google"}, {Dir: ".", Pattern: "./workers/gremlinmessage"}, {Dir: ".", Pattern: "./workers/gremlinreader"}}

// TestRace measures a little and looks whether the figures can be true.
func TestRace(t *testing.T) {
	w, err := workload.Find(workload.Made(), []string{"Submit"})
	if err != nil {
		t.Fatal(err)
	}
	l, err := bench.Of(few, bench.Order, w)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := l.Select([]string{"protobuf-go", "gremlin-reader"}); err != nil {
		t.Fatal(err)
	}
	ref, err := w[0].Reference(false)
	if err != nil {
		t.Fatal(err)
	}
	r := bench.NewRunner(l)
	defer r.Close()
	const rounds = 3
	all, control, err := r.Race(w[0], ref, "readall", bench.Settings{Rounds: rounds, Slice: time.Millisecond, Goroutines: []int{2}, Control: "gremlin-reader"})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 2 || control == nil || control.Impl != "gremlin-reader" || control.NsB <= 0 {
		t.Fatalf("measured %+v, control %+v", all, control)
	}
	for _, m := range all {
		if m.Ns <= 0 || m.NsMin > m.Ns || m.Ns > m.NsMax || m.Rounds != rounds || m.Goroutines != 2 || m.Size != w[0].Size() || m.MBs <= 0 {
			t.Errorf("not plausible: %+v", m)
		}
		if reads := m.Impl == "gremlin-reader"; reads != (m.Allocs < 0.01) {
			t.Errorf("%s: %.2f allocations", m.Impl, m.Allocs)
		}
	}
	if r.Wrong != nil {
		t.Errorf("wrong: %+v", r.Wrong)
	}
}

// TestWrongIsNotTimed gives the reference another message than the workers.
func TestWrongIsNotTimed(t *testing.T) {
	made, err := workload.Find(workload.Made(), []string{"Submit", "SubmitUnicode"})
	if err != nil {
		t.Fatal(err)
	}
	l, err := bench.Of(few, bench.Order, made)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := l.Select([]string{"gremlin-reader", "gremlin-message"}); err != nil {
		t.Fatal(err)
	}
	other, err := made[1].Reference(false)
	if err != nil {
		t.Fatal(err)
	}
	r := bench.NewRunner(l)
	defer r.Close()
	for _, op := range []string{"readall", "append", "passthrough"} {
		r.Wrong = nil
		all, _, err := r.Race(made[0], other, op, bench.Settings{Rounds: 1, Slice: time.Microsecond})
		if err != nil || len(all) != 0 || len(r.Wrong) == 0 {
			t.Errorf("%s: measured %v, wrong %v, %v", op, all, r.Wrong, err)
		}
		for _, wrong := range r.Wrong {
			if wrong == (report.Wrong{}) || wrong.Difference == "" || wrong.Workload != "Submit" || wrong.Op != op {
				t.Errorf("%s: %+v", op, wrong)
			}
		}
	}
}

func TestUnknownNames(t *testing.T) {
	if _, err := workload.Find(workload.Made(), []string{"Sumbit"}); err == nil || !strings.Contains(err.Error(), "Submit, SubmitUnicode") {
		t.Errorf("workload: %v", err)
	}
	l, err := bench.Of(few, bench.Order, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := l.Select([]string{"protobuf-c"}); err == nil || !strings.Contains(err.Error(), "protobuf-go, ") {
		t.Errorf("implementation: %v", err)
	}
}
