package store

import (
	"context"
	"encoding/binary"
	"maps"
	"slices"

	"github.com/octopus-framework/octopus/nerve"
)

// pointerName is the pointer that says where snapshots are.
const pointerName = "nerve_storage"

// takeSnapshot writes the state without the values of items, which is what Open reads first.
func (s *Store) takeSnapshot() error {
	s.index.forget()
	s.batch.Reset()
	s.batch.NoSync = true
	s.batch.AppendFunc(s.appendSnapshot)
	size := int64(s.batch.Size())
	id, err := s.append()
	if err == nil {
		err = s.log.Sync()
	}
	if err == nil {
		err = s.savePointer([2]nerve.ID{id, s.snapshots[0]})
	}
	if err != nil {
		s.options.Logger.Warn("nerve_storage: a snapshot cannot be written now", "folder", s.dir,
			"error", err)
		s.since /= 2 // not again with each append
		return err
	}
	s.snapshots = [2]nerve.ID{id, s.snapshots[0]}
	s.since, s.snapshot = 0, size
	s.written()
	return nil
}

// savePointer saves where snapshots are, and holds what is needed of the log.
func (s *Store) savePointer(snapshots [2]nerve.ID) error {
	meta := binary.AppendUvarint([]byte{version}, uint64(snapshots[0]))
	meta = binary.AppendUvarint(meta, uint64(snapshots[1]))
	return s.log.SavePointers(context.Background(), []nerve.Pointer{{Name: pointerName,
		ID: s.needed(snapshots[0]) - 1, Hold: true, Meta: meta}})
}

// needed returns the lowest id that is needed, if there is a snapshot at id.
func (s *Store) needed(id nerve.ID) nerve.ID {
	if low, ok := s.index.live.lowest(); ok && low < id {
		return low
	}
	return id
}

func (s *Store) appendSnapshot(b []byte) []byte {
	b = append(b, version, tagSnapshot)
	for _, key := range slices.Sorted(maps.Keys(s.values)) {
		if v := s.values[key]; v.there {
			b = appendSet(b, key, v.data)
		}
	}
	runs := 0
	for range s.index.all {
		runs++
	}
	b = binary.AppendUvarint(append(b, tagItems), uint64(runs))
	for r := range s.index.all {
		b = binary.AppendUvarint(b, r.number)
		b = binary.AppendUvarint(b, uint64(r.id))
		b = binary.AppendUvarint(b, r.count)
	}
	return b
}
