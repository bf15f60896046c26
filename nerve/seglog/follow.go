package seglog

import (
	"slices"

	"github.com/octopus-framework/octopus/nerve"
)

// refresh takes over, in a read-only log, what the writer in another process
// did since. The mark is enough to see that something moved.
func (l *Log) refresh() error {
	m, err := l.state.refresh()
	if err != nil {
		return err
	}
	if m.visible <= nerve.ID(l.visible.Load()) && m.low <= nerve.ID(l.low.Load()) {
		return nil
	}
	if err := l.followSegments(m); err != nil {
		return err
	}
	l.low.Store(max(l.low.Load(), uint64(m.low)))
	if m.visible > nerve.ID(l.visible.Load()) {
		l.publish(m.visible)
	}
	return nil
}

// followSegments updates the list from the folder.
func (l *Log) followSegments(m mark) error {
	names, err := l.disk.List(l.dir)
	if err != nil {
		return ioError("list", l.dir, err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	known := len(l.segments)
	list := slices.Clone(l.segments)
	for _, name := range names {
		first, ok := parseSegmentName(name)
		if !ok || known > 0 && first <= list[known-1].first {
			continue
		}
		s, err := l.openSegment(first, m.logID)
		if err != nil {
			return err
		}
		list = append(list, s)
	}
	if len(list) > known && known > 0 {
		before, err := l.openSegment(list[known-1].first, m.logID)
		if err != nil {
			return err
		}
		// A segment with a successor is whole.
		before.last, before.sealed = list[known].first-1, true
		list[known-1] = before
		l.index = nil
	}
	if n := len(list); n > 0 && list[n-1].sealed {
		// The writer may have closed, or be about to append again: its end is
		// where the mark says.
		list[n-1].sealed = false
	}
	for len(list) > 1 && list[1].first <= m.low {
		list = list[1:]
	}
	l.segments = list
	return nil
}
