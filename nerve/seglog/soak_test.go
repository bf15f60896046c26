package seglog_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/seglog"
)

var soakFor = flag.Duration("soak", 0, "how long TestSoak runs, not at all by default")

// usage is what may not grow.
type usage struct {
	heap, disk      int64
	resident        int64 // pages, with memory that is not of the heap
	files, routines int
}

func measure(t *testing.T, dir string) usage {
	t.Helper()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	u := usage{heap: int64(m.HeapInuse), routines: runtime.NumGoroutine()}
	if list, err := os.ReadDir("/proc/self/fd"); err == nil {
		u.files = len(list)
	}
	if list, err := os.ReadFile("/proc/self/statm"); err == nil {
		if _, err := fmt.Sscan(string(list), new(int64), &u.resident); err != nil {
			t.Fatal(err)
		}
	}
	segments, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range segments {
		if info, err := os.Stat(path); err == nil { // it may have been trimmed
			u.disk += info.Size()
		}
	}
	return u
}

// TestSoak runs producers and consumers at full speed with retention on, and
// checks that memory, files, goroutines and disk do not grow: the middle of the
// second half may not be above the highest of the first by more than a margin.
func TestSoak(t *testing.T) {
	if *soakFor == 0 {
		t.Skip("make soak runs it")
	}
	dir := t.TempDir()
	const retain = 32 << 20
	l := open(t, dir, seglog.Options{SegmentSize: 4 << 20, RetainBytes: retain})
	q := nerve.New(l, nerve.Options{InFlightBytes: 4 << 20})
	ctx, cancel := context.WithTimeout(context.Background(), *soakFor)
	defer cancel()
	var all sync.WaitGroup
	for w := range 8 {
		all.Add(1)
		go func() {
			defer all.Done()
			soakProducer(ctx, t, q, w)
		}()
	}
	var read [3]nerve.ID
	for i, name := range []string{"a", "b", "c"} {
		all.Add(1)
		go func() {
			defer all.Done()
			read[i] = soakConsumer(ctx, t, q, name)
		}()
	}
	var seen []usage
	for ctx.Err() == nil {
		time.Sleep(*soakFor / 60)
		seen = append(seen, measure(t, dir))
	}
	all.Wait()
	stats, err := q.Stats()
	if err != nil {
		t.Fatal(err)
	}
	if err := q.Close(); err != nil {
		t.Fatal(err)
	}
	s := l.Stats()
	t.Logf("%d records, %d commits, read %v, last %+v, %d of %d appends direct, %d bytes from memory",
		stats.Records, stats.Commits, read, seen[len(seen)-1], s.DirectAppends, s.Appends,
		s.TailReadBytes)
	if stats.First == 1 || stats.Records == 0 || slices.Min(read[:]) == 0 {
		t.Fatalf("the soak did not reach retention, or read nothing: %+v, %v", stats, read)
	}
	checkFlat(t, seen, retain)
}

func soakProducer(ctx context.Context, t *testing.T, q *nerve.Queue, w int) {
	var b nerve.Batch
	for n := 0; ctx.Err() == nil; n++ {
		b.Reset()
		for i := range 1 + n*(w+1)%400 {
			b.Append(make([]byte, (i*37+n)%700))
		}
		if _, err := q.AppendBatch(ctx, &b); err != nil && ctx.Err() == nil {
			t.Error(err)
			return
		}
	}
}

// soakConsumer reads until ctx ends; when retention overtakes it, it goes on
// with the oldest record there is.
func soakConsumer(ctx context.Context, t *testing.T, q *nerve.Queue, name string) (last nerve.ID) {
	c, err := q.Consumer(name, nerve.ConsumerOptions{})
	if err != nil {
		t.Error(err)
		return 0
	}
	var b nerve.Batch
	for ctx.Err() == nil {
		err := c.Next(ctx, &b)
		var trimmed *nerve.TrimmedError
		switch {
		case err == nil:
			err = c.AckThrough(b.Last())
			last = b.Last()
		case ctx.Err() != nil:
			return last
		case isTrimmed(err, &trimmed):
			err = c.Seek(nerve.StartOldest())
		}
		if err != nil {
			t.Error(err)
			return last
		}
	}
	return last
}

func checkFlat(t *testing.T, seen []usage, retain int64) {
	t.Helper()
	// The first quarter is the start.
	seen = seen[len(seen)/4:]
	half := len(seen) / 2
	compare := func(what string, margin int64, of func(usage) int64) {
		var before, after []int64
		for i, u := range seen {
			if i < half {
				before = append(before, of(u))
			} else {
				after = append(after, of(u))
			}
		}
		slices.Sort(after)
		if got, limit := after[len(after)/2], slices.Max(before)+margin; got > limit {
			t.Errorf("%s grows: %d, was at most %d", what, got, limit-margin)
		}
	}
	compare("heap", 8<<20, func(u usage) int64 { return u.heap })
	compare("resident memory", 32<<20/int64(os.Getpagesize()),
		func(u usage) int64 { return u.resident })
	compare("files", 8, func(u usage) int64 { return int64(u.files) })
	compare("goroutines", 4, func(u usage) int64 { return int64(u.routines) })
	compare("disk", retain, func(u usage) int64 { return u.disk })
}
