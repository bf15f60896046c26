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

// BytesAfter returns how many bytes of the log, as stored, come after record
// id: the lag of a consumer in bytes. It is exact to the spacing of the index.
func (l *Log) BytesAfter(id nerve.ID) int64 {
	l.mu.RLock()
	segments, tail := l.segments, l.index
	l.mu.RUnlock()
	if id >= nerve.ID(l.visible.Load()) {
		return 0
	}
	var sum int64
	for i := len(segments) - 1; i >= 0; i-- {
		s := segments[i]
		if s.first > id {
			sum += l.sizeOf(s, i == len(segments)-1) - segmentHeaderSize
			continue
		}
		return sum + l.bytesInside(s, i == len(segments)-1, tail, id)
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

func (l *Log) bytesInside(s segment, last bool, tail []indexEntry, id nerve.ID) int64 {
	index := tail
	if s.sealed {
		f, err := l.disk.OpenRead(s.path)
		if err != nil {
			return 0
		}
		defer f.Close()
		index = s.readIndex(f)
	}
	from := int64(segmentHeaderSize)
	for _, e := range index {
		if e.first > id {
			break
		}
		from = e.offset
	}
	return l.sizeOf(s, last) - from
}
