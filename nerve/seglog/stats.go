package seglog

import (
	"sync/atomic"
)

// Stats is what a log did since Open, and what it holds.
type Stats struct {
	Segments int
	Bytes    int64 // batches and headers in all segments

	Appends         uint64 // batches
	AppendErrors    uint64
	AppendedRecords uint64
	AppendedBytes   uint64 // before compression
	Syncs           uint64
	Rolls           uint64 // segments begun
	Removed         uint64 // segments removed by trims and retention
	ReadRecords     uint64
	ReadBytes       uint64 // after decompression

	DirectAppends uint64 // batches that bypassed the cache of the system
	DirectRefused string // why others did not, though they are large; empty if nothing is wrong
	TailMemory    int64  // bytes of memory that the log has for direct appends
	TailReadBytes uint64 // read from that instead of files
}

type counters struct {
	appends, appendErrors, appendedRecords, appendedBytes atomic.Uint64
	syncs, rolls, removed, readRecords, readBytes         atomic.Uint64
	directAppends                                         atomic.Uint64
}

// Stats returns a snapshot.
func (l *Log) Stats() Stats {
	c := &l.counters
	s := Stats{
		Appends: c.appends.Load(), AppendErrors: c.appendErrors.Load(),
		AppendedRecords: c.appendedRecords.Load(), AppendedBytes: c.appendedBytes.Load(),
		Syncs: c.syncs.Load(), Rolls: c.rolls.Load(), Removed: c.removed.Load(),
		ReadRecords: c.readRecords.Load(), ReadBytes: c.readBytes.Load(),
		DirectAppends: c.directAppends.Load(), TailMemory: int64(l.ring.size()),
		TailReadBytes: l.ring.readBytes.Load(),
	}
	if reason := l.direct.refused.Load(); reason != nil {
		s.DirectRefused = *reason
	}
	l.mu.RLock()
	defer l.mu.RUnlock()
	s.Segments = len(l.segments)
	for i, seg := range l.segments {
		s.Bytes += l.sizeOf(seg, i == len(l.segments)-1)
	}
	return s
}
