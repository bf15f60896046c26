package main

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2"
)

// callers is how many goroutines append one event each and wait for it.
const callers = 1000

func (e *nerveEngine) appendOne(event []byte) error {
	_, err := e.queue.Append(context.Background(), event)
	return err
}

// appendOne groups in the engine's commit pipeline.
func (e *pebbleEngine) appendOne(event []byte) error {
	return e.db.Set(key(atomic.AddUint64(&e.next, 1)), event, pebble.Sync)
}

// singles measures durable appends of one event by many goroutines, for the
// engines that group them.
func singles(c config, dir string) ([]result, error) {
	events := makeEvents(packSize)
	type grouping interface {
		engine
		appendOne([]byte) error
	}
	var names []string
	var open []grouping
	for i, e := range engines {
		opened, err := e.open(filepath.Join(dir, fmt.Sprintf("single-%d", i)))
		if err != nil {
			return nil, err
		}
		defer opened.close()
		if g, ok := opened.(grouping); ok {
			names, open = append(names, e.name), append(open, g)
		}
	}
	samples := make([]sample, len(open))
	for range c.rounds {
		for i, e := range open {
			total := c.packs * packSize
			if names[i] != "nerve" {
				total /= 10 // slower ones get the same time, more or less
			}
			if err := singleRound(&samples[i], e.appendOne, events, total); err != nil {
				return nil, fmt.Errorf("%s: %w", names[i], err)
			}
		}
	}
	var results []result
	for i := range open {
		results = append(results, samples[i].result(names[i], "append-durable-single"))
	}
	return results, nil
}

func singleRound(s *sample, appendOne func([]byte) error, events [][]byte, total int) error {
	runtime.GC()
	var left atomic.Int64
	left.Store(int64(total))
	var mu sync.Mutex
	var times []time.Duration
	var failed error
	var all sync.WaitGroup
	start := time.Now()
	for range callers {
		all.Add(1)
		go func() {
			defer all.Done()
			var mine []time.Duration
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
		}()
	}
	all.Wait()
	s.add(total, time.Since(start), times)
	return failed
}
