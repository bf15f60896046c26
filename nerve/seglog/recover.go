package seglog

import (
	"fmt"
	"io"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/vfs"
)

// scanEnd reads the last segment after a crash: it fills in s and the index,
// returns the last record, and tells a torn end, which may be cut because
// nobody was told that it is durable, from damage.
//
// A batch that cannot be read is damage if a later batch says that it was
// durable, or if the mark does; otherwise the machine went down while it was
// being written. Later batches that are whole do not prove the contrary: in the
// modes that do not sync every commit the disk writes in any order.
func (l *Log) scanEnd(s *segment, m mark) (nerve.ID, error) {
	f, err := l.disk.OpenRead(s.path)
	if err != nil {
		return 0, ioError("open", s.path, err)
	}
	defer f.Close()
	l.recovery.Unclean = true
	scan, err := scanSegment(s, f, scanStart{offset: segmentHeaderSize, want: s.first,
		prevCRC: s.prevCRC, chained: !s.damaged})
	if err != nil {
		return 0, err
	}
	s.last, s.size, s.lastNano, s.lastCRC = scan.last, scan.end, scan.lastNano, scan.lastCRC
	l.index = scan.index
	if scan.reason == "" {
		if l.options.ReadOnly {
			return l.readOnlyEnd(scan, m), nil
		}
		return s.last, nil
	}
	next, ok, err := l.provenAfter(s, f, scan)
	if err != nil {
		return 0, ioError("read", s.path, err)
	}
	if ok {
		damage := &nerve.CorruptError{File: s.path, Offset: scan.end, First: scan.last + 1,
			Last:   min(next.first-1, next.synced),
			Reason: scan.reason + ", and a later batch proves that it was durable"}
		if !l.options.ReadOnly {
			return 0, damage
		}
		l.note(damage)
		if l.state.torn() {
			return max(m.visible, damage.Last), nil
		}
		return m.visible, nil
	}
	if l.options.ReadOnly {
		return l.readOnlyEnd(scan, m), nil
	}
	size, err := f.Size()
	if err != nil {
		return 0, ioError("stat", s.path, err)
	}
	l.recovery.File, l.recovery.Offset, l.recovery.CutBytes = s.path, scan.end, size-scan.end
	if s.last >= m.synced {
		l.options.Logger.Warn("nerve: cut a torn end that was never acknowledged", "file", s.path,
			"offset", scan.end, "bytes", size-scan.end)
	}
	return s.last, nil
}

// readOnlyEnd is the last record known to be acknowledged. There may be more
// in the file, of a writer that is about to sync it. Where the last mark cannot be
// read it is the last record that the next writer would find.
func (l *Log) readOnlyEnd(scan segmentScan, m mark) nerve.ID {
	if l.state.torn() {
		return scan.last
	}
	return min(scan.last, max(m.visible, scan.synced))
}

// provenAfter looks behind the end of a scan for a batch that was written when
// records at that end were known to be durable.
func (l *Log) provenAfter(s *segment, f vfs.File, scan segmentScan) (at found, ok bool, err error) {
	for from := scan.end + 1; ; from = at.offset + 1 {
		at, ok, err = s.nextBatch(f, from)
		if err != nil || !ok {
			return at, false, err
		}
		if at.synced > scan.last {
			return at, true, nil
		}
	}
}

// segmentScan is what a complete reading of a segment found.
type segmentScan struct {
	index    []indexEntry
	batches  int
	last     nerve.ID
	synced   nerve.ID // the batches say that up to here all is durable
	lastNano int64
	lastCRC  uint32
	end      int64  // where the last good batch ends
	reason   string // why there is nothing good at end; empty if nothing was ever written there
	lost     []*nerve.LostError
}

// scanStart is where a scan begins: a place, and what must be there.
type scanStart struct {
	offset  int64
	want    nerve.ID
	prevCRC uint32
	chained bool // prevCRC is known
}

// scanSegment reads every batch of a segment from a place on, until one is not
// whole or does not follow.
func scanSegment(s *segment, f vfs.File, from scanStart) (segmentScan, error) {
	scan := segmentScan{last: from.want - 1, lastCRC: from.prevCRC, end: from.offset}
	chained := from.chained
	body := make([]byte, 0, readChunk)
	check := func(at found) string {
		switch {
		case at.first != scan.last+1:
			return fmt.Sprintf("the batch begins with record %d instead of %d", at.first,
				scan.last+1)
		case chained && at.prevCRC != scan.lastCRC:
			return "the batch does not follow the one before"
		}
		if cap(body) < int(at.stored) {
			size, err := f.Size()
			if err != nil || at.end() > size {
				return "the batch is cut off"
			}
			body = make([]byte, at.stored)
		}
		body = body[:at.stored]
		if n, err := f.ReadAt(body, at.offset+at.size()); n < len(body) {
			if err != nil && err != io.EOF {
				return err.Error()
			}
			return "the batch is cut off"
		}
		if checksum(s.salt, body) != at.bodyCRC {
			return "the checksum of the batch is wrong"
		}
		return ""
	}
	bad := ""
	end, reason, err := s.walk(f, from.offset, func(at found) bool {
		if bad = check(at); bad != "" {
			return false
		}
		if n := len(scan.index); n == 0 || at.offset-scan.index[n-1].offset >= indexSpacing {
			scan.index = append(scan.index, indexEntry{first: at.first, unixNano: at.unixNano,
				offset: at.offset})
		}
		if at.kind == kindLost {
			scan.lost = append(scan.lost, &nerve.LostError{First: at.first, Last: at.last()})
		}
		scan.batches++
		scan.synced = max(scan.synced, at.synced)
		scan.last, scan.lastNano, scan.lastCRC = at.last(), at.unixNano, at.crc
		chained = at.kind != kindLost
		return true
	})
	if err != nil {
		return scan, ioError("read", s.path, err)
	}
	scan.end = end
	if bad != "" {
		reason = bad
	}
	if zeros, err := onlyZeros(f, end); err != nil {
		return scan, ioError("read", s.path, err)
	} else if zeros {
		reason = ""
	}
	scan.reason = reason
	return scan, nil
}
