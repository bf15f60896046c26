package report

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/octopus-framework/octopus/functrace/inject/rt"
)

var serveFunc, handleFunc rt.Func

// serve calls handle for as long as the channel has something.
func serve(work <-chan int) {
	defer rt.Enter(&serveFunc)()
	for i := range work {
		handle(i)
	}
}

func handle(i int) {
	defer rt.Enter(&handleFunc)()
	rt.Args(i)
}

// startRing starts a flight recorder that the test ends.
func startRing(t *testing.T, o rt.Options) {
	t.Helper()
	o.Path, o.Ring = filepath.Join(t.TempDir(), "x.functrace"), true
	if err := rt.Start(o); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = rt.Stop() })
}

// arguments are those of the calls of handle, which must be in serve and in order.
func arguments(t *testing.T, procs []*Process) (args []string) {
	t.Helper()
	for _, p := range procs {
		if len(p.Damage) > 0 {
			t.Fatal(p.Damage[0])
		}
		p.Walk(func(_ *Goroutine, c *Call, depth int) {
			if strings.HasSuffix(c.Func.Name, ".serve") {
				return
			}
			if depth != 1 || !strings.HasSuffix(c.Func.Name, ".handle") {
				t.Fatalf("at depth %d: %+v", depth, c)
			}
			args = append(args, c.Args)
		})
	}
	return args
}

// A flight recorder has the last calls, inside of a call whose entry is long gone; its file does
// not grow.
func TestRingKeepsTheLast(t *testing.T) {
	startRing(t, rt.Options{MaxBytes: 1 << 20})
	work := make(chan int)
	go func() {
		defer close(work)
		for i := range 200_000 {
			work <- i
		}
	}()
	serve(work)
	stats, err := rt.Stop()
	if err != nil || stats.Bytes > 1<<20+rt.ChunkSize || stats.Dropped > 0 {
		t.Fatal(stats, err)
	}
	procs, err := ReadFiles(stats.Path)
	if err != nil {
		t.Fatal(err)
	}
	args := arguments(t, procs)
	if len(args) < 20_000 || len(args) > 40_000 || args[len(args)-1] != "199999" {
		t.Errorf("%d calls, the last of them %s", len(args), args[len(args)-1])
	}
	var chain []*Chain
	if chain, err = Chains(procs, "handle"); err != nil || len(chain) != 1 ||
		len(chain[0].Funcs) != 2 {
		t.Errorf("chains %v, %v", chain, err)
	}
	if c := procs[0].Goroutines[0].Calls[0]; c.Start > procs[0].End/2 || c.Outcome != Returned {
		t.Errorf("serve began at %v of %v and %v", c.Start, procs[0].End, c.Outcome)
	}
}

// Snapshots of a program that goes on, while chunks are written over all the time: each is whole,
// every goroutine's calls are one sequence without a gap, and none is later than the snapshot.
func TestSnapshotWhileTheProgramGoesOn(t *testing.T) {
	startRing(t, rt.Options{MaxBytes: 1 << 20})
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			work := make(chan int)
			go func() {
				defer close(work)
				for i := 0; ; i++ {
					select {
					case work <- i:
					case <-stop:
						return
					}
				}
			}()
			serve(work)
		})
	}
	for n := range 20 {
		path, err := rt.Snapshot("test")
		if err != nil {
			t.Fatal(err)
		}
		procs, err := ReadFiles(path)
		if err != nil || procs[0].Reason != "test" || procs[0].Complete {
			t.Fatal(err, procs)
		}
		if len(procs[0].Damage) > 0 {
			t.Fatal(n, procs[0].Damage[0])
		}
		for _, g := range procs[0].Goroutines {
			var last time.Duration
			for _, c := range g.Calls {
				for i, inner := range c.Calls {
					if inner.Start < last || inner.Outcome != Returned && i < len(c.Calls)-1 ||
						inner.End > procs[0].End {
						t.Fatalf("goroutine %d: %+v after %v", g.ID, inner, last)
					}
					last = inner.End
				}
			}
		}
		runtime.Gosched()
	}
	close(stop)
	wg.Wait()
}

// What is older than Last does not count.
func TestLast(t *testing.T) {
	startRing(t, rt.Options{Last: 50 * time.Millisecond})
	handle(1)
	// The next chunk begins a piece of its own: the first is only dropped as a whole.
	var g sync.WaitGroup
	g.Go(func() { handle(2) })
	g.Wait()
	time.Sleep(100 * time.Millisecond)
	g.Go(func() {
		for i := range 1000 {
			handle(3 + i)
		}
	})
	g.Wait()
	path, err := rt.Snapshot("")
	if err != nil {
		t.Fatal(err)
	}
	procs, err := ReadFiles(path)
	if err != nil {
		t.Fatal(err)
	}
	var args []string
	procs[0].Walk(func(_ *Goroutine, c *Call, _ int) { args = append(args, c.Args) })
	if slices.Contains(args, "1") || !slices.Contains(args, "1002") {
		t.Errorf("%d calls, the first %q", len(args), args[0])
	}
}

var failFunc, deepFunc rt.Func

func request(err error) (result error) {
	defer rt.EnterE(&failFunc).Exit(&result)
	return inside(err)
}

func inside(err error) (result error) {
	defer rt.EnterE(&deepFunc).Exit(&result)
	return err
}

// A request that fails makes a snapshot that ends with it; the next within the pause does not.
func TestSnapshotOnFailure(t *testing.T) {
	startRing(t, rt.Options{OnFailure: true})
	_ = request(nil)
	_ = request(os.ErrExist)
	_ = request(os.ErrExist)
	stats, err := rt.Stop() // waits for it
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(stats.Path + ".*")
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	procs, err := ReadFiles(files[0])
	if err != nil || !strings.HasPrefix(procs[0].Reason, "an error of ") {
		t.Fatal(procs[0].Reason, err)
	}
	var outcomes []Outcome
	procs[0].Walk(func(_ *Goroutine, c *Call, _ int) { outcomes = append(outcomes, c.Outcome) })
	if !slices.Equal(outcomes, []Outcome{Returned, Returned, Failed, Failed}) {
		t.Error(outcomes)
	}
}

func TestSnapshotOfSlowAndPanic(t *testing.T) {
	for want, o := range map[string]rt.Options{
		"a slow call of ": {Slow: 1},
		"a panic in ":     {OnPanic: true},
	} {
		startRing(t, o)
		func() {
			defer func() { _ = recover() }()
			panicking()
		}()
		stats, err := rt.Stop()
		if err != nil {
			t.Fatal(err)
		}
		procs, err := ReadFiles(stats.Path + ".1.snapshot")
		if err != nil || procs[0].Reason != want+
			"github.com/octopus-framework/octopus/internal/trace/report.panicking" {
			t.Error(procs, err)
		}
	}
}

var panicFunc rt.Func

func panicking() {
	defer rt.Enter(&panicFunc)()
	time.Sleep(time.Millisecond) // the clock of a call may move in larger steps than a nanosecond
	panic("for the test")
}

// Go's own flight recorder writes its trace beside a snapshot.
func TestRuntimeTraceBeside(t *testing.T) {
	startRing(t, rt.Options{RuntimeTrace: true})
	handle(1)
	path, err := rt.Snapshot("")
	if err != nil {
		t.Fatal(err)
	}
	head := make([]byte, 16)
	f, err := os.Open(path + ".trace")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Read(head); err != nil || !strings.HasPrefix(string(head), "go 1.") {
		t.Errorf("%q, %v", head, err)
	}
}
