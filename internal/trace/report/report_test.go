package report

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/octopus-framework/octopus/functrace/inject/rt"
)

// exampleProcess is main, which starts two goroutines that reach D over different chains; one D
// fails.
func exampleProcess() *Process {
	at := time.Microsecond
	call := func(name string, start, end int, inner ...*Call) *Call {
		c := &Call{Func: &Func{Name: "main." + name}, Start: time.Duration(start) * at,
			End: time.Duration(end) * at, Calls: inner}
		for _, i := range inner {
			i.Parent = c
		}
		return c
	}
	start := call("main", 0, 100, call("setup", 1, 2), call("wait", 3, 99))
	bad := call("D", 22, 23)
	bad.Outcome, bad.Error = Failed, "</script> is text"
	g1 := &Goroutine{ID: 1, Calls: []*Call{start}}
	return &Process{Program: "example", PID: 7, End: 100 * at, Complete: true,
		Goroutines: []*Goroutine{
			g1,
			{ID: 5, ParentID: 1, From: start, FromGoroutine: g1, Forked: 2500,
				Calls: []*Call{call("A1", 10, 19, call("B1", 11, 18, call("D", 12, 13)))}},
			{ID: 6, ParentID: 1, From: start, FromGoroutine: g1, Forked: 2600,
				Calls: []*Call{call("A2", 20, 29, call("B2", 21, 28, bad))}},
		}}
}

func TestChains(t *testing.T) {
	chains, err := Chains([]*Process{exampleProcess()}, "D")
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := WriteChains(&b, chains); err != nil {
		t.Fatal(err)
	}
	want := `1. main.main => main.A2 -> main.B2 -> main.D
   1 calls: 0 returned, 1 FAILED with an error; total 1µs, p50 1µs, p99 1µs
   error: </script> is text
2. main.main => main.A1 -> main.B1 -> main.D
   1 calls: 1 returned; total 1µs, p50 1µs, p99 1µs
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &b, want)
	}
	var none *NoMatchError
	if _, err := Chains([]*Process{exampleProcess()}, "E"); !errors.As(err, &none) ||
		none.Total != 8 {
		t.Errorf("an unknown function: %v", err)
	}
}

func TestMatches(t *testing.T) {
	for _, test := range []struct {
		full, name string
		want       bool
	}{
		{"main.D", "D", true}, {"main.D", "main.D", true}, {"main.AD", "D", false},
		{"a/b.(*T).M", "T.M", true},
		{"a/b.(*T).M", "b.T.M", true}, {"a/b.F[...]", "F", true}, {"main.D", "", false},
		{"main.D.func1", "D", false},
	} {
		if Matches(test.full, test.name) != test.want {
			t.Errorf("Matches(%q, %q) is not %v", test.full, test.name, test.want)
		}
	}
}

func TestFoldedAndJSON(t *testing.T) {
	procs := []*Process{exampleProcess()}
	var b bytes.Buffer
	if err := Write(&b, procs, Folded, WriteOptions{}); err != nil ||
		!strings.Contains(b.String(), "main.main;go;main.A1;main.B1 6000\n") {
		t.Errorf("%v\n%s", err, &b)
	}
	b.Reset()
	var read []struct {
		Program    string
		Goroutines []struct {
			ID, Parent int
			Calls      []struct {
				Func  string
				End   int64 `json:"end_ns"`
				Calls []struct {
					Func  string
					Calls []struct{ Func, Outcome, Error string }
				}
			}
		}
	}
	if err := Write(&b, procs, JSON, WriteOptions{}); err != nil ||
		json.Unmarshal(b.Bytes(), &read) != nil {
		t.Fatalf("%v\n%s", err, &b)
	}
	got := fmt.Sprint(read)
	want :=
		"[{example [{1 0 [{main.main 100000 [{main.setup []} {main.wait []}]}]} {5 1 [{main.A1 19000 [{main.B1 [{main.D returned }]}]}]}" +
			" {6 1 [{main.A2 29000 [{main.B2 [{main.D returned an error </script> is text}]}]}]}]}]"
	if got != want {
		t.Errorf("JSON holds\n%s\nwant\n%s", got, want)
	}
	if err := Write(&b, procs, "nonsense", WriteOptions{}); err == nil {
		t.Error("an unknown format was written")
	}
}

var outerFunc, innerFunc rt.Func

func outer() {
	defer rt.Enter(&outerFunc)()
	inner()
}

func inner() { defer rt.Enter(&innerFunc)() }

// recorded records calls on eight goroutines and returns the file.
func recorded(t testing.TB, callsEach int) (path string, stats rt.Stats) {
	path = filepath.Join(t.TempDir(), "x.functrace")
	if err := rt.Start(rt.Options{Path: path}); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range callsEach / 2 {
				outer()
			}
		})
	}
	wg.Wait()
	stats, err := rt.Stop()
	if err != nil {
		t.Fatal(err)
	}
	return path, stats
}

// A million calls on eight goroutines: every one is read back, nested as it was called.
func TestMillionCalls(t *testing.T) {
	const calls = 1_000_000
	path, stats := recorded(t, calls/8)
	procs, err := ReadFiles(path)
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	procs[0].Walk(func(g *Goroutine, c *Call, depth int) {
		count++
		want := []string{"report.outer", "report.inner"}[depth]
		if !strings.HasSuffix(c.Func.Name, want) || c.Outcome != Returned || c.End < c.Start {
			t.Fatalf("at depth %d: %+v", depth, c)
		}
	})
	if count != calls || stats.Dropped != 0 || len(procs[0].Goroutines) != 8 || !procs[0].Complete {
		t.Errorf("%d calls were read, %d goroutines, %d events dropped",
			count, len(procs[0].Goroutines), stats.Dropped)
	}
}

// The Trace Event JSON of a recording keeps to the documented format.
func TestTraceEventsOfRecording(t *testing.T) {
	path, _ := recorded(t, 2000)
	procs, err := ReadFiles(path)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := Write(&b, procs, TraceEvent, WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	checkTraceEvents(t, b.Bytes(), 16_000)
}

func TestTraceEvents(t *testing.T) {
	var b bytes.Buffer
	if err := Write(&b, []*Process{exampleProcess()}, TraceEvent, WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	checkTraceEvents(t, b.Bytes(), 9)
}

func TestDamagedFiles(t *testing.T) {
	path, _ := recorded(t, 200)
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{
		"empty": {}, "text": []byte("hello"), "zeros": make([]byte, 8192),
		"another version": append([]byte(".FTRACE9"), good[8:]...),
	} {
		var damaged *FormatError
		if _, err := Read(name, data); !errors.As(err, &damaged) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if procs, err := Read("two", append(bytes.Clone(good), good...)); err != nil ||
		len(procs) != 2 {
		t.Errorf("two recordings in a row: %d, %v", len(procs), err)
	}
	for name, data := range map[string][]byte{
		"cut": good[:len(good)-100],
		"unknown kind": append(bytes.Clone(good[:rt.ChunkSize]),
			append([]byte{15}, good[rt.ChunkSize+1:]...)...),
		"without its last chunk": good[:len(good)-rt.ChunkSize],
		"beside another version": append(bytes.Clone(good), append([]byte(".FTRACE9"),
			good[8:]...)...),
	} {
		procs, err := Read(name, data)
		if err != nil || len(procs) != 1 || len(procs[0].Damage) == 0 ||
			len(procs[0].Goroutines) == 0 {
			t.Errorf("%s: %v", name, err)
			continue
		}
		t.Log(procs[0].Damage[0])
	}
}

// A small recording, cut before each of its bytes and with each of them changed, is read as far as
// it goes: no call that was not there appears, and a cut is told where it is.
func TestCutAndFlipped(t *testing.T) {
	path, _ := recorded(t, 4)
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	count := func(procs []*Process) (n int) {
		for _, p := range procs {
			p.Walk(func(*Goroutine, *Call, int) { n++ })
		}
		return n
	}
	whole, err := Read("whole", good)
	if err != nil || len(whole[0].Damage) > 0 {
		t.Fatal(err, whole)
	}
	calls := count(whole)
	for n := range good {
		procs, err := Read("cut", good[:n])
		if n < rt.ChunkSize {
			if err == nil {
				t.Fatalf("%d bytes are a recording", n)
			}
			continue
		}
		if err != nil || len(procs[0].Damage) == 0 || count(procs) > calls {
			t.Fatalf("cut to %d bytes: %v, %d calls of %d", n, err, count(procs), calls)
		}
		if at := procs[0].Damage[len(procs[0].Damage)-1].Offset; at != int64(n) {
			t.Fatalf("cut to %d bytes, but the damage is at %d", n, at)
		}
	}
	// An event has 16 bytes at least: more calls than that cannot be in the file.
	most := len(good) / rt.WordSize
	for i := range good {
		for _, flip := range []byte{1, 0x80, 0xff} {
			bad := bytes.Clone(good)
			bad[i] ^= flip
			procs, err := Read("flipped", bad)
			if err == nil && count(procs) > most {
				t.Fatalf("byte %d: %d calls", i, count(procs))
			}
		}
	}
}

// TestDepthsThatNoCallsExplain reads pieces that jump between no open calls and the
// most there can be: to follow each jump takes a second for a megabyte, so a quarter
// of an hour for a recording of the largest size.
func TestDepthsThatNoCallsExplain(t *testing.T) {
	data := make([]byte, 1<<20)
	put := func(off int, words ...uint64) {
		for i, w := range words {
			binary.LittleEndian.PutUint64(data[off+i*rt.WordSize:], w)
		}
	}
	put(0, rt.Magic)
	put(rt.HeaderRate, math.Float64bits(1))
	sequence := uint64(0)
	for chunk := rt.ChunkSize; chunk < len(data); chunk += rt.ChunkSize {
		for off := 0; off+
			rt.PieceWords*rt.WordSize <= rt.ChunkSize; off += rt.PieceWords * rt.WordSize {
			sequence++
			put(chunk+off, sequence%2*rt.MaxDepth<<32|uint64(rt.KindPiece), sequence, 1, 0, 0, 0)
		}
	}
	procs, err := Read("jumps", data)
	if err != nil || len(procs[0].Damage) == 0 {
		t.Error(err)
	}
}

func FuzzRead(f *testing.F) {
	// Chunks are mostly empty, which the fuzzer would spend its time on: an input is the beginnings
	// of the chunks.
	const part = 256
	path, _ := recorded(f, 16)
	good, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	var seed []byte
	for off := 0; off < min(len(good), 4*rt.ChunkSize); off += rt.ChunkSize {
		seed = append(seed, good[off:][:part]...)
	}
	f.Add(seed)
	f.Add(seed[:part])
	f.Fuzz(func(t *testing.T, input []byte) {
		var data []byte
		for ; len(input) > 0 && len(data) < 16*rt.ChunkSize; input = input[min(part, len(input)):] {
			chunk := make([]byte, rt.ChunkSize)
			copy(chunk, input[:min(part, len(input))])
			data = append(data, chunk...)
		}
		procs, err := Read("fuzz", data)
		if err != nil {
			return
		}
		for _, format := range []Format{Tree, TraceEvent, Folded, JSON, Perfetto, OTLP,
			Speedscope} {
			var b bytes.Buffer
			if err := Write(&b, procs, format, WriteOptions{Durations: true}); err != nil {
				t.Error(format, err)
			}
		}
	})
}
