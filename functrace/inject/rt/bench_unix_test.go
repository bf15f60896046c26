//go:build unix

package rt

import (
	"syscall"
	"testing"
	"time"
)

// processorTime returns the processor time of this process, the kernel's work for it included.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// Both ways in turns, in processor time, so that it matters little what else the machine does.
func BenchmarkCheaper(b *testing.B) {
	const recordedCalls, parsedCalls = 10_000, 200
	byStack.indent = map[uint64]int{}
	if err := Start(Options{Path: b.TempDir() + "/bench.functrace"}); err != nil {
		b.Fatal(err)
	}
	var recordedTime, parsedTime time.Duration
	for b.Loop() {
		start := processorTime()
		for range recordedCalls {
			sink = leaf(sink)
		}
		middle := processorTime()
		for range parsedCalls {
			sink = parsed(sink)
		}
		recordedTime += middle - start
		parsedTime += processorTime() - middle
	}
	if stats, err := Stop(); err != nil || stats.Dropped > 0 {
		b.Fatal(stats, err)
	}
	recorded := float64(recordedTime) / float64(b.N) / recordedCalls
	parsed := float64(parsedTime) / float64(b.N) / parsedCalls
	b.ReportMetric(recorded, "recorded-ns/call")
	b.ReportMetric(parsed, "parsed-ns/call")
	b.ReportMetric(parsed/recorded, "times-cheaper")
}
