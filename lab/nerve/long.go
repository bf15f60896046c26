package main

import (
	"fmt"
	"runtime"
	"time"
)

// long measures durable packs without a pause for many seconds, one turn each.
func long(c config, dir string) ([]result, error) {
	if c.long == 0 {
		return nil, nil
	}
	events := makeEvents(packSize * 8)
	b, err := openAll(c, dir, compared)
	if err != nil {
		return nil, err
	}
	samples := make(table)
	for i := range b.open {
		r := &b.open[i]
		c.pace.step("%s for %v", r.name, c.long)
		if f, ok := r.engine.(*floor); ok {
			if err := f.prepare(packSize * floorEvent); err != nil {
				return nil, err
			}
		}
		runtime.GC()
		until := time.Now().Add(c.long)
		err := writeUntil(samples.of(r.name), r.engine, events,
			func() bool { return time.Now().After(until) })
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.name, err)
		}
		time.Sleep(settle)
	}
	return samples.results(fmt.Sprintf("append-%v-1000", c.long)), b.close()
}
