package store

import (
	"context"
	"time"

	"github.com/octopus-framework/octopus/nerve"
)

type counters struct {
	refused, dropped, damaged uint64
}

// Stats is what a store holds, and what it did since Open.
type Stats struct {
	Items    uint64
	Bytes    int64     // size of the log on disk
	MapBytes int64     // memory for keys that are no items
	Oldest   time.Time // when the oldest item was stored; zero if there is none
	Syncs    uint64
	Refused  uint64 // items for which there was no room
	Dropped  uint64 // items given up, by age or for want of room
	Damaged  uint64 // items, or records, that were damaged
}

// Stats returns a snapshot.
func (s *Store) Stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return Stats{}
	}
	log := s.log.Stats()
	return Stats{Oldest: s.oldest(), Bytes: log.Bytes,
		Items:    s.index.live.count - uint64(len(s.intent.items)),
		MapBytes: s.mapBytes(), Syncs: log.Syncs, Refused: s.count.refused,
		Dropped: s.count.dropped, Damaged: s.count.damaged}
}

// oldest returns when the oldest item was stored.
func (s *Store) oldest() time.Time {
	low, ok := s.index.live.lowest()
	if !ok {
		return time.Time{}
	}
	cursor, err := s.log.Read(context.Background(), low)
	if err != nil {
		return time.Time{}
	}
	defer cursor.Close()
	var b nerve.Batch
	if err := cursor.Next(context.Background(), &b); err != nil {
		return time.Time{}
	}
	return time.Unix(0, b.UnixNano)
}
