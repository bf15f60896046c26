package main

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/octopus-framework/octopus/nerve"
)

// tailing measures one writer alone, then with two consumers that follow it
// and save pointers.
func tailing(c config, dir string) ([]result, error) {
	events := makeEvents(packSize * 8)
	samples := make([]sample, 4)
	for round := range c.rounds {
		if err := tailRound(c, filepath.Join(dir, fmt.Sprintf("tail-%d", round)), events, samples); err != nil {
			return nil, err
		}
	}
	var results []result
	for i, op := range []string{"writer-alone", "writer-with-2-tails", "tail-1", "tail-2"} {
		results = append(results, samples[i].result("nerve", op))
	}
	return results, nil
}

func tailRound(c config, dir string, events [][]byte, samples []sample) error {
	opened, err := openNerve(dir)
	if err != nil {
		return err
	}
	defer opened.close()
	e := opened.(*nerveEngine)
	if err := writeRound(&samples[0], e, events, c.packs); err != nil {
		return err
	}
	total := c.packs * packSize
	failed := make(chan error, 2)
	start := time.Now()
	for i := range 2 {
		consumer, err := e.queue.Consumer(fmt.Sprintf("tail-%d", i), nerve.ConsumerOptions{Start: nerve.StartLatest()})
		if err != nil {
			return err
		}
		defer consumer.Close()
		go func() {
			err := follow(consumer, total)
			samples[2+i].add(total, time.Since(start), nil)
			failed <- err
		}()
	}
	if err := writeRound(&samples[1], e, events, c.packs); err != nil {
		return err
	}
	for range 2 {
		if err := <-failed; err != nil {
			return err
		}
	}
	return nil
}

func follow(c *nerve.Consumer, total int) error {
	var b nerve.Batch
	sum := 0
	for seen := 0; seen < total; seen += b.Len() {
		if err := c.Next(context.Background(), &b); err != nil {
			return err
		}
		for rec := range b.All() {
			sum += len(rec.Data)
		}
		if err := c.AckThrough(b.Last()); err != nil {
			return err
		}
	}
	return nil
}
