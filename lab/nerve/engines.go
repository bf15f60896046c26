package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
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

const (
	nerveName  = "nerve"
	cachedName = "nerve-cached"
	floorName  = "floor"
)

// engineKind is an engine that can be opened.
type engineKind struct {
	name string
	// open makes the engine in a path of its own, or opens what is there.
	open func(path string) (engine, error)
	// part is the share of the events that the engine gets, so that slow ones
	// take their turn in seconds: 1/part.
	part int
	// rival marks the peers that nerve is measured against.
	rival bool
	// checks says that what read yields has passed a checksum of the engine.
	checks bool
}

var engines = []engineKind{
	{floorName, openFloor, 1, false, true},
	{nerveName, openNerve, 1, false, true},
	{cachedName, openNerveCached, 1, false, true},
	{"tidwall/wal", openTidwall, 1, true, false},
	{"bbolt", openBolt, 1, true, false},
	{"pebble", openPebble, 1, true, true}, // when a block is loaded
	{"raft-wal", openRaftWAL, 10, false, false},
	{"sqlite-modernc", openSQLite, 10, false, false},
	{"nats-jetstream", openNATS, 1000, false, true},
}

// bench is the engines of one part, open.
type bench struct {
	rng  *rand.Rand
	open []running
}

type running struct {
	engine
	name   string
	path   string
	packs  int // in a round
	checks bool
	rival  bool
	// reopens says that the engine finds its events again when it is opened.
	reopens bool
}

// openAll opens the engines that were chosen and are wanted.
func openAll(c config, dir string, wanted func(running) bool) (*bench, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	b := &bench{rng: rand.New(rand.NewPCG(3, 4))}
	for i, e := range engines {
		if len(c.engines) > 0 && !slices.Contains(c.engines, e.name) {
			continue
		}
		r := running{name: e.name, path: filepath.Join(dir, fmt.Sprintf("engine-%d", i)), packs: max(1, c.packs/e.part), checks: e.checks, rival: e.rival, reopens: e.rival || e.name == nerveName || e.name == floorName}
		var err error
		if r.engine, err = e.open(r.path); err != nil {
			return nil, fmt.Errorf("%s: %w", e.name, err)
		}
		if !wanted(r) {
			if err := r.close(); err != nil {
				return nil, err
			}
			continue
		}
		b.open = append(b.open, r)
	}
	return b, nil
}

// settle is the pause after each turn: what an engine does in the background is
// not to slow down the next one.
const settle = 200 * time.Millisecond

// round calls do for each engine, in an order of its own.
func (b *bench) round(do func(*running) error) error {
	for _, i := range b.rng.Perm(len(b.open)) {
		if err := do(&b.open[i]); err != nil {
			return fmt.Errorf("%s: %w", b.open[i].name, err)
		}
		time.Sleep(settle)
	}
	return nil
}

// reopen closes the engine and opens it again.
func (r *running) reopen() error {
	if err := r.close(); err != nil {
		return err
	}
	for _, e := range engines {
		if e.name == r.name {
			var err error
			r.engine, err = e.open(r.path)
			return err
		}
	}
	return nil
}

func (b *bench) close() error {
	for _, r := range b.open {
		if err := r.close(); err != nil {
			return err
		}
	}
	return nil
}
