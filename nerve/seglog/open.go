package seglog

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/internal/claims"
	"github.com/octopus-framework/octopus/nerve/vfs"
)

const lockName = "lock"

// Recovery is what Open found at the end of a log that was not closed.
type Recovery struct {
	// Unclean says that the log was not closed and its last segment was read.
	Unclean bool
	// File, Offset and CutBytes name a torn end that was never acknowledged
	// and was cut off. CutBytes is 0 if there was none.
	File     string
	Offset   int64
	CutBytes int64
	// PointersMoved counts consumers that had seen records which a power cut
	// took; their pointers and acks end with the log now. It is 0 under
	// SyncAlways.
	PointersMoved int
}

// Open opens the log in a folder, making it if need be (not with ReadOnly). A
// writer holds the lock on the folder: a second one gets a LockedError.
//
// After a crash it reads the last segment and cuts a torn end that was never
// acknowledged, see [Log.Recovery]. If acknowledged records at the end of the
// log are damaged it refuses with a CorruptError, because going on would give
// their ids to other records; [Repair] is the way out, and ReadOnly still reads
// the rest. Damage elsewhere does not keep a log from opening: the reads that
// meet it say so, and [Log.Damage] lists what Open saw.
func Open(dir string, options Options) (*Log, error) {
	options = options.withDefaults()
	l := &Log{
		dir: dir, options: options, disk: options.FS,
		claims: claims.Table{Lease: options.Lease, Now: options.Now},
		pack:   compressor{kind: options.Compression, min: options.CompressMin},
		done:   make(chan struct{}),
		retain: make(chan struct{}, 1),
	}
	if err := l.open(); err != nil {
		if l.active.file != nil {
			l.active.file.Close()
		}
		if l.state != nil {
			l.state.close()
		}
		if l.lock != nil {
			l.lock.Close()
		}
		return nil, err
	}
	for _, damage := range l.damage {
		l.options.Logger.Error("nerve: damage", "error", damage)
	}
	l.startBackground()
	return l, nil
}

func (l *Log) open() error {
	if !l.options.ReadOnly {
		if err := l.disk.MkdirAll(l.dir); err != nil {
			return ioError("create", l.dir, err)
		}
		lock, err := l.disk.Lock(join(l.dir, lockName))
		if errors.Is(err, vfs.ErrLocked) {
			return &nerve.LockedError{Path: l.dir}
		}
		if err != nil {
			return ioError("lock", l.dir, err)
		}
		l.lock = lock
	}
	if err := l.openState(); err != nil {
		return err
	}
	if l.options.ReadOnly {
		return l.lookAgain(func(m mark) error {
			_, err := l.openRecords(m)
			return err
		})
	}
	trimmed, err := l.openRecords(l.state.current())
	if err != nil {
		return err
	}
	if err := l.removeLeftovers(trimmed); err != nil {
		return err
	}
	if err := l.clampPointers(); err != nil {
		return err
	}
	if err := l.loadKeys(); err != nil {
		return err
	}
	return l.saveMark(true)
}

// openState opens the state file, and makes it in a folder without a log.
func (l *Log) openState() error {
	var err error
	l.state, err = openState(l.disk, l.dir, l.options.ReadOnly)
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	firsts, err := l.listSegments()
	if l.options.ReadOnly && errors.Is(err, fs.ErrNotExist) {
		return noQueue(l.disk, l.dir)
	}
	if err != nil {
		return err
	}
	if len(firsts) > 0 {
		return &nerve.CorruptError{File: join(l.dir, stateName),
			Reason: "the file is missing beside segments; a repair makes a new one"}
	}
	if l.options.ReadOnly {
		return noQueue(l.disk, l.dir)
	}
	if err := createState(l.disk, l.dir, mark{seq: 1, logID: rand.Uint64(), low: 1}); err != nil {
		return err
	}
	l.state, err = openState(l.disk, l.dir, false)
	return err
}

// openRecords finds the segments and the last record. It lists the folder after
// the mark was read: a writer in another process has put no record below that mark
// into a segment that is not in the list. It returns the segments that hold nothing
// any more, which a crash kept a trim from removing.
func (l *Log) openRecords(m mark) (trimmed []segment, err error) {
	firsts, err := l.listSegments()
	if err != nil {
		return nil, err
	}
	l.low.Store(uint64(m.low))
	l.visible.Store(uint64(m.visible))
	l.synced.Store(uint64(m.synced))
	l.segments, l.index, l.damage = nil, nil, l.stateDamage()
	if trimmed, err = l.openSegments(firsts, m); err != nil {
		return nil, err
	}
	return trimmed, l.openEnd(m)
}

// listSegments returns the first records of all files that are named like a
// segment, in order.
func (l *Log) listSegments() ([]nerve.ID, error) {
	names, err := l.disk.List(l.dir)
	if err != nil {
		return nil, ioError("list", l.dir, err)
	}
	return segmentsAmong(names), nil
}

// splitTrimmed divides a list into the segments that hold nothing at or above low
// and the others. The last one is always kept.
func splitTrimmed(list []segment, low nerve.ID) (trimmed, kept []segment) {
	n := 0
	for n+1 < len(list) && list[n+1].first <= low {
		n++
	}
	return list[:n], list[n:]
}

// openSegments lists the segments, from headers and footers, and notes what is
// wrong with them. The last one may lack a footer.
func (l *Log) openSegments(firsts []nerve.ID, m mark) (trimmed []segment, err error) {
	for _, first := range firsts {
		s, err := l.openSegment(first, m.logID)
		var foreign *nerve.FormatError
		if errors.As(err, &foreign) {
			l.note(&nerve.CorruptError{File: foreign.Path, Reason: foreign.Reason})
			continue
		}
		if err != nil {
			return nil, err
		}
		l.segments = append(l.segments, s)
	}
	trimmed, l.segments = splitTrimmed(l.segments, m.low)
	l.checkChain(m)
	return trimmed, nil
}

// openSegment reads header and footer of one segment. A FormatError says that
// the file belongs to another log or another place.
func (l *Log) openSegment(first nerve.ID, logID uint64) (segment, error) {
	s := segment{first: first, last: first - 1, path: join(l.dir, segmentName(first)),
		salt: saltOf(logID, first), size: segmentHeaderSize}
	f, err := l.disk.OpenRead(s.path)
	if err != nil {
		return s, ioError("open", s.path, err)
	}
	defer f.Close()
	b := make([]byte, segmentHeaderSize)
	n, _ := f.ReadAt(b, 0)
	h, reason := decodeSegmentHeader(b[:n])
	switch {
	case reason == "" && h.logID != logID:
		return s, &nerve.FormatError{Path: s.path,
			Reason: "the segment belongs to another log; it is left alone"}
	case reason == "" && h.first != first:
		return s, &nerve.FormatError{Path: s.path,
			Reason: fmt.Sprintf(
				"the file is a copy of the segment that begins with record %d; it is left alone",
				h.first)}
	}
	s.prevCRC, s.damaged = h.prevCRC, reason != ""
	if _, err := s.readFooter(f); err != nil {
		return s, ioError("read", s.path, err)
	}
	ours, err := s.isOurs(f)
	if err != nil {
		return s, ioError("read", s.path, err)
	}
	if !ours {
		return s, &nerve.FormatError{Path: s.path, Reason: notASegment + "; it is left alone"}
	}
	if s.damaged {
		l.note(&nerve.CorruptError{File: s.path, First: first, Last: first - 1, Reason: reason})
	}
	return s, nil
}

// checkChain notes segments that are missing, overlap, or lack a footer though
// others follow.
func (l *Log) checkChain(m mark) {
	if len(l.segments) == 0 {
		return
	}
	if first := l.segments[0].first; first > m.low {
		l.note(&nerve.CorruptError{File: join(l.dir, segmentName(m.low)), First: m.low,
			Last: first - 1, Reason: "the segment is missing"})
	}
	for i := range l.segments[:len(l.segments)-1] {
		s, next := &l.segments[i], l.segments[i+1]
		switch {
		case !s.sealed:
			l.note(&nerve.CorruptError{File: s.path, First: s.first, Last: next.first - 1,
				Reason: "the end of the segment is missing or damaged"})
			s.last, s.sealed, s.damaged = next.first-1, true, true
		case s.last+1 < next.first:
			l.note(&nerve.CorruptError{File: join(l.dir, segmentName(s.last+1)), First: s.last + 1,
				Last: next.first - 1, Reason: "the segment is missing"})
		case s.last+1 > next.first:
			l.note(&nerve.CorruptError{File: next.path, First: next.first, Last: s.last,
				Reason: "the segment begins inside the one before"})
		case !s.damaged && !next.damaged && s.lastCRC != next.prevCRC:
			l.note(&nerve.CorruptError{File: next.path, First: next.first, Last: next.first - 1,
				Reason: "the segment does not follow the one before"})
		}
	}
}

// openEnd finds the last record and makes the last segment the active one.
func (l *Log) openEnd(m mark) error {
	last := m.low - 1
	if n := len(l.segments); n > 0 {
		s := &l.segments[n-1]
		if !s.sealed {
			end, err := l.scanEnd(s, m)
			if err != nil {
				return err
			}
			last = end
		} else {
			last = s.last
		}
		l.lastNano = s.lastNano
	}
	if last < m.synced {
		lost := &nerve.CorruptError{File: join(l.dir, segmentName(last+1)), First: last + 1,
			Last: m.synced, Reason: "acknowledged records at the end of the log are missing"}
		if n := len(l.segments); n > 0 {
			lost.File, lost.Offset = l.segments[n-1].path, l.segments[n-1].size
		}
		if !l.options.ReadOnly {
			return lost
		}
		l.note(lost)
		last = m.visible
	}
	l.visible.Store(uint64(last))
	if l.options.ReadOnly {
		return nil
	}
	if len(l.segments) == 0 {
		if m.low > 1 {
			return &nerve.CorruptError{File: join(l.dir, segmentName(m.low)), First: m.low,
				Last: m.low - 1, Reason: "all segments are missing"}
		}
		return nil
	}
	return l.openActive()
}

// openActive opens the last segment for appends.
func (l *Log) openActive() error {
	s := &l.segments[len(l.segments)-1]
	f, err := l.disk.Open(s.path)
	if err != nil {
		return ioError("open", s.path, err)
	}
	l.active = active{segment: *s, file: f, prevCRC: s.lastCRC, limit: l.limitBehind(0)}
	if n := len(l.segments); n > 1 {
		l.active.limit = l.limitBehind(l.segments[n-2].size)
	}
	if s.sealed {
		l.index = s.readIndex(f)
	} else if err := f.Truncate(s.size); err != nil {
		// The end that the scan rejected must not be met again.
		return ioError("truncate", s.path, err)
	}
	// What a killed process left, content and name, may be in memory only.
	if err := f.Sync(); err != nil {
		return ioError("sync", s.path, err)
	}
	if err := l.disk.SyncDir(l.dir); err != nil {
		return ioError("sync", l.dir, err)
	}
	if n := len(l.index); n > 0 && s.last >= s.first {
		l.active.indexed = l.index[n-1].offset
	} else {
		l.index = nil
	}
	l.synced.Store(l.visible.Load())
	return nil
}

// removeLeftovers removes unfinished files and segments that were trimmed.
func (l *Log) removeLeftovers(trimmed []segment) error {
	names, err := l.disk.List(l.dir)
	if err != nil {
		return ioError("list", l.dir, err)
	}
	var paths []string
	for _, s := range trimmed {
		paths = append(paths, s.path)
	}
	for _, name := range names {
		base, isTemp := strings.CutSuffix(name, tempSuffix)
		_, isSegment := parseSegmentName(base)
		if isTemp && (isSegment || base == stateName || base == keysName ||
			slices.Contains(spareNames[:], name)) {
			paths = append(paths, join(l.dir, name))
		}
	}
	for _, path := range paths {
		if err := l.disk.Remove(path); err != nil {
			return ioError("remove", path, err)
		}
	}
	if len(paths) == 0 {
		return nil
	}
	if err := l.disk.SyncDir(l.dir); err != nil {
		return ioError("sync", l.dir, err)
	}
	return nil
}

// clampPointers moves pointers that a power cut left beyond the end, which
// happens only when appends are not synced before they are acknowledged.
func (l *Log) clampPointers() error {
	_, last := l.Bounds()
	var moved []nerve.Pointer
	for _, p := range l.state.pointers() {
		if p.Highest() > last {
			l.options.Logger.Warn("nerve: a consumer was ahead of what a crash left", "consumer",
				p.Name, "pointer", p.Highest(), "last", last)
			p.Clamp(last)
			moved = append(moved, p)
		}
	}
	l.recovery.PointersMoved = len(moved)
	if len(moved) == 0 {
		return nil
	}
	return l.state.savePointers(moved, time.Now().UnixNano())
}

func (l *Log) note(damage *nerve.CorruptError) { l.damage = append(l.damage, damage) }

// Recovery returns what Open found and did.
func (l *Log) Recovery() Recovery { return l.recovery }

// Damage returns what Open found damaged and could work around. [Verify] looks
// at everything.
func (l *Log) Damage() []*nerve.CorruptError {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return slices.Clone(l.damage)
}

// startBackground starts what the options ask for.
func (l *Log) startBackground() {
	if l.options.ReadOnly {
		return
	}
	if l.options.Durability == SyncInterval {
		l.every(l.options.SyncEvery, nil, func() {
			_ = l.Sync() // a failure stops the log, which tells it, once
		})
	}
	if l.options.RetainAge > 0 || l.options.RetainBytes > 0 {
		l.every(retainEvery, l.retain, func() {
			if err := l.applyRetention(context.Background()); err != nil &&
				!errors.Is(err, nerve.ErrClosed) {
				l.options.Logger.Error("nerve: retention", "dir", l.dir, "error", err)
			}
		})
	}
}

// every runs work until Close, at an interval and when kicked.
func (l *Log) every(interval time.Duration, kick <-chan struct{}, work func()) {
	l.background.Add(1)
	go func() {
		defer l.background.Done()
		tick := time.NewTicker(interval)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
			case <-kick:
			case <-l.done:
				return
			}
			work()
		}
	}()
}
