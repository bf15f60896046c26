package seglog

import (
	"errors"

	"github.com/octopus-framework/octopus/nerve/vfs"
)

// A write into blocks that were never written makes the file system record
// that they are now, and the sync waits for that record, together with
// whatever other files have in the same journal. So the next segment is
// written full of zeros ahead of time, in the background: about twice as many
// syncs a second, at the price of writing everything twice.

const (
	spareName = "spare" + tempSuffix
	// sparePart is the part of the active segment that must be filled before
	// the next is prepared, so that a short log costs no spare.
	sparePart = 8
)

// spare is a prepared file, or the reason why there is none.
type spare struct {
	file    vfs.File // nil while there is none
	working bool
	failed  bool // not tried again before the next roll
}

// prepareSpare starts the preparation of the next segment if it is time. The
// write lock is held.
func (l *Log) prepareSpare() {
	if l.options.NoSpare || l.active.size < l.options.SegmentSize/sparePart {
		return
	}
	l.spareMu.Lock()
	defer l.spareMu.Unlock()
	if l.spare.file != nil || l.spare.working || l.spare.failed || l.closed.Load() {
		return
	}
	l.spare.working = true
	l.background.Add(1)
	go func() {
		defer l.background.Done()
		file, err := l.writeSpare()
		l.spareMu.Lock()
		defer l.spareMu.Unlock()
		l.spare = spare{file: file, failed: err != nil}
		if err != nil {
			// Segments are then made when they are needed, which works or
			// tells the caller why it does not.
			l.options.Logger.Debug("nerve: no spare segment", "dir", l.dir, "error", err)
		}
	}()
}

func (l *Log) writeSpare() (vfs.File, error) {
	path := join(l.dir, spareName)
	f, err := l.disk.Create(path)
	if err != nil {
		return nil, err
	}
	if err := f.Fill(l.options.SegmentSize, l.closed.Load); err != nil {
		return nil, errors.Join(err, f.Close(), l.disk.Remove(path))
	}
	return f, nil
}

// takeSpare returns the prepared file under the name temp, nil if there is none.
func (l *Log) takeSpare(temp string, size int64) vfs.File {
	l.spareMu.Lock()
	defer l.spareMu.Unlock()
	l.spare.failed = false
	f := l.spare.file
	if f == nil || size > l.options.SegmentSize {
		return nil
	}
	l.spare.file = nil
	if err := l.disk.Rename(join(l.dir, spareName), temp); err != nil {
		f.Close()
		return nil
	}
	return f
}

// dropSpare removes the prepared file, when the background work is done.
func (l *Log) dropSpare() error {
	if l.spare.file == nil {
		return nil
	}
	return errors.Join(l.spare.file.Close(), l.disk.Remove(join(l.dir, spareName)))
}
