package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	shopv1 "github.com/octopus-framework/octopus/examples/deposits/shop/v1"
	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/seglog"
)

// The same events through a queue: one producer, two consumers that each keep a result of their
// own. What a consumer has counted is saved together with the id of the last event in it, in one
// file that is replaced as a whole, and consuming starts behind that id: whenever the process dies,
// nothing is lost and nothing counted twice.

// saveEvery is how many events go between two saves of a result.
const saveEvery = 100_000

// errStopped stands for the death of the process.
var errStopped = errors.New(
	"died in the middle, as asked for; run again without -stop-after to go on")

// runQueue produces n events into the queue in dir, unless they are there, and lets both consumers
// run to the end; or dies after stop of them when that is not 0.
func runQueue(ctx context.Context, w io.Writer, dir string, n, stop int) error {
	log, err := seglog.Open(filepath.Join(dir, "log"), seglog.Options{})
	if err != nil {
		return err
	}
	queue := nerve.New(log, nerve.Options{})
	var write measurement
	_, last := queue.Bounds()
	missing := n - int(last)
	if err := write.run(missing, func() error { return produce(ctx, queue, n) }); err != nil {
		return errors.Join(err, queue.Close())
	}
	if missing > 0 {
		fmt.Fprintf(w, "%d events appended durably: %s\n", missing, write)
	}
	results := []*result{
		{name: "by-user", key: func(d *shopv1.DepositReader) (string, int64) {
			return fmt.Sprint(d.GetUser().GetId()), d.GetAmount()
		}},
		{name: "by-country", key: func(d *shopv1.DepositReader) (string, int64) {
			return strings.Clone(d.GetUser().GetGeo().GetCountry()), 1
		}},
	}
	errs := make(chan error, len(results))
	for _, r := range results {
		go func() { errs <- r.consume(ctx, queue, dir, n, stop) }()
	}
	var all []error
	for range results {
		all = append(all, <-errs)
	}
	err = errors.Join(all...)
	if errors.Is(err, errStopped) {
		return errStopped // nothing is closed, nothing saved
	}
	if err == nil {
		results[0].print(w, 3, 100)
		results[1].print(w, 3, 1)
	}
	return errors.Join(err, queue.Close())
}

// produce appends the events that are not in the queue yet: event i has the id i+1.
func produce(ctx context.Context, queue *nerve.Queue, n int) error {
	_, last := queue.Bounds()
	gen := newGenerator()
	var batch nerve.Batch
	for i := range n {
		event := gen.event(i)
		if i < int(last) {
			continue
		}
		batch.AppendFunc(event.MarshalAppend)
		if batch.Len() == 1000 || i == n-1 {
			if _, err := queue.AppendBatch(ctx, &batch); err != nil {
				return err
			}
			batch.Reset()
		}
	}
	return nil
}

// result is what one consumer counts, by key.
type result struct {
	name string
	key  func(*shopv1.DepositReader) (string, int64)

	Last   nerve.ID // the last event in Sums
	Events int
	Sums   map[string]int64
}

func (r *result) consume(ctx context.Context, queue *nerve.Queue, dir string, n, stop int) error {
	file := filepath.Join(dir, r.name+".json")
	if err := r.load(file); err != nil {
		return err
	}
	consumer, err := queue.Consumer(r.name, nerve.ConsumerOptions{Hold: true})
	if err != nil {
		return err
	}
	// The pointer is never ahead of the saved result, because events are acknowledged after it.
	if err := consumer.Seek(nerve.StartAfter(r.Last)); err != nil {
		return err
	}
	for r.Events < n {
		for d, err := range nerve.Typed[shopv1.DepositReader](ctx, consumer) {
			if err != nil {
				return err
			}
			key, value := r.key(d.Value)
			r.Sums[key] += value
			r.Last, r.Events = d.ID, r.Events+1
			if r.Events == stop {
				return errStopped
			}
			if r.Events%saveEvery == 0 || r.Events == n {
				break
			}
		}
		if err := r.save(file); err != nil {
			return err
		}
		if err := consumer.AckThrough(r.Last); err != nil {
			return err
		}
	}
	return nil
}

func (r *result) load(file string) error {
	r.Sums = map[string]int64{}
	text, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return json.Unmarshal(text, r)
}

func (r *result) save(file string) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if err := os.WriteFile(file+".new", text, 0o666); err != nil {
		return err
	}
	return os.Rename(file+".new", file)
}

func (r *result) print(w io.Writer, top int, unit float64) {
	keys := make([]string, 0, len(r.Sums))
	all := int64(0)
	for key, sum := range r.Sums {
		keys = append(keys, key)
		all += sum
	}
	slices.SortFunc(keys, func(a, b string) int {
		if d := r.Sums[b] - r.Sums[a]; d != 0 {
			return int(d)
		}
		return strings.Compare(a, b)
	})
	fmt.Fprintf(w, "%-12s %d events, %.2f in all:", r.name, r.Events, float64(all)/unit)
	for _, key := range keys[:min(top, len(keys))] {
		fmt.Fprintf(w, "  %s %.2f", key, float64(r.Sums[key])/unit)
	}
	fmt.Fprintln(w, "  ...")
}
