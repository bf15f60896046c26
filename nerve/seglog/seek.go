package seglog

import (
	"sort"
	"time"

	"github.com/octopus-framework/octopus/nerve"
)

// Seek implements nerve.Log.
func (l *Log) Seek(t time.Time) (nerve.ID, error) {
	if l.closed.Load() {
		return 0, nerve.ErrClosed
	}
	if l.options.ReadOnly {
		if err := l.refresh(); err != nil {
			return 0, err
		}
	}
	nano := t.UnixNano()
	low, last := l.Bounds()
	l.mu.RLock()
	segments, tail := l.segments, l.index
	l.mu.RUnlock()
	// The last segment answers for itself: its newest time keeps moving.
	i := sort.Search(len(segments), func(i int) bool {
		return i == len(segments)-1 || segments[i].lastNano >= nano
	})
	if i == len(segments) {
		return last + 1, nil
	}
	s := segments[i]
	f, err := l.disk.OpenRead(s.path)
	if err != nil {
		return 0, ioError("open", s.path, err)
	}
	defer f.Close()
	index := tail
	if s.sealed {
		index = s.readIndex(f)
	}
	offset := int64(segmentHeaderSize)
	for _, e := range index {
		if e.unixNano >= nano {
			break
		}
		offset = e.offset
	}
	id := last + 1
	_, _, err = s.walk(f, offset, func(at found) bool {
		if at.first > last {
			return false
		}
		if at.unixNano >= nano {
			id = at.first
			return false
		}
		return true
	})
	if err != nil {
		return 0, ioError("read", s.path, err)
	}
	return max(id, low), nil
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
	f, err := l.disk.OpenRead(s.path)
	if err != nil {
		return 0
	}
	defer f.Close()
	end := l.sizeOf(s, !s.sealed)
	followed := !s.sealed && l.options.ReadOnly // by a writer elsewhere: the end is found by reading
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
