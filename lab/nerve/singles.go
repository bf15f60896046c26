package main

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2"
)

// callers is how many goroutines append one event each and wait for it.
const callers = 1000

// grouping is an engine that makes the appends of many callers durable
// together.
type grouping interface{ appendOne([]byte) error }

func (e *nerveEngine) appendOne(event []byte) error {
	_, err := e.queue.Append(context.Background(), event)
	return err
}

// appendOne groups in the engine's commit pipeline.
func (e *pebbleEngine) appendOne(event []byte) error {
	return e.db.Set(key(atomic.AddUint64(&e.next, 1)), event, pebble.Sync)
}

// singles measures durable appends of one event by many goroutines, for the
// engines that group them, and how many syncs the disk gives to one caller that
// appends 4 KiB each time.
func singles(c config, dir string) ([]result, error) {
	events := makeEvents(packSize)
	b, err := openAll(c, dir, func(r running) bool {
		_, ok := r.engine.(grouping)
		return ok || r.name == floorName
	})
	if err != nil {
		return nil, err
	}
	samples, syncs := make(table), make(table)
	for round := range c.pace.rounds("append-durable-single", c.rounds+1, 1) {
		if round == 1 {
			samples, syncs = make(table), make(table)
		}
		err := b.round(func(r *running) error {
			if r.name == floorName {
				return syncRound(syncs.of(r.name), r.engine.(*floor), c.packs)
			}
			total := c.packs * packSize
			if r.rival {
				total /= 5 // slower ones get the same time, more or less
			}
			return singleRound(samples.of(r.name), r.engine.(grouping).appendOne, events, total)
		})
		if err != nil {
			return nil, err
		}
	}
	return append(syncs.results("sync-4KiB"), samples.results("append-durable-single")...), b.close()
}

func syncRound(s *sample, e *floor, syncs int) error {
	if err := e.prepare(int64(syncs) * 8 << 10); err != nil {
		return err
	}
	page := [][]byte{make([]byte, 4<<10)}
	var times []time.Duration
	start := time.Now()
	for range syncs {
		before := time.Now()
		if err := e.append(page); err != nil {
			return err
		}
		times = append(times, time.Since(before))
	}
	s.add(syncs, time.Since(start), times)
	return nil
}

func singleRound(s *sample, appendOne func([]byte) error, events [][]byte, total int) error {
	runtime.GC()
	var left atomic.Int64
	left.Store(int64(total))
	var mu sync.Mutex
	var times []time.Duration
	var failed error
	var all sync.WaitGroup
	used, start := processorTime(), time.Now()
	for range callers {
		all.Go(func() {
			mine := make([]time.Duration, 0, 2*total/callers)
			var err error
			for n := left.Add(-1); n >= 0 && err == nil; n = left.Add(-1) {
				before := time.Now()
				err = appendOne(events[n%packSize])
				mine = append(mine, time.Since(before))
			}
			mu.Lock()
			defer mu.Unlock()
			times = append(times, mine...)
			if err != nil {
				failed = err
			}
		})
	}
	all.Wait()
	s.add(total, time.Since(start), times)
	s.cpu += processorTime() - used
	return failed
}
