package seglog

import (
	"errors"
	"io/fs"
	"sync/atomic"
)

// Stats is what a log did since Open, and what it holds. Of a read-only log
// AppendedRecords are those that its writer was seen to append, in whatever process
// it is, and the other numbers about appends are 0: they are known there alone.
type Stats struct {
	Segments int
	Bytes    int64 // batches and headers in all segments; see FileBytes for what they take

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

// FileBytes returns how long the files of the log are together, in bytes: what it
// holds, and the room for what comes that was prepared ahead, which a clean close
// gives back. It asks for the length of each file.
func (l *Log) FileBytes() (total int64, err error) {
	names, err := l.disk.List(l.dir)
	if err != nil {
		return 0, ioError("list", l.dir, err)
	}
	for _, name := range names {
		n, err := l.lengthOf(join(l.dir, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue // removed meanwhile
		}
		if err != nil {
			return 0, ioError("stat", join(l.dir, name), err)
		}
		total += n
	}
	return total, nil
}

func (l *Log) lengthOf(path string) (int64, error) {
	f, err := l.disk.OpenRead(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	return f.Size()
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
	s.Segments = len(l.segments)
	l.mu.RUnlock()
	s.Bytes = l.Bytes()
	return s
}

// Bytes is the size of the batches and headers in all segments, which Options.MaxBytes
// bounds.
func (l *Log) Bytes() (total int64) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	for i := range l.segments {
		total += l.sizeOf(l.segments[i], i == len(l.segments)-1)
	}
	return total
}
