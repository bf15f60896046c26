package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sort"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/octopus-framework/octopus/cmd/nerve/internal/open"
	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/seglog"
)

type benchFlags struct {
	records, size, batch, producers int
	durability, compression         string
}

// benchResult is one line of the output, and its JSON form.
type benchResult struct {
	Op   string  `json:"op"`
	Rate float64 `json:"msgs_per_s"`
	P50  float64 `json:"p50_us"`
	P99  float64 `json:"p99_us"`
}

func benchCommand() *cobra.Command {
	var f benchFlags
	cmd := &cobra.Command{
		Use:   "bench PLACE",
		Short: "Measure appends and reads",
		Long: `Measure appends and reads: in a new folder inside DIR, which is removed after,
or in the queue of a URL, which must be empty and is trimmed after. The times
are those of one append call and of reading one batch.`,
		Example: "  nerve bench /var/tmp\n  nerve bench /var/tmp --batch 1 --producers 1000 --records 500000\n" +
			"  nerve bench 'mysql://app@db/shop?queue=bench' --records 100000",
		Args: onePlace,
		RunE: func(cmd *cobra.Command, args []string) error { return runBench(cmd, args[0], f) },
	}
	flags := cmd.Flags()
	flags.IntVar(&f.records, "records", 1_000_000, "how many records")
	flags.IntVar(&f.size, "size", 380, "bytes of a record")
	flags.IntVar(&f.batch, "batch", 1000, "records of one append")
	flags.IntVar(&f.producers, "producers", 1, "goroutines that append")
	flags.StringVar(&f.durability, "sync", "always", "in a folder: always, interval or never")
	flags.StringVar(&f.compression, "compress", "none", "in a folder: none, s2, zstd or lz4")
	return cmd
}

func (f benchFlags) options() (o seglog.Options, err error) {
	modes := map[string]seglog.Durability{"always": seglog.SyncAlways,
		"interval": seglog.SyncInterval, "never": seglog.SyncNever}
	mode, ok := modes[f.durability]
	if !ok {
		return o, usagef("no sync mode %q; there are always, interval and never", f.durability)
	}
	kind, err := seglog.ParseCompression(f.compression)
	if err != nil {
		return o, usageError{err}
	}
	if f.records <= 0 || f.size < 0 || f.batch <= 0 || f.producers <= 0 {
		return o, usagef("records, batch and producers must be above 0, and size not below")
	}
	return seglog.Options{Durability: mode, Compression: kind}, nil
}

func runBench(cmd *cobra.Command, place string, f benchFlags) error {
	options, err := f.options()
	if err != nil {
		return err
	}
	if open.IsFolder(place) {
		if place, err = os.MkdirTemp(place, "nerve-bench-"); err != nil {
			return err
		}
		defer os.RemoveAll(place)
	} else if cmd.Flags().Changed("sync") || cmd.Flags().Changed("compress") {
		return usagef("--sync and --compress are for folders; a server is told in its URL")
	}
	log, err := openLog(cmd, place, open.Create, options)
	if err != nil {
		return err
	}
	queue := nerve.New(log, nerve.Options{})
	defer queue.Close()
	if first, last := queue.Bounds(); last >= first {
		return usagef("%s holds records; name a queue that is empty", open.Name(place))
	}
	write, read, err := f.measure(cmd.Context(), queue)
	if !open.IsFolder(place) {
		err = errors.Join(err, empty(cmd.Context(), queue, log))
	}
	if err != nil {
		return err
	}
	for _, r := range []benchResult{write, read} {
		if wantJSON(cmd) {
			err = errors.Join(err, printJSON(cmd.OutOrStdout(), r))
		} else {
			fmt.Fprintf(cmd.OutOrStdout(), "%-7s %12.0f records/s   p50 %8.1f us   p99 %8.1f us\n",
				r.Op, r.Rate, r.P50, r.P99)
		}
	}
	return err
}

func (f benchFlags) measure(
	ctx context.Context, q *nerve.Queue,
) (write, read benchResult, err error) {
	if write, err = f.benchAppend(ctx, q); err == nil {
		read, err = benchRead(ctx, q)
	}
	return write, read, err
}

// empty takes away what the measuring left in a queue, also after an interrupt.
func empty(ctx context.Context, q *nerve.Queue, log nerve.Log) error {
	ctx = context.WithoutCancel(ctx)
	_, last := q.Bounds()
	_, err := q.Trim(ctx, last+1)
	return errors.Join(err, log.RemovePointer(ctx, benchConsumer))
}

const benchConsumer = "bench"

func (f benchFlags) benchAppend(ctx context.Context, q *nerve.Queue) (benchResult, error) {
	var left atomic.Int64
	left.Store(int64(f.records))
	var mu sync.Mutex
	var all []time.Duration
	var failed error
	var workers sync.WaitGroup
	start := time.Now()
	for range f.producers {
		workers.Add(1)
		go func() {
			defer workers.Done()
			times, err := f.appendSome(ctx, q, &left)
			mu.Lock()
			defer mu.Unlock()
			all = append(all, times...)
			failed = errors.Join(failed, err)
		}()
	}
	workers.Wait()
	return summarize("append", f.records, time.Since(start), all), failed
}

func (f benchFlags) appendSome(ctx context.Context, q *nerve.Queue,
	left *atomic.Int64) ([]time.Duration, error) {
	var times []time.Duration
	record := make([]byte, f.size)
	for i := range record {
		record[i] = byte(i * 7)
	}
	var b nerve.Batch
	for {
		have := left.Add(-int64(f.batch)) + int64(f.batch)
		if have <= 0 {
			return times, nil
		}
		b.Reset()
		for range min(have, int64(f.batch)) {
			b.Append(record)
		}
		start := time.Now()
		if _, err := q.AppendBatch(ctx, &b); err != nil {
			return times, err
		}
		times = append(times, time.Since(start))
	}
}

func benchRead(ctx context.Context, q *nerve.Queue) (benchResult, error) {
	first, last := q.Bounds()
	c, err := q.Consumer(benchConsumer, nerve.ConsumerOptions{})
	if err != nil {
		return benchResult{}, err
	}
	defer c.Close()
	var times []time.Duration
	var b nerve.Batch
	sum := 0
	start := time.Now()
	for next := first; next <= last; next = b.Last() + 1 {
		before := time.Now()
		if err := c.Next(ctx, &b); err != nil {
			return benchResult{}, err
		}
		for rec := range b.All() {
			sum += len(rec.Data)
		}
		if err := c.AckThrough(b.Last()); err != nil {
			return benchResult{}, err
		}
		times = append(times, time.Since(before))
	}
	return summarize("read", int(last-first+1), time.Since(start), times), nil
}

func summarize(op string, records int, took time.Duration, times []time.Duration) benchResult {
	sort.Slice(times, func(i, j int) bool { return times[i] < times[j] })
	at := func(part float64) float64 {
		if len(times) == 0 {
			return 0
		}
		return float64(times[int(part*float64(len(times)-1))].Nanoseconds()) / 1e3
	}
	return benchResult{Op: op, Rate: float64(records) / took.Seconds(), P50: at(0.5), P99: at(0.99)}
}
