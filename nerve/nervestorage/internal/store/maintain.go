package store

import (
	"context"
	"time"

	"github.com/octopus-framework/octopus/nerve"
)

const (
	// maintainEvery is how often space is given back while there is something to do.
	maintainEvery = time.Second
	// retainEvery is how often RetainAge is looked at.
	retainEvery = 10 * time.Second
	// maxStragglers is how many items may be copied forward at a time.
	maxStragglers = 64
	// rareness is one item in how many records that makes it a straggler.
	rareness = 16
)

// wake sees to it that tick runs after d at the latest.
func (s *Store) wake(d time.Duration) {
	if s.closed || s.due > 0 && s.due <= d {
		return
	}
	s.due = d
	if s.timer == nil {
		s.timer = time.AfterFunc(d, s.tick)
	} else {
		s.timer.Reset(d)
	}
}

// tick writes what is pending and gives space back. It runs again while there is something to do.
func (s *Store) tick() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.due = 0
	if s.usable() != nil {
		return
	}
	s.flush()
	if now := time.Now(); now.Sub(s.trimmed) >= maintainEvery {
		s.trimmed = now
		s.expire(now)
		s.copyForward()
		s.trim()
	}
	if s.read.used || s.index.live.count > 0 && s.options.RetainAge > 0 {
		s.wake(maintainEvery)
	}
	if !s.read.used {
		_ = s.read.close() // gives memory back, and a file that may be trimmed
	}
	s.read.used = false
}

// trim gives back the segments that nothing needs. A snapshot that is in the way is written anew
// when there would be much to give back.
func (s *Store) trim() {
	low, last := s.log.Bounds()
	if s.log.Bytes() <= s.options.SegmentSize/4 || last < low {
		return
	}
	needed := s.needed(last + 1)
	if needed > s.snapshots[0] && s.since > s.options.SegmentSize/4 {
		if s.takeSnapshot() != nil {
			return
		}
	}
	below := s.needed(s.snapshots[0])
	if below <= low {
		return
	}
	err := s.savePointer(s.snapshots)
	if err == nil {
		_, err = s.log.Trim(context.Background(), below)
	}
	if err != nil {
		s.options.Logger.Warn("nerve_storage: space cannot be given back now", "folder", s.dir,
			"error", err)
	}
}

// expire drops items that are older than RetainAge.
func (s *Store) expire(now time.Time) {
	if s.options.RetainAge <= 0 || now.Sub(s.aged) < min(retainEvery, s.options.RetainAge) {
		return
	}
	s.aged = now
	below, err := s.log.Seek(context.Background(), now.Add(-s.options.RetainAge))
	if err == nil {
		s.drop(below)
	}
}

// drop gives up the items in records below id.
func (s *Store) drop(below nerve.ID) {
	n := uint64(0)
	for {
		id, ok := s.index.live.lowest()
		if !ok || id >= below {
			break
		}
		s.index.live.remove(id)
		s.acks = append(s.acks, id)
		n++
	}
	if n > 0 {
		s.count.dropped += n
		s.options.Logger.Warn("nerve_storage: items were dropped", "folder", s.dir, "items", n)
		s.flush()
	}
}

// copyForward writes the few items that hold many segments anew at the end.
func (s *Store) copyForward() {
	low, ok := s.index.live.lowest()
	_, last := s.log.Bounds()
	if !ok || s.log.Bytes() < 4*s.options.SegmentSize || s.intent.left > 0 {
		return
	}
	quarter := uint64(last-low) / 4
	var few []nerve.ID
	for r := range s.index.live.runs(low, quarter) {
		if r.count > maxStragglers || len(few)+int(r.count) > maxStragglers {
			return
		}
		for i := range r.count {
			few = append(few, r.id+nerve.ID(i))
		}
	}
	if uint64(len(few)) > quarter/rareness {
		return
	}
	for _, id := range few {
		if s.copyItem(id) != nil {
			return
		}
	}
}

// copyItem writes the item of record id anew.
func (s *Store) copyItem(id nerve.ID) error {
	record, err := s.read.record(id)
	if err != nil {
		if _, _, ok := lost(err); ok {
			s.drop(id + 1)
		}
		return err
	}
	found := new(itemOnly)
	if err := visit(id, record, found); err != nil {
		return err
	}
	s.batch.Reset()
	s.batch.AppendFunc(func(b []byte) []byte {
		return appendItem(appendAcks(append(b, version), []nerve.ID{id}), found.number, found.value)
	})
	at, err := s.append()
	if err != nil {
		return err
	}
	s.index.live.remove(id)
	s.index.add(run{number: found.number, id: at, count: 1})
	return nil
}

// room returns why the log does not take n more bytes, if so, after giving back what it can.
func (s *Store) room(n int64) error {
	limit := s.options.MaxBytes
	if limit <= 0 || s.log.Bytes()+n <= limit {
		return nil
	}
	if s.trim(); s.log.Bytes()+n <= limit {
		return nil
	}
	if n < limit && s.options.DropOldest {
		for s.log.Bytes()+n > limit {
			low, ok := s.index.live.lowest()
			if !ok {
				break
			}
			_, last := s.log.Bounds()
			s.drop(low + (last-low)/16 + 1)
			s.reclaim()
		}
	} else {
		s.reclaim()
	}
	if size := s.log.Bytes() + n; size > limit {
		s.count.refused++
		return &nerve.FullError{What: "log", Size: size, Limit: limit}
	}
	return nil
}

// reclaim gives back all space that nothing needs.
func (s *Store) reclaim() {
	if s.since > s.options.SegmentSize/8 {
		_ = s.takeSnapshot()
	}
	s.trim()
}
