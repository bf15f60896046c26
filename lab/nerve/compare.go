package main

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"runtime"
	"time"
)

// consume is what a reading measurement does to each event.
type consume struct {
	op string
	// handler returns the function for an engine that checks what it yields,
	// or does not.
	handler func(checks bool) func([]byte)
	// opened reads are the first after the engine was opened again.
	opened bool
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// sink keeps the compiler from leaving work out.
var sink uint64

// touch reads each cache line of an event: an engine that hands out addresses
// has not read anything yet.
func touch(data []byte) {
	sum := uint64(0)
	for ; len(data) > 64; data = data[64:] {
		sum += binary.LittleEndian.Uint64(data)
	}
	if len(data) > 0 {
		sum += uint64(data[0])
	}
	sink += sum
}

// check computes a CRC32C for engines that have none or do not look at it.
func check(checks bool) func([]byte) {
	if checks {
		return func(data []byte) { sink += uint64(len(data)) }
	}
	return func(data []byte) { sink += uint64(crc32.Checksum(data, castagnoli)) }
}

// fields reads two fields by a Reader; both does that after check.
func fields(bool) func([]byte) { return new(twoFields).event }

func both(checks bool) func([]byte) {
	check, fields := check(checks), fields(checks)
	return func(data []byte) {
		check(data)
		fields(data)
	}
}

// The first two let each engine do what it does by itself: nerve checks, bbolt
// does not. With -crc all have checked what the consumer gets.
var consumes = []consume{
	{op: "read-warm", handler: func(bool) func([]byte) { return touch }},
	{op: "read-warm-2-fields", handler: fields},
	{op: "read-warm-crc", handler: check},
	{op: "read-warm-crc-2-fields", handler: both},
	{op: "read-opened-crc", handler: check, opened: true},
}

// bursts measures durable packs in turns of a fraction of a second, with pauses
// in which engines may do what they put off.
func bursts(c config, dir string) ([]result, error) {
	return appends(c, dir, "append-durable-1000", 1, func(running) bool { return true })
}

// sustained measures durable packs in turns that are longer than what can be
// put off: the preparation of files, compactions and the like are paid within.
func sustained(c config, dir string) ([]result, error) {
	return appends(c, dir, "append-sustained-1000", 5, compared)
}

// compared are nerve in both ways, what it is measured against, and the floor.
func compared(r running) bool {
	return r.rival || r.name == nerveName || r.name == cachedName || r.name == floorName
}

func appends(c config, dir, op string, turns int, wanted func(running) bool) ([]result, error) {
	events := makeEvents(packSize * 8)
	b, err := openAll(c, dir, wanted)
	if err != nil {
		return nil, err
	}
	writes := make(table)
	// A first round does not count: files are new and caches empty then.
	for round := range c.pace.rounds(op, c.rounds+1, 1) {
		if round == 1 {
			writes = make(table)
		}
		err := b.round(func(r *running) error { return writeRound(writes.of(r.name), r.engine, events, r.packs*turns) })
		if err != nil {
			return nil, err
		}
	}
	return writes.results(op), b.close()
}

// readPacks is how much there is to read, in rounds of appends: more than the
// caches of a processor hold.
const readPacks = 4

// reads measures warm ordered reads: every cache line touched; with a CRC32C of
// everything, the engine's own if it checks it at each read, else one of each
// event; with Readers that read two fields; and with both. Rivals are also opened again
// before a read with CRC, which is what a process that starts pays: the files
// are in the page cache, but nothing is mapped or in a cache of the engine.
func reads(c config, dir string) ([]result, error) {
	events := makeEvents(packSize * 8)
	b, err := openAll(c, dir, func(running) bool { return true })
	if err != nil {
		return nil, err
	}
	c.pace.step("writing")
	err = b.round(func(r *running) error { return writeRound(new(sample), r.engine, events, readPacks*r.packs) })
	if err != nil {
		return nil, err
	}
	var results []result
	for i, use := range consumes {
		samples := make(table)
		for range c.pace.rounds(use.op, c.rounds, len(consumes)-i) {
			err := b.round(func(r *running) error {
				if use.opened && !r.reopens {
					return nil
				}
				if use.opened {
					if err := r.reopen(); err != nil {
						return err
					}
				}
				return readRound(samples.of(r.name), r.engine, readPacks*r.packs*packSize, use.handler(r.checks))
			})
			if err != nil {
				return nil, err
			}
		}
		results = append(results, samples.results(use.op)...)
	}
	return results, b.close()
}

func writeRound(s *sample, e engine, events [][]byte, packs int) error {
	runtime.GC() // the garbage of the engine before is not this one's
	if f, ok := e.(*floor); ok {
		if err := f.prepare(int64(packs) * packSize * floorEvent); err != nil {
			return err
		}
	}
	var times []time.Duration
	used := processorTime()
	start := time.Now()
	for p := range packs {
		from := p * packSize % len(events)
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

func readRound(s *sample, e engine, total int, each func([]byte)) error {
	runtime.GC()
	times := make([]time.Duration, 0, total/packSize+1)
	n, left := 0, packSize
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	mallocs := memory.Mallocs
	start := time.Now()
	before := start
	err := e.read(func(data []byte) {
		each(data)
		n++
		if left--; left == 0 {
			left = packSize
			now := time.Now()
			times = append(times, now.Sub(before))
			before = now
		}
	})
	took := time.Since(start)
	if err != nil {
		return err
	}
	if n != total {
		return fmt.Errorf("%d of %d events came back", n, total)
	}
	runtime.ReadMemStats(&memory)
	s.allocs += memory.Mallocs - mallocs
	s.add(n, took, times)
	return nil
}
