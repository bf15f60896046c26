package seglog

import (
	"errors"
	"io/fs"
	"slices"

	"github.com/octopus-framework/octopus/nerve"
)

// maxLooks bounds how often a read-only log looks at a folder from which the
// writer removes files meanwhile.
const maxLooks = 100

// Refresh takes over, in a read-only log, what the writer in another process did
// since: bounds and statistics are as old as the last call, and reads, which begin
// with it. On a log that is not read-only it does nothing.
func (l *Log) Refresh() error {
	if !l.options.ReadOnly {
		return nil
	}
	return l.refresh()
}

// refresh does it. The mark is enough to see that something moved.
func (l *Log) refresh() error {
	// One at a time, so that nothing goes back.
	l.following.Lock()
	defer l.following.Unlock()
	m, err := l.lookAtState()
	if err != nil {
		return err
	}
	if m.visible <= nerve.ID(l.visible.Load()) && m.low <= nerve.ID(l.low.Load()) {
		return nil
	}
	return l.lookAgain(func(m mark) error {
		if err := l.followSegments(m); err != nil {
			return err
		}
		l.low.Store(max(l.low.Load(), uint64(m.low)))
		if before := nerve.ID(l.visible.Load()); m.visible > before {
			l.counters.appendedRecords.Add(uint64(m.visible - before))
			l.publish(m.visible)
		}
		return nil
	})
}

// lookAtState reads the mark again.
func (l *Log) lookAtState() (mark, error) {
	m, err := l.state.refresh()
	return m, l.orClosed(err)
}

// lookAgain repeats look, with the present mark, as long as the writer trims
// while it is at work: files that it saw may be gone then.
func (l *Log) lookAgain(look func(mark) error) error {
	var err error
	for range maxLooks {
		m, stateErr := l.lookAtState()
		if stateErr != nil {
			return stateErr
		}
		err = look(m)
		after, stateErr := l.lookAtState()
		if stateErr != nil {
			return stateErr
		}
		if after.low == m.low && !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	return err
}

// lowNow returns the first readable record, for who misses a file: in a read-only
// log the one that is known may be from before a trim.
func (l *Log) lowNow() nerve.ID {
	if l.options.ReadOnly {
		_ = l.refresh() // if it fails, what is known must do
	}
	return nerve.ID(l.low.Load())
}

// followSegments updates the list from the folder.
func (l *Log) followSegments(m mark) error {
	firsts, err := l.listSegments()
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	known := len(l.segments)
	list := slices.Clone(l.segments)
	for _, first := range firsts {
		if known > 0 && first <= list[known-1].first {
			continue
		}
		s, err := l.openSegment(first, m.logID)
		if foreign := (*nerve.FormatError)(nil); errors.As(err, &foreign) {
			continue
		}
		if err != nil {
			return err
		}
		list = append(list, s)
	}
	if len(list) > known && known > 0 {
		before := &list[known-1]
		if slices.Contains(firsts, before.first) { // else it is trimmed already
			if *before, err = l.openSegment(before.first, m.logID); err != nil {
				return err
			}
		}
		// A segment with a successor is whole.
		before.last, before.sealed = list[known].first-1, true
		l.index = nil
	}
	if n := len(list); n > 0 && list[n-1].sealed {
		// The writer may have closed, or be about to append again: its end is
		// where the mark says.
		list[n-1].sealed = false
	}
	_, l.segments = splitTrimmed(list, m.low)
	return nil
}
