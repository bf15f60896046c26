package main

import (
	"fmt"
	"hash/crc32"
	"path/filepath"
	"runtime"
	"time"
)

// engine is a log or store under comparison. append makes events durable as
// one unit and read yields them all in order; the memory yielded is good for
// the call.
type engine interface {
	append(events [][]byte) error
	read(each func([]byte)) error
	close() error
}

var engines = []struct {
	name string
	open func(dir string) (engine, error)
	// part is the share of the events that the engine gets, so that slow ones
	// take their turn in seconds: 1/part.
	part int
	// checksReads says that what read yields has passed a checksum.
	checksReads bool
}{
	{"nerve", openNerve, 1, true},
	{"tidwall/wal", openTidwall, 1, false},
	{"bbolt", openBolt, 1, false},
	{"pebble", openPebble, 1, false},
	{"raft-wal", openRaftWAL, 2, false},
	{"sqlite-modernc", openSQLite, 2, false},
	{"nats-jetstream", openNATS, 50, false},
}

// compareEngines measures durable packs, then warm ordered reads: of the bytes
// as the engine gives them; with a CRC32C of each event, which nerve has checked
// already and the others leave to the caller; and with Readers on top. Rounds go
// around the engines.
func compareEngines(c config, dir string) ([]result, error) {
	events := makeEvents(packSize * 8)
	size := 0
	for _, e := range events {
		size += len(e)
	}
	fmt.Printf("events of %d bytes on average\n", size/len(events))
	open := make([]engine, len(engines))
	for i, e := range engines {
		var err error
		if open[i], err = e.open(filepath.Join(dir, fmt.Sprintf("engine-%d", i))); err != nil {
			return nil, fmt.Errorf("%s: %w", e.name, err)
		}
		defer open[i].close()
	}
	// A first round does not count: files are new and caches empty then.
	for i, e := range engines {
		if err := writeRound(new(sample), open[i], events, packsOf(c, e.part)); err != nil {
			return nil, fmt.Errorf("%s: append: %w", e.name, err)
		}
	}
	writes := make([]sample, len(engines))
	for range c.rounds {
		for i, e := range engines {
			if err := writeRound(&writes[i], open[i], events, packsOf(c, e.part)); err != nil {
				return nil, fmt.Errorf("%s: append: %w", e.name, err)
			}
		}
	}
	reads, checked, fields := make([]sample, len(engines)), make([]sample, len(engines)), make([]sample, len(engines))
	castagnoli := crc32.MakeTable(crc32.Castagnoli)
	for range c.rounds {
		for i, e := range engines {
			total := (1 + c.rounds) * packsOf(c, e.part) * packSize
			sum := 0
			if err := readRound(&reads[i], open[i], total, func(data []byte) { sum += len(data) }); err != nil {
				return nil, fmt.Errorf("%s: read: %w", e.name, err)
			}
			crc := uint32(0)
			check := func(data []byte) { crc ^= crc32.Checksum(data, castagnoli) }
			if e.checksReads {
				check = func(data []byte) { sum += len(data) }
			}
			if err := readRound(&checked[i], open[i], total, check); err != nil {
				return nil, fmt.Errorf("%s: read: %w", e.name, err)
			}
			var two twoFields
			if err := readRound(&fields[i], open[i], total, two.event); err != nil || two.err != nil {
				return nil, fmt.Errorf("%s: read: %v %v", e.name, err, two.err)
			}
		}
	}
	var results []result
	for i, e := range engines {
		results = append(results,
			writes[i].result(e.name, "append-durable-1000"),
			reads[i].result(e.name, "read-warm"),
			checked[i].result(e.name, "read-warm-crc"),
			fields[i].result(e.name, "read-warm-2-fields"))
	}
	return results, nil
}

func packsOf(c config, part int) int { return max(1, c.packs/part) }

func writeRound(s *sample, e engine, events [][]byte, packs int) error {
	runtime.GC() // the garbage of the engine before is not this one's
	var times []time.Duration
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
	return nil
}

func readRound(s *sample, e engine, total int, each func([]byte)) error {
	runtime.GC()
	var times []time.Duration
	n := 0
	start := time.Now()
	before := start
	err := e.read(func(data []byte) {
		each(data)
		if n++; n%packSize == 0 {
			now := time.Now()
			times = append(times, now.Sub(before))
			before = now
		}
	})
	if err != nil {
		return err
	}
	if n != total {
		return fmt.Errorf("%d of %d events came back", n, total)
	}
	s.add(n, time.Since(start), times)
	return nil
}
