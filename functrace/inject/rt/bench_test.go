package rt

import (
	"fmt"
	"io"
	"os"
	"sync"
	"testing"
)

// The cost of a traced call beside that of a plain one and of the way it was done before: the
// goroutine id from runtime.Stack, a lock, a line printed. Compare figures of one run only:
//
//	go test -run=- -bench=. -count=6 ./functrace/inject/rt

var byStack struct {
	mu     sync.Mutex
	indent map[uint64]int
}

//go:noinline
func parsed(x int) int {
	defer printCall("parsed")()
	return x + 1
}

func printCall(name string) func() {
	id, _ := stackID()
	byStack.mu.Lock()
	indent := byStack.indent[id]
	byStack.indent[id] = indent + 1
	byStack.mu.Unlock()
	fmt.Fprintf(io.Discard, "g[%02d]:%*s->%s\n", id, indent*4, "", name)
	return func() {
		byStack.mu.Lock()
		indent := byStack.indent[id] - 1
		byStack.indent[id] = indent
		byStack.mu.Unlock()
		fmt.Fprintf(io.Discard, "g[%02d]:%*s<-%s\n", id, indent*4, "", name)
	}
}

//go:noinline
func switched(x int) int {
	if leafFunc.On() {
		defer Enter(&leafFunc)()
	}
	return x + 1
}

// benchmark runs one call over and over, inside of around if given; the file is small and replaced
// while the clock stands still.
func benchmark(b *testing.B, call func(int) int, around ...func(func())) {
	const perFile = 1 << 20
	path := b.TempDir() + "/bench.functrace"
	b.ReportAllocs()
	b.ResetTimer()
	for done := 0; done < b.N; {
		b.StopTimer()
		if err := Start(Options{Path: path}); err != nil {
			b.Fatal(err)
		}
		call(1)
		b.StartTimer()
		n := min(perFile, b.N-done)
		loop := func() {
			for range n {
				sink = call(sink)
			}
		}
		if len(around) > 0 {
			around[0](loop)
		} else {
			loop()
		}
		done += n
		b.StopTimer()
		if stats, err := Stop(); err != nil || stats.Dropped > 0 {
			b.Fatal(stats, err)
		}
		b.StartTimer()
	}
}

func BenchmarkCall(b *testing.B) {
	b.Run("plain", func(b *testing.B) { benchmark(b, plain) })
	// What instrumented code asks first, for a function that is turned off.
	b.Run("switched-off", func(b *testing.B) {
		leafFunc.state.Store(off)
		defer leafFunc.state.Store(on)
		for b.Loop() {
			sink = switched(sink)
		}
	})
	b.Run("off", func(b *testing.B) {
		decided.Store(true)
		for b.Loop() {
			sink = leaf(sink)
		}
	})
	b.Run("recorded", func(b *testing.B) { benchmark(b, leaf) })
	b.Run("recorded-ring", func(b *testing.B) {
		if err := Start(Options{Path: b.TempDir() + "/x", Ring: true}); err != nil {
			b.Fatal(err)
		}
		b.ReportAllocs()
		for b.Loop() {
			sink = leaf(sink)
		}
		if stats, err := Stop(); err != nil || stats.Dropped > 0 {
			b.Fatal(stats, err)
		}
	})
	// Most calls are not the outermost of their goroutine, which also has to say that it is busy.
	b.Run("recorded-inside", func(b *testing.B) {
		benchmark(b, leaf, func(loop func()) {
			defer Enter(&outerFunc)()
			loop()
		})
	})
	b.Run("recorded-error", func(b *testing.B) {
		benchmark(b, func(x int) int { _ = failing(nil); return x })
	})
	b.Run("recorded-trace", func(b *testing.B) { benchmark(b, traced) })
	b.Run("stack-parsed", func(b *testing.B) {
		byStack.indent = map[uint64]int{}
		b.ReportAllocs()
		for b.Loop() {
			sink = parsed(sink)
		}
	})
}

func BenchmarkParts(b *testing.B) {
	findOffsets()
	b.Run("goroutine-id", func(b *testing.B) {
		for b.Loop() {
			sink += int(goid())
		}
	})
	b.Run("goroutine-id-by-stack", func(b *testing.B) {
		for b.Loop() {
			id, _ := stackID()
			sink += int(id)
		}
	})
	b.Run("clock", func(b *testing.B) {
		if err := Start(Options{Path: b.TempDir() + "/x"}); err != nil {
			b.Fatal(err)
		}
		defer func() { _, _ = Stop() }()
		for b.Loop() {
			sink += int(ticks())
		}
	})
}

// A snapshot of a flight recorder of 64 MiB that is full.
func BenchmarkSnapshot(b *testing.B) {
	if err := Start(Options{Path: b.TempDir() + "/x", Ring: true}); err != nil {
		b.Fatal(err)
	}
	defer func() { _, _ = Stop() }()
	for range DefaultRingBytes / WordSize / 2 {
		sink = leaf(sink)
	}
	b.SetBytes(DefaultRingBytes)
	for b.Loop() {
		path, err := Snapshot("")
		if err != nil {
			b.Fatal(err)
		}
		if err := os.Remove(path); err != nil {
			b.Fatal(err)
		}
	}
}
