package bench

import (
	"fmt"
	"slices"
	"time"

	"github.com/octopus-framework/octopus/lab/report"
	"github.com/octopus-framework/octopus/lab/worker"
	"github.com/octopus-framework/octopus/lab/workload"
)

// Runner measures; its processes stay between measurements.
type Runner struct {
	// Group is that of the measurements, and Check says what is wrong with an operation; see the function of that name, which
	// with report.GroupProtobuf is the default.
	Group string
	Check func(p *Process, w workload.Workload, ref *workload.Reference, impl, op string) (difference string, err error)

	lab       *Lab
	processes map[string]*Process // by label
	Wrong     []report.Wrong
	wrong     map[[3]string]bool
}

// NewRunner returns a Runner, which is to be closed.
func NewRunner(l *Lab) *Runner {
	return &Runner{Group: report.GroupProtobuf, Check: Check, lab: l, processes: map[string]*Process{}, wrong: map[[3]string]bool{}}
}

// Close ends all processes.
func (r *Runner) Close() {
	for _, p := range r.processes {
		_ = p.Close() // they were killed or have nothing left to say
	}
}

// Settings is how to measure a cell.
type Settings struct {
	Rounds     int
	Slice      time.Duration // that one round takes
	Goroutines []int         // how many at a time; each number takes its turn in every round; none means one
	BallastMiB int
	Control    string   // implementation that runs twice
	Only       []string // implementations; none means all
}

// entrant is an implementation in a race, with a number of goroutines; the one that runs twice enters twice.
type entrant struct {
	impl       Impl
	goroutines int
	twin       bool
	process    *Process
	n          int
	answers    []worker.Answer
}

// label is the key of a process.
func (r *Runner) process(i Impl, twin string) (*Process, error) {
	label := i.Name + twin
	if p, ok := r.processes[label]; ok {
		return p, nil
	}
	p, err := r.lab.Start(i)
	if err != nil {
		return nil, err
	}
	r.processes[label] = p
	return p, nil
}

// Race measures one operation on one workload for all implementations that have it: each is checked, then they run by turns,
// round after round, and medians are taken. What failed its check is in r.Wrong and nowhere else.
func (r *Runner) Race(w workload.Workload, ref *workload.Reference, op string, s Settings) ([]report.Measurement, *report.Control, error) {
	goroutines := s.Goroutines
	if len(goroutines) == 0 {
		goroutines = []int{1}
	}
	var field []*entrant
	for _, i := range r.lab.Impls {
		if !slices.Contains(i.Types[w.Type], op) || len(s.Only) > 0 && !slices.Contains(s.Only, i.Name) {
			continue
		}
		twins := []string{""}
		if i.Name == s.Control {
			twins = append(twins, " again")
		}
		for _, twin := range twins {
			p, err := r.process(i, twin)
			if err != nil {
				return nil, nil, err
			}
			ok, err := r.check(p, w, ref, i.Name, op)
			if err != nil {
				return nil, nil, fmt.Errorf("%s %s %s: %w", w.Name, op, i.Name, err)
			}
			for _, g := range goroutines {
				if ok {
					field = append(field, &entrant{impl: i, goroutines: g, twin: twin != "", process: p})
				}
			}
		}
	}
	for _, e := range field {
		a, err := e.process.Do(worker.Request{Cmd: "calibrate", Workload: w.Name, Op: op, Ns: s.Slice.Nanoseconds()})
		if err != nil {
			return nil, nil, err
		}
		e.n = a.Iterations
	}
	for range s.Rounds {
		for _, e := range field {
			a, err := e.undisturbed(worker.Request{Cmd: "run", Workload: w.Name, Op: op, Iterations: e.n,
				Goroutines: e.goroutines, BallastMiB: s.BallastMiB})
			if err != nil {
				return nil, nil, fmt.Errorf("%s %s %s: %w", w.Name, op, e.impl.Name, err)
			}
			e.answers = append(e.answers, a)
		}
	}
	settle(field, s.Rounds)
	var all []report.Measurement
	var control *report.Control
	for _, e := range field {
		m := summarize(e.answers)
		if e.twin {
			control = &report.Control{Workload: w.Name, Op: op, Impl: e.impl.Name, NsA: all[len(all)-1].Ns, NsB: m.Ns}
			continue
		}
		m.Group, m.Workload, m.Size, m.Op, m.Impl = r.Group, w.Name, w.Size(), op, e.impl.Name
		m.Goroutines, m.BallastMiB = e.goroutines, s.BallastMiB
		m.MBs = float64(m.Size) * 1e3 / m.Ns
		all = append(all, m)
	}
	return all, control, nil
}

// attempts is how often a round is run, at most, when others take the CPU away.
const attempts = 4

// undisturbed runs a round, and runs it again where the system gave the CPU to another program in the middle: the time is then
// not that of the code. What counts is that alone, not how the time looks; the last attempt stands in any case.
func (e *entrant) undisturbed(r worker.Request) (a worker.Answer, err error) {
	for range attempts {
		if a, err = e.process.Do(r); err != nil || a.Preempted == 0 {
			break
		}
	}
	return a, err
}

// check checks once per implementation, workload and operation, and again for a twin.
func (r *Runner) check(p *Process, w workload.Workload, ref *workload.Reference, impl, op string) (ok bool, err error) {
	key := [3]string{w.Name, op, impl}
	if known, done := r.wrong[key]; done {
		return !known, nil
	}
	difference, err := r.Check(p, w, ref, impl, op)
	if err != nil {
		return false, err
	}
	if r.wrong[key] = difference != ""; difference != "" {
		r.Wrong = append(r.Wrong, report.Wrong{Workload: w.Name, Op: op, Impl: impl, Difference: difference})
	}
	return difference == "", nil
}

// settle takes out of the times what slowed all down alike. A shared machine runs at half its speed for a while, because
// another takes half of a core; such a while lasts longer than a round and often shorter than a race, and a median over
// rounds would then compare one implementation's fast rounds with another's slow ones. The pace of a round is the median,
// over all that ran in it, of the time to their own median; the times of a round are divided by its pace, and as the medians
// change by that, this is done again (the median polish of a table of rounds and implementations). No round is dropped.
func settle(field []*entrant, rounds int) {
	if len(field) < 3 {
		return // of two, nobody can tell which one was slowed down
	}
	const polishes = 4
	for range polishes {
		medians := make([]float64, len(field))
		for i, e := range field {
			medians[i] = median(times(e.answers))
		}
		for round := range rounds {
			relative := make([]float64, len(field))
			for i, e := range field {
				relative[i] = e.answers[round].Ns / medians[i]
			}
			pace := median(relative)
			for _, e := range field {
				e.answers[round].Ns /= pace
			}
		}
	}
}

func times(answers []worker.Answer) []float64 {
	ns := make([]float64, len(answers))
	for i, a := range answers {
		ns[i] = a.Ns
	}
	return ns
}

func summarize(answers []worker.Answer) (m report.Measurement) {
	var bytes, allocs []float64
	for _, a := range answers {
		bytes, allocs = append(bytes, a.Bytes), append(allocs, a.Allocs)
		m.GCCycles += uint64(a.GCCycles)
		m.GCPauseNs += a.GCPauseNs
		m.MutexWaitNs += a.MutexWaitNs
	}
	ns := times(answers)
	m.Ns, m.NsMin, m.NsMax = median(ns), slices.Min(ns), slices.Max(ns)
	m.Bytes, m.Allocs, m.Rounds = median(bytes), median(allocs), len(answers)
	return m
}

func median(x []float64) float64 {
	x = slices.Sorted(slices.Values(x))
	if n := len(x); n%2 == 0 {
		return (x[n/2-1] + x[n/2]) / 2
	}
	return x[len(x)/2]
}
