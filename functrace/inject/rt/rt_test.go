package rt

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"
)

var (
	leafFunc, outerFunc, failFunc Func
	sink                          int
)

//go:noinline
func plain(x int) int { return x + 1 }

//go:noinline
func leaf(x int) int {
	defer Enter(&leafFunc)()
	return x + 1
}

//go:noinline
func traced(x int) int {
	defer Trace()()
	return x + 1
}

//go:noinline
func failing(e error) (err error) {
	defer EnterE(&failFunc).Exit(&err)
	return e
}

//go:noinline
func outer(x int) int {
	defer Enter(&outerFunc)()
	return leaf(x)
}

// record starts a recording that the test ends.
func record(t testing.TB, o Options) {
	t.Helper()
	if o.Path == "" {
		o.Path = filepath.Join(t.TempDir(), "test.functrace")
	}
	if err := Start(o); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = Stop() })
}

func TestRecordingAllocatesNothing(t *testing.T) {
	record(t, Options{})
	calls := map[string]func(){
		"Enter":  func() { sink += leaf(1) },
		"EnterE": func() { _ = failing(nil) },
		"Trace":  func() { sink += traced(1) },
	}
	for name, call := range calls {
		call()
		// A chunk lasts for 253 calls: some of these cross chunks and segments.
		if n := testing.AllocsPerRun(2000, call); n != 0 {
			t.Errorf("%s allocates %v times a call", name, n)
		}
	}
}

func TestGoroutineIDs(t *testing.T) {
	findOffsets()
	if haveAssembly && (offsets.id == 0 || offsets.parent == 0) {
		t.Fatalf("the place of the ids was not found: %+v", &offsets)
	}
	own := goid()
	var wg sync.WaitGroup
	for range 2000 {
		wg.Go(func() {
			want, ok := stackID()
			if got := goid(); !ok || got != want {
				t.Errorf("goid is %d, the stack dump says %d", got, want)
			}
			if got := parentID(); haveAssembly && got != own {
				t.Errorf("parent is %d, want %d", got, own)
			}
		})
	}
	wg.Wait()
}

// Outcomes are told apart wherever the compiler runs deferred functions from: inline at the return,
// from runtime.deferreturn, during a panic, after a recovered one.
func TestOutcomes(t *testing.T) {
	findSites()
	var got []Outcome
	note := func() { got = append(got, outcomeAt(ret1())) }
	safely := func(f func()) {
		defer func() { _ = recover() }()
		f()
	}
	returns := func() { defer note() }
	loops := func() {
		for range 2 {
			defer note()
		}
	}
	recovers := func() {
		defer note()
		defer func() { _ = recover() }()
		panic("recovered before note runs")
	}
	exits := func(f func()) func() {
		return func() {
			done := make(chan struct{})
			go func() {
				defer close(done)
				f()
			}()
			<-done
		}
	}
	tests := []struct {
		name string
		f    func()
		want []Outcome
	}{
		{"returns", returns, []Outcome{Returned}},
		{"returns from a loop of defers", loops, []Outcome{Returned, Returned}},
		{"panics", func() { defer note(); panic(1) }, []Outcome{Panicked}},
		{"panics in the runtime", func() {
			defer note()
			_ = []int{}[sink*0]
		}, []Outcome{Panicked}},
		{"recovers", recovers, []Outcome{Returned}},
		{"returns while another panics", func() { defer returns(); panic(1) }, []Outcome{Returned}},
		{"goexit", exits(func() { defer note(); runtime.Goexit() }), []Outcome{Goexit}},
		{"returns during goexit", exits(func() {
			defer returns()
			runtime.Goexit()
		}), []Outcome{Returned}},
	}
	for _, test := range tests {
		got = nil
		safely(test.f)
		if len(got) != len(test.want) {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
			continue
		}
		for i := range got {
			if got[i] != test.want[i] {
				t.Errorf("%s: %v, want %v", test.name, got, test.want)
			}
		}
	}
}

func TestOneRecordingAtATime(t *testing.T) {
	record(t, Options{})
	if err := Start(Options{}); err != ErrRunning {
		t.Errorf("second Start: %v, want %v", err, ErrRunning)
	}
	leaf(1)
	stats, err := Stop()
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(stats.Path)
	if err != nil || info.Size() != stats.Bytes || stats.Bytes < 2*ChunkSize || stats.Dropped != 0 {
		t.Errorf("stats %+v, file %v, %v", stats, info, err)
	}
	if stats, err = Stop(); stats != (Stats{}) || err != nil {
		t.Errorf("Stop without a recording: %+v, %v", stats, err)
	}
}

func TestStartErrors(t *testing.T) {
	if err := Start(Options{Path: filepath.Join(t.TempDir(), "no", "such", "dir")}); err == nil {
		t.Error("Start into a folder that is not there succeeded")
	}
	if active.Load() != nil {
		t.Error("a failed Start left a recording running")
	}
}

// A full file stops growing, calls are dropped and counted, and the exits of recorded calls are
// kept.
func TestFullFile(t *testing.T) {
	const limit = 256 << 10
	record(t, Options{MaxBytes: limit})
	const calls = 100_000
	func() {
		defer Enter(&outerFunc)()
		for range calls {
			leaf(1)
		}
	}()
	stats, err := Stop()
	if err != nil {
		t.Fatal(err)
	}
	if stats.Bytes > limit+2*ChunkSize {
		t.Errorf("the file has %d bytes, the limit is %d", stats.Bytes, limit)
	}
	kept := uint64(limit / WordSize)
	if stats.Dropped < 2*calls-kept || stats.Dropped > 2*calls {
		t.Errorf("%d of %d events were dropped; the file has room for %d", stats.Dropped, 2*calls,
			kept)
	}
}

func recurse(n int) {
	defer Enter(&outerFunc)()
	if n > 0 {
		recurse(n - 1)
	}
}

func TestTooDeep(t *testing.T) {
	record(t, Options{})
	recurse(MaxDepth + 99)
	stats, err := Stop()
	if err != nil || stats.Dropped != 2*100 {
		t.Errorf("%d events dropped (%v), want 200: 100 calls are too deep", stats.Dropped, err)
	}
}

// Goroutines that come and go share chunks: a file must not have one chunk for each.
func TestManyShortGoroutines(t *testing.T) {
	record(t, Options{})
	const goroutines = 20_000
	gate := make(chan struct{}, 16)
	var wg sync.WaitGroup
	for range goroutines {
		gate <- struct{}{}
		wg.Go(func() {
			leaf(1)
			<-gate
		})
	}
	wg.Wait()
	r := active.Load()
	r.mu.Lock()
	known := len(r.all)
	r.mu.Unlock()
	stats, err := Stop()
	if err != nil || stats.Dropped != 0 {
		t.Fatal(stats, err)
	}
	if limit := int64(goroutines) * 12 * WordSize; stats.Bytes > limit {
		t.Errorf("%d bytes for %d goroutines of one call", stats.Bytes, goroutines)
	}
	if known > 1000 {
		t.Errorf("%d goroutines are still known, 16 were running at a time", known)
	}
}

// A million calls on eight goroutines; what was dropped and what was recorded add up. (The events
// themselves are read back by the tests of package report.)
func TestMillionCalls(t *testing.T) {
	record(t, Options{MaxBytes: 8 << 20})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 1_000_000 / 16 {
				outer(1)
			}
		})
	}
	wg.Wait()
	stats, err := Stop()
	if err != nil {
		t.Fatal(err)
	}
	events := uint64(2 * (1_000_000 / 16 * 16))
	if room := uint64(8<<20) / WordSize; stats.Dropped == 0 || stats.Dropped+room < events*97/100 ||
		stats.Dropped > events {
		t.Errorf("%d of %d events dropped with room for %d", stats.Dropped, events, room)
	}
}

// The memory of stopped recordings is given back once no call refers to them.
func TestStoppedRecordingsAreCollected(t *testing.T) {
	freed := make(chan int, 1)
	func() {
		if err := Start(Options{Path: filepath.Join(t.TempDir(), "x")}); err != nil {
			t.Fatal(err)
		}
		outer(1)
		runtime.AddCleanup(active.Load(), func(int) { freed <- 1 }, 0)
		if _, err := Stop(); err != nil {
			t.Fatal(err)
		}
	}()
	for range 100 {
		runtime.GC()
		select {
		case <-freed:
			return
		case <-time.After(10 * time.Millisecond):
		}
	}
	t.Error("a stopped recording is still referred to")
}

func TestValues(t *testing.T) {
	type pair struct {
		A int
		B []uint8
	}
	var none []int32
	for _, test := range []struct {
		values []any
		want   string
	}{
		{[]any{1, "a", true, nil, 1.5}, `1, "a", true, nil, 1.5`},
		{[]any{context.Background(), 2}, "ctx, 2"},
		{[]any{[]int{1, -2}, []int8{-1, 2, 3, 4, 5}},
			"[]int(len 2: 1 -2), []int8(len 5: -1 2 3 4...)"},
		{[]any{[]float32{0.1}, []float64{-0.5}}, "[]float32(len 1: 0.1), []float64(len 1: -0.5)"},
		{[]any{[]uint16{65535}, []uint64{1 << 63}, none},
			"[]uint16(len 1: 65535), []uint64(len 1: 9223372036854775808), []int32(len 0)"},
		{[]any{[]any{1}, []string{"a"}, map[string]any{}},
			"[]any(len 1), []string(len 1), map[string]any"},
		{[]any{pair{1, []byte("xy")}}, "rt.pair{A:1 B:[]uint8(len 2: 120 121)}"},
	} {
		if got := string(appendValues(nil, test.values)); got != test.want {
			t.Errorf("%v is shown as %s, want %s", test.values, got, test.want)
		}
	}
}
