package seglog

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/vfs"
)

// Seek implements nerve.Log. Where damage hides the times of records it returns
// the record behind the last one that is known to be older.
func (l *Log) Seek(ctx context.Context, t time.Time) (nerve.ID, error) {
	for {
		if ctx.Err() != nil {
			return 0, context.Cause(ctx)
		}
		if l.closed.Load() {
			return 0, nerve.ErrClosed
		}
		if l.options.ReadOnly {
			if err := l.refresh(); err != nil {
				return 0, err
			}
		}
		low, last := l.Bounds()
		id, err := l.seek(t, low, last)
		if errors.Is(err, fs.ErrNotExist) && l.lowNow() != low {
			continue // a trim removed the segment
		}
		return id, err
	}
}

func (l *Log) seek(t time.Time, low, last nerve.ID) (nerve.ID, error) {
	l.mu.RLock()
	segments, tail := l.segments, l.index
	l.mu.RUnlock()
	k := seeker{time: t, id: low}
	for i, s := range segments {
		// The last segment answers for itself: its newest time keeps moving.
		isLast := i == len(segments)-1
		if isLast {
			s.last = last
		} else if s.lastNano != 0 && k.older(s.lastNano) {
			k.id = max(k.id, s.last+1)
			continue
		}
		newer, err := k.inside(l.disk, s, tail)
		if err != nil {
			return 0, err
		}
		if newer {
			break
		}
	}
	return min(k.id, last+1), nil
}

// seeker looks for the first record of a time.
type seeker struct {
	time time.Time
	id   nerve.ID // all before it are older
}

func (k *seeker) older(nano int64) bool { return time.Unix(0, nano).Before(k.time) }

// inside looks through a segment, around damage too, and reports whether it met
// a batch that is not older.
func (k *seeker) inside(disk vfs.FS, s segment, index []indexEntry) (newer bool, err error) {
	f, err := disk.OpenRead(s.path)
	if err != nil {
		return false, ioError("open", s.path, err)
	}
	defer f.Close()
	if s.sealed {
		index = s.readIndex(f)
	}
	offset := int64(segmentHeaderSize)
	for _, e := range index {
		if !k.older(e.unixNano) {
			break
		}
		offset = e.offset
	}
	for {
		end, _, err := s.walk(f, offset, func(at found) bool {
			if newer = !k.older(at.unixNano); !newer {
				k.id = max(k.id, at.last()+1)
			}
			return !newer
		})
		if err != nil {
			return false, ioError("read", s.path, err)
		}
		if newer || k.id > s.last {
			return newer, nil
		}
		next, ok, err := s.nextBatch(f, end+1)
		if err != nil {
			return false, ioError("read", s.path, err)
		}
		if !ok {
			return false, nil
		}
		offset = next.offset
	}
}

// BytesAfter returns how many bytes of the log, as stored and with headers, come
// after record id: the lag of a consumer in bytes. It is exact; a batch of which
// a part comes after id counts whole. Damage on the way counts whole too. It
// reads at most an index and the headers of 64 KiB of batches; in a read-only
// log beside a writer, those of the last segment.
func (l *Log) BytesAfter(id nerve.ID) int64 {
	low, last := l.Bounds()
	if id = max(id, low-1); id >= last {
		return 0
	}
	l.mu.RLock()
	segments, tail := l.segments, l.index
	l.mu.RUnlock()
	var sum int64
	for i := len(segments) - 1; i >= 0; i-- {
		s := segments[i]
		if s.sealed && s.first > id {
			sum += s.size - segmentHeaderSize
			continue
		}
		sum += l.bytesInside(s, tail, max(id, s.first-1), last)
		if s.first <= id {
			break
		}
	}
	return sum
}

// sizeOf is the size of a segment; the list does not know that of the last.
func (l *Log) sizeOf(s segment, last bool) int64 {
	if last {
		return max(s.size, l.tail.Load())
	}
	return s.size
}

// bytesInside counts from the batch of the record after id to the end of a
// segment.
func (l *Log) bytesInside(s segment, index []indexEntry, id, last nerve.ID) int64 {
	f, err := l.openRead(s)
	if err != nil {
		return 0
	}
	defer f.Close()
	end := l.sizeOf(s, !s.sealed)
	// by a writer elsewhere: the end is found by reading
	followed := !s.sealed && l.options.ReadOnly
	if s.sealed {
		index = s.readIndex(f)
	}
	start := int64(segmentHeaderSize)
	for _, e := range index {
		if e.first > id+1 {
			break
		}
		start = e.offset
	}
	from, reached := start, false
	stop, _, _ := s.walk(f, start, func(at found) bool {
		if !reached && at.last() > id {
			from, reached = at.offset, true
		}
		if !followed {
			return !reached
		}
		end = max(end, at.end())
		return at.last() < last
	})
	if !reached {
		from = stop
	}
	return max(0, end-from)
}
