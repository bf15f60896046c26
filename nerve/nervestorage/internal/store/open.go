package store

import (
	"context"
	"errors"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/seglog"
)

// open opens the log and reads the state: the last snapshot and what came after it.
func (s *Store) open() error {
	if err := s.openLog(); err != nil {
		return err
	}
	s.read.log = s.log
	err := s.readPointer()
	if err != nil {
		return err
	}
	first, last := s.log.Bounds()
	for _, id := range s.snapshots {
		if id < first || id > last {
			continue
		}
		if err = s.replay(id, last); err == nil || s.options.FailOnDamage {
			return err
		}
		if _, _, ok := lost(err); !ok {
			return err
		}
	}
	return s.replay(first, last)
}

func (s *Store) openLog() (err error) {
	o := seglog.Options{
		Durability: s.options.Durability, SyncEvery: s.options.SyncEvery,
		SegmentSize: s.options.SegmentSize, MaxBatch: maxBatch, MaxRecord: maxBatch - 4,
		Compression: s.options.Compression, FS: s.options.FS, Logger: s.options.Logger,
		// A segment that is made ahead of time spares a synced append the cost of growing a file.
		// Others do not wait for the disk, and it would be written twice.
		NoSpare: s.options.Durability != seglog.SyncAlways,
	}
	s.log, err = seglog.Open(s.dir, o)
	var damage *nerve.CorruptError
	if !errors.As(err, &damage) || s.options.FailOnDamage {
		return err
	}
	s.options.Logger.Error("nerve_storage: the log is damaged and is repaired; what is replaced "+
		"stays beside it", "folder", s.dir, "error", err)
	if _, err := seglog.Repair(s.dir, true, seglog.VerifyOptions{FS: s.options.FS}); err != nil {
		return err
	}
	s.log, err = seglog.Open(s.dir, o)
	return err
}

// readPointer reads where the snapshots are.
func (s *Store) readPointer() error {
	pointers, err := s.log.Pointers(context.Background())
	if err != nil {
		return err
	}
	for _, p := range pointers {
		if p.Name != pointerName {
			continue
		}
		if len(p.Meta) == 0 || p.Meta[0] != version {
			return &nerve.FormatError{Path: s.dir,
				Reason: "it was written by a later version of nerve_storage; use that one"}
		}
		numbers := &parser{rest: p.Meta[1:]}
		s.snapshots = [2]nerve.ID{nerve.ID(numbers.number()), nerve.ID(numbers.number())}
		return nil
	}
	return nil
}

// replay reads the state from the records first to last.
func (s *Store) replay(first, last nerve.ID) error {
	s.index, s.values, s.size = index{}, make(map[string]*value), 0
	r := &replayer{Store: s}
	snapshot := first == s.snapshots[0] || first == s.snapshots[1]
	for id := first; id <= last; {
		record, err := s.read.record(id)
		if from, to, ok := lost(err); ok {
			if snapshot && id == first {
				return err // there may be another one
			}
			if err := s.damaged(uint64(min(to, last)-max(from, id)+1), err); err != nil {
				return err
			}
			id = max(to, id) + 1
			continue
		}
		if err != nil {
			return err
		}
		r.id = id
		if err := visit(id, record, r); err != nil {
			return &nerve.FormatError{Path: s.dir, Reason: err.Error()}
		}
		s.since += int64(len(record))
		id++
	}
	return nil
}

// replayer makes the state of what records say.
type replayer struct {
	*Store
	id nerve.ID
}

func (r *replayer) reset() {
	r.index, r.values, r.size = index{}, make(map[string]*value), 0
}

func (r *replayer) set(key, value []byte) { r.assign(string(key), value, true, false) }

func (r *replayer) remove(key []byte) { r.assign(string(key), nil, false, false) }

func (r *replayer) acks(id nerve.ID, n uint64) {
	for i := range n {
		r.index.live.remove(id + nerve.ID(i))
	}
}

func (r *replayer) item(number uint64, _ []byte) {
	r.index.add(run{number: number, id: r.id, count: 1})
}

func (r *replayer) items(items run) { r.index.add(items) }
