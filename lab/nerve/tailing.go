package main

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/octopus-framework/octopus/nerve"
)

// tailing measures one writer alone and with two consumers that follow it and
// save pointers, in turns; which comes first changes from round to round. It does
// so for nerve both ways.
func tailing(c config, dir string) ([]result, error) {
	var all []result
	for _, name := range []string{nerveName, cachedName} {
		results, err := tailingOf(c, name, filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		all = append(all, results...)
	}
	return all, nil
}

func tailingOf(c config, name, dir string) ([]result, error) {
	events := makeEvents(packSize * 8)
	e, err := openNamed(name, dir)
	if err != nil {
		return nil, err
	}
	if err := writeRound(new(sample), e, events, c.packs); err != nil {
		return nil, err
	}
	ops := []string{"writer-alone", "writer-with-2-tails", "tail-1", "tail-2"}
	samples := make([]sample, len(ops))
	alone := func() error { return writeRound(&samples[0], e, events, c.packs) }
	stages := 1
	if name == nerveName {
		stages = 2
	}
	for round := range c.pace.rounds("tails of "+name, c.rounds, stages) {
		if round%2 == 0 {
			if err := alone(); err != nil {
				return nil, err
			}
		}
		if err := tailRound(c, e, round, events, samples[1:]); err != nil {
			return nil, err
		}
		if round%2 == 1 {
			if err := alone(); err != nil {
				return nil, err
			}
		}
	}
	var results []result
	for i, op := range ops {
		r := samples[i].result(name, op)
		if i > 0 {
			r.OfAlone = samples[i].over(&samples[0])
		}
		if i > 1 {
			r.OfWriter = samples[i].over(&samples[1])
		}
		results = append(results, r)
	}
	return results, e.close()
}

// openNamed opens nerve in one of its ways.
func openNamed(name, dir string) (*nerveEngine, error) {
	open := openNerve
	if name == cachedName {
		open = openNerveCached
	}
	e, err := open(dir)
	if err != nil {
		return nil, err
	}
	return e.(*nerveEngine), nil
}

func tailRound(c config, e *nerveEngine, round int, events [][]byte, samples []sample) error {
	total := c.packs * packSize
	failed := make(chan error, 2)
	start := time.Now()
	for i := range 2 {
		consumer, err := e.queue.Consumer(fmt.Sprintf("tail-%d-%d", round, i), nerve.ConsumerOptions{Start: nerve.StartLatest()})
		if err != nil {
			return err
		}
		defer consumer.Close()
		go func() {
			err := follow(consumer, total)
			samples[1+i].add(total, time.Since(start), nil)
			failed <- err
		}()
	}
	if err := writeRound(&samples[0], e, events, c.packs); err != nil {
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
	for seen := 0; seen < total; seen += b.Len() {
		if err := c.Next(context.Background(), &b); err != nil {
			return err
		}
		sum := 0
		for rec := range b.All() {
			sum += len(rec.Data)
		}
		if err := c.AckThrough(b.Last()); err != nil {
			return err
		}
	}
	return nil
}
