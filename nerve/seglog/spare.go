package seglog

import (
	"errors"
	"slices"
	"time"

	"github.com/octopus-framework/octopus/nerve/vfs"
)

// A write into blocks that were never written makes the file system record
// that they are now, and the sync waits for that record, together with
// whatever other files have in the same journal. So the next segments are
// written full of zeros ahead of time, in the background, at the price of
// writing everything twice. Small batches get up to twice as many syncs a second
// for it. Large ones need the bandwidth that the zeros take, so while those
// come, segments are only prepared when there is a pause.

const (
	// sparePart is the part of a spare that must be in the active segment before
	// the spare is made, so that a short log costs none.
	sparePart = 8
	// spareIdle is how long nothing must have been appended before a spare is
	// worked on that can wait.
	spareIdle = 10 * time.Millisecond
	// spareBatch is the size in bytes from which batches need the bandwidth of
	// the disk more than they need a spare.
	spareBatch = 128 << 10
)

// spareNames are the files that may be there. The first is needed before the
// active segment is full. The second is for a burst, and made only while the
// disk has nothing else to do for this log.
var spareNames = [...]string{"spare" + tempSuffix, "spare2" + tempSuffix}

type spares struct {
	ready   []spareFile // oldest first
	working bool
	failed  bool  // not tried again before the next roll
	limit   int64 // limit of the segment that the next spare is for; it may grow meanwhile
}

type spareFile struct {
	path string
	file vfs.File
	size int64
}

// prepareSpare starts the preparation of spare segments if it is time. The
// write lock is held.
func (l *Log) prepareSpare() {
	limit := l.limitBehind(l.active.limit)
	if l.options.NoSpare || l.active.size < limit/sparePart {
		return
	}
	l.spareMu.Lock()
	defer l.spareMu.Unlock()
	s := &l.spares
	s.limit = limit
	if len(s.ready) >= l.mostSpares(limit) || s.working || s.failed || l.closed.Load() {
		return
	}
	s.working = true
	l.background.Add(1)
	go func() {
		defer l.background.Done()
		for l.addSpare() {
		}
	}()
}

// mostSpares is how many there may be while the next segment has this limit: one
// as long as segments grow.
func (l *Log) mostSpares(limit int64) int {
	if limit < l.options.SegmentSize {
		return 1
	}
	return len(spareNames)
}

// addSpare fills one file and reports whether there is room for more.
func (l *Log) addSpare() (more bool) {
	l.spareMu.Lock()
	size, path := l.spares.limit, ""
	for _, name := range spareNames {
		path = join(l.dir, name)
		if !slices.ContainsFunc(l.spares.ready, func(s spareFile) bool { return s.path == path }) {
			break
		}
	}
	l.spareMu.Unlock()
	f, err := l.fillSpare(path, size)
	l.spareMu.Lock()
	defer l.spareMu.Unlock()
	s := &l.spares
	if err == nil {
		s.ready = append(s.ready, spareFile{path, f, size})
	} else {
		// Segments are then made when they are needed, which works or
		// tells the caller why it does not.
		s.failed = true
		l.options.Logger.Debug("nerve: no spare segment", "dir", l.dir, "error", err)
	}
	s.working = err == nil && len(s.ready) < l.mostSpares(s.limit)
	return s.working
}

func (l *Log) fillSpare(path string, size int64) (vfs.File, error) {
	f, err := l.disk.Create(path)
	if err != nil {
		return nil, err
	}
	last := l.progress()
	// a pause comes first, unless others say it need not
	last.appends, last.bytes = last.appends-1, last.bytes-spareBatch
	if err := f.Fill(size, func() bool { return l.spareTurn(&last) }); err != nil {
		return nil, errors.Join(err, f.Close(), l.disk.Remove(path))
	}
	return f, nil
}

// progress is how much was appended since the log was opened.
type progress struct{ appends, bytes uint64 }

func (l *Log) progress() progress {
	return progress{l.counters.appends.Load(), l.counters.appendedBytes.Load()}
}

// leavesRoom reports whether a piece of a spare may be written after what was
// appended since last: nothing, or small batches while a spare is needed.
func (p progress) leavesRoom(last progress, needed bool) bool {
	appends, bytes := p.appends-last.appends, p.bytes-last.bytes
	return appends == 0 || needed && bytes/appends < spareBatch
}

// spareTurn waits until it is time to write the next piece of a spare. It
// reports whether to stop, because the log is being closed.
func (l *Log) spareTurn(last *progress) (stop bool) {
	for !l.closed.Load() {
		now := l.progress()
		before := *last
		*last = now
		if now.leavesRoom(before, l.needsSpare()) {
			return false
		}
		select {
		case <-l.done:
			return true
		case <-time.After(spareIdle):
		}
	}
	return true
}

// needsSpare reports whether no spare is ready.
func (l *Log) needsSpare() bool {
	l.spareMu.Lock()
	defer l.spareMu.Unlock()
	return len(l.spares.ready) == 0
}

// takeSpare returns the oldest prepared file that has size bytes, under the name
// temp, nil if there is none. Older ones that are too small are removed: those
// that come will be larger still.
func (l *Log) takeSpare(temp string, size int64) vfs.File {
	l.spareMu.Lock()
	defer l.spareMu.Unlock()
	s := &l.spares
	s.failed = false
	if size > l.options.SegmentSize {
		return nil
	}
	for len(s.ready) > 0 && s.ready[0].size < size {
		s.ready[0].file.Close()
		_ = l.disk.Remove(s.ready[0].path) // else the next Open does
		s.ready = slices.Delete(s.ready, 0, 1)
	}
	if len(s.ready) == 0 {
		return nil
	}
	oldest := s.ready[0]
	s.ready = slices.Delete(s.ready, 0, 1)
	if err := l.disk.Rename(oldest.path, temp); err != nil {
		oldest.file.Close()
		return nil
	}
	return oldest.file
}

// dropSpares removes the prepared files, when the background work is done.
func (l *Log) dropSpares() (err error) {
	for _, s := range l.spares.ready {
		err = errors.Join(err, s.file.Close(), l.disk.Remove(s.path))
	}
	return err
}
