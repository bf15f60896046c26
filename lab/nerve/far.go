package main

import (
	"context"
	"fmt"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/octopus-framework/octopus/nerve"
)

// far measures a writer of durable packs, and a consumer that reads a long log from
// the disk, each alone and beside the other. Nothing of the log is in the cache of
// the system when the consumer starts.
func far(c config, dir string) ([]result, error) {
	if c.farGiB == 0 {
		return nil, nil
	}
	events := makeEvents(packSize * 8)
	var all []result
	for _, name := range []string{nerveName, cachedName} {
		c.pace.step("%s: %d GiB", name, c.farGiB)
		results, err := farOf(c, name, filepath.Join(dir, name), events)
		if err != nil {
			return nil, err
		}
		all = append(all, results...)
	}
	return all, nil
}

func farOf(c config, name, dir string, events [][]byte) ([]result, error) {
	e, err := openNamed(name, dir)
	if err != nil {
		return nil, err
	}
	defer e.close()
	var alone, reader, beside, readerBeside sample
	size := 0
	for _, event := range events[:packSize] {
		size += len(event)
	}
	if err := writeRound(&alone, e, events, (c.farGiB<<30)/size); err != nil {
		return nil, err
	}
	if err := cold(e, dir, &reader); err != nil {
		return nil, err
	}
	var done atomic.Bool
	written := make(chan error, 1)
	go func() {
		written <- writeUntil(&beside, e, events, done.Load)
	}()
	err = cold(e, dir, &readerBeside)
	done.Store(true)
	if failed := <-written; err == nil {
		err = failed
	}
	var results []result
	for _, r := range []struct {
		op       string
		s, alone *sample
	}{{"far-writer-alone", &alone, nil}, {"far-reader-alone", &reader, nil},
		{"far-writer-beside", &beside, &alone}, {"far-reader-beside", &readerBeside, &reader}} {
		line := r.s.result(name, fmt.Sprintf("%s-%dGiB", r.op, c.farGiB))
		if r.alone != nil {
			line.OfAlone = r.s.over(r.alone)
		}
		results = append(results, line)
	}
	return results, err
}

// cold reads what the log has now, from the disk.
func cold(e *nerveEngine, dir string, s *sample) error {
	if err := evict(dir); err != nil {
		return err
	}
	if err := e.reader.Seek(nerve.StartOldest()); err != nil {
		return err
	}
	_, last := e.queue.Bounds()
	var b nerve.Batch
	used, start := processorTime(), time.Now()
	for id := nerve.ID(0); id < last; id = b.Last() {
		if err := e.reader.Next(context.Background(), &b); err != nil {
			return err
		}
		if err := e.reader.AckThrough(b.Last()); err != nil {
			return err
		}
	}
	s.add(int(last), time.Since(start), nil)
	s.cpu += processorTime() - used
	return nil
}

// writeUntil appends packs until it is told to stop.
func writeUntil(s *sample, e engine, events [][]byte, stop func() bool) error {
	var times []time.Duration
	used, start := processorTime(), time.Now()
	packs := 0
	for ; !stop(); packs++ {
		if f, ok := e.(*floor); ok && f.at+packSize*floorEvent > f.zeroed {
			f.at = 0 // it writes over what it wrote
		}
		from := packs * packSize % len(events)
		before := time.Now()
		if err := e.append(events[from : from+packSize]); err != nil {
			return err
		}
		times = append(times, time.Since(before))
	}
	s.add(packs*packSize, time.Since(start), times)
	s.cpu += processorTime() - used
	return nil
}
