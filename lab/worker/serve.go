package worker

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/metrics"
	"sync"
	"time"
)

// Request is one line to a worker.
type Request struct {
	// Cmd is one of: list; load (Workload, Type and File are needed); check (Listing asks for the values); calibrate (for how
	// many iterations take Ns); run.
	Cmd        string `json:"cmd"`
	Workload   string `json:"workload,omitempty"`
	Type       string `json:"type,omitempty"`
	File       string `json:"file,omitempty"` // messages, each after its length as a varint
	Op         string `json:"op,omitempty"`
	Listing    bool   `json:"listing,omitempty"`
	Ns         int64  `json:"ns,omitempty"`
	Iterations int    `json:"iterations,omitempty"`
	Goroutines int    `json:"goroutines,omitempty"` // 0 is 1
	BallastMiB int    `json:"ballast_mib,omitempty"`
}

// Answer is one line of a worker.
type Answer struct {
	Error string `json:"error,omitempty"`

	// list
	Listed *Listed `json:"listed,omitempty"`

	// check: over one turn of the messages
	Sum    uint64   `json:"sum,omitempty"`    // of the loop
	Values uint64   `json:"values,omitempty"` // Probe.Sum
	Lines  []string `json:"lines,omitempty"`
	Out    [][]byte `json:"out,omitempty"`

	// calibrate
	Iterations int `json:"iterations,omitempty"`

	// run: time, bytes and allocations of one iteration, the rest of the whole run
	Ns          float64 `json:"ns,omitempty"`
	Bytes       float64 `json:"bytes,omitempty"`
	Allocs      float64 `json:"allocs,omitempty"`
	GCCycles    uint32  `json:"gc_cycles,omitempty"`
	GCPauseNs   uint64  `json:"gc_pause_ns,omitempty"`
	MutexWaitNs uint64  `json:"mutex_wait_ns,omitempty"`
	PeakBytes   int64   `json:"peak_bytes,omitempty"` // of the process so far
	Preempted   int64   `json:"preempted,omitempty"`  // how often the system gave the CPU to somebody else, with one goroutine
}

// Listed is what a worker has.
type Listed struct {
	Name    string              `json:"name"`
	Version string              `json:"version"`
	Types   map[string][]string `json:"types"`
}

// Main serves requests until standard input ends.
func Main(i Impl) {
	if err := serve(os.Stdin, os.Stdout, i); err != nil {
		fmt.Fprintln(os.Stderr, "worker:", err)
		os.Exit(1)
	}
}

func serve(in io.Reader, out io.Writer, i Impl) error {
	s := &server{impl: i, loaded: map[string]loaded{}}
	requests, answers := json.NewDecoder(bufio.NewReader(in)), json.NewEncoder(out)
	for {
		var r Request
		if err := requests.Decode(&r); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if err := answers.Encode(s.answer(r)); err != nil {
			return err
		}
	}
}

type loaded struct {
	typ string
	in  Input
}

type loopKey struct{ workload, op string }

type server struct {
	impl    Impl
	loaded  map[string]loaded
	key     loopKey
	loops   []Loop // of key, one per goroutine; no others, for what they hold would be there for the collector to visit
	ballast []byte
}

// answer turns a panic of an implementation into an error.
func (s *server) answer(r Request) (a Answer) {
	defer func() {
		if err := recover(); err != nil {
			a = Answer{Error: fmt.Sprint(err)}
		}
	}()
	switch r.Cmd {
	case "list":
		a.Listed = &Listed{s.impl.Name, s.impl.Version(), map[string][]string{}}
		for typ, ops := range s.impl.Types {
			a.Listed.Types[typ] = sorted(ops)
		}
		return a
	case "load":
		data, err := readMessages(r.File)
		if err != nil {
			return Answer{Error: err.Error()}
		}
		s.loaded[r.Workload] = loaded{r.Type, Input{data}}
		return a
	case "check", "calibrate", "run":
	default:
		return Answer{Error: fmt.Sprintf("unknown request %q; there are: list, load, check, calibrate, run", r.Cmd)}
	}
	w, ok := s.loaded[r.Workload]
	if !ok {
		return Answer{Error: fmt.Sprintf("workload %q is not loaded; these are: %v", r.Workload, sorted(s.loaded))}
	}
	op, err := s.impl.find(w.typ, r.Op)
	if err != nil {
		return Answer{Error: err.Error()}
	}
	if key := (loopKey{r.Workload, r.Op}); key != s.key {
		s.key, s.loops = key, nil
	}
	for len(s.loops) < max(1, r.Goroutines) {
		s.loops = append(s.loops, op(w.in))
	}
	loops := s.loops[:max(1, r.Goroutines)]
	switch r.Cmd {
	case "check":
		p := &Probe{Listing: r.Listing}
		a.Sum = loops[0](len(w.in.Data), nil)
		again := loops[0](len(w.in.Data), p)
		if again != a.Sum {
			return Answer{Error: fmt.Sprintf("the sum is %d, then %d", a.Sum, again)}
		}
		a.Values, a.Lines, a.Out = p.Sum, p.Lines, p.Out
	case "calibrate":
		a.Iterations = calibrate(loops[0], time.Duration(r.Ns), len(w.in.Data))
	case "run":
		a = s.run(loops, r.Iterations, r.BallastMiB)
	}
	return a
}

// calibrate returns how many iterations take about d, in whole turns of the messages, which may be of very different size.
func calibrate(loop Loop, d time.Duration, turn int) int {
	whole := func(n int) int { return max(1, (n+turn/2)/turn) * turn }
	run := func(n int) time.Duration {
		start := time.Now()
		loop(n, nil)
		return max(1, time.Since(start))
	}
	for n := turn; ; {
		took := run(n)
		if took >= d/4 { // it may only have been interrupted, and be measured with one iteration ever after
			took = min(took, run(n), run(n))
		}
		if took >= d/4 || n >= 1<<30 {
			return whole(int(float64(n) * float64(d) / float64(took)))
		}
		n = whole(max(n+turn, int(min(float64(n)*100, float64(n)*float64(d)/float64(took)/2))))
	}
}

// run times n iterations in each of the loops, all at once. Time per iteration is that of the whole divided by all of them.
func (s *server) run(loops []Loop, n, ballastMiB int) Answer {
	if len(s.ballast) != ballastMiB<<20 {
		s.ballast = make([]byte, ballastMiB<<20)
	}
	runtime.GC()
	var before, after runtime.MemStats
	waited := mutexWait()
	runtime.ReadMemStats(&before)
	var took time.Duration
	var preempted int64
	if len(loops) == 1 {
		// The goroutine is not tied to the thread: that makes allocation a tenth to a fifth slower, because of the collector.
		// It moves only when something else runs in the process; then nothing is known about the old thread.
		count, thread := preemptions()
		start := time.Now()
		loops[0](n, nil)
		took = time.Since(start)
		if now, same := preemptions(); same == thread {
			preempted = now - count
		}
	} else {
		took = together(loops, n)
	}
	runtime.ReadMemStats(&after)
	all := float64(n * len(loops))
	return Answer{
		Ns:          float64(took.Nanoseconds()) / all,
		Bytes:       float64(after.TotalAlloc-before.TotalAlloc) / all,
		Allocs:      float64(after.Mallocs-before.Mallocs) / all,
		GCCycles:    after.NumGC - before.NumGC,
		GCPauseNs:   after.PauseTotalNs - before.PauseTotalNs,
		MutexWaitNs: mutexWait() - waited,
		PeakBytes:   peakBytes(),
		Preempted:   preempted,
	}
}

func together(loops []Loop, n int) time.Duration {
	var ready, done sync.WaitGroup
	failed := make(chan any, len(loops))
	begin := make(chan struct{})
	for _, loop := range loops {
		ready.Add(1)
		done.Go(func() {
			defer func() {
				if err := recover(); err != nil {
					failed <- err
				}
			}()
			ready.Done()
			<-begin
			loop(n, nil)
		})
	}
	ready.Wait()
	start := time.Now()
	close(begin)
	done.Wait()
	took := time.Since(start)
	if len(failed) > 0 {
		panic(<-failed)
	}
	return took
}

func mutexWait() uint64 {
	sample := []metrics.Sample{{Name: "/sync/mutex/wait/total:seconds"}}
	metrics.Read(sample)
	return uint64(sample[0].Value.Float64() * 1e9)
}

// readMessages reads messages that each follow their length.
func readMessages(file string) ([][]byte, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var all [][]byte
	for len(b) > 0 {
		n, w := binary.Uvarint(b)
		if w <= 0 || n > uint64(len(b)-w) {
			return nil, fmt.Errorf("%s: not a list of messages", file)
		}
		end := w + int(n)
		all = append(all, b[w:end:end])
		b = b[end:]
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: no messages", file)
	}
	return all, nil
}
