package seglog

import (
	"context"
	"slices"
	"time"

	"github.com/octopus-framework/octopus/nerve"
)

// drainPart is the part of a segment that must be filled before a trim of
// everything begins a new one, so that frequent trims of a short queue do not
// make a file each.
const drainPart = 8

// Trim implements nerve.Log. Ids are given up exactly; space comes back by
// whole segments, and at most an eighth of a segment stays in a log that was
// trimmed to nothing.
func (l *Log) Trim(ctx context.Context, below nerve.ID) (nerve.ID, error) {
	if err := l.writable(ctx); err != nil {
		return 0, err
	}
	l.write.Lock()
	defer l.write.Unlock()
	if l.closed.Load() {
		return 0, nerve.ErrClosed
	}
	if failed := l.failed.Load(); failed != nil {
		return 0, failed
	}
	low, last := l.Bounds()
	if below > last+1 {
		return low, &nerve.FutureError{ID: below, Next: last + 1}
	}
	below = min(below, l.state.holdBelow(last)+1)
	if below <= low {
		return low, nil
	}
	if below == last+1 && l.active.file != nil && l.active.size > l.active.limit/drainPart {
		if err := l.roll(below, 0); err != nil {
			return low, err
		}
	}
	// A low mark must not outlive the records above it: in the modes that do
	// not sync every commit they come first.
	if err := l.syncActive(); err != nil {
		return low, err
	}
	// Durable before anything is removed: a missing segment above the mark
	// would be damage.
	l.low.Store(uint64(below))
	if err := l.saveMark(true); err != nil {
		return low, err
	}
	return below, l.removeBelow(below)
}

// removeBelow removes the segments that hold nothing at or above low.
func (l *Log) removeBelow(low nerve.ID) error {
	l.mu.Lock()
	gone, kept := splitTrimmed(l.segments, low)
	l.segments = slices.Clone(kept)
	l.mu.Unlock()
	for _, s := range gone {
		if err := l.disk.Remove(s.path); err != nil {
			return ioError("remove", s.path, err)
		}
		l.counters.removed.Add(1)
	}
	if len(gone) == 0 {
		return nil
	}
	if err := l.disk.SyncDir(l.dir); err != nil {
		return ioError("sync", l.dir, err)
	}
	return nil
}

// wakeRetention has retention look now.
func (l *Log) wakeRetention() {
	select {
	case l.retain <- struct{}{}:
	default:
	}
}

// applyRetention trims what the options no longer keep.
func (l *Log) applyRetention(ctx context.Context) error {
	l.mu.RLock()
	segments := l.segments
	l.mu.RUnlock()
	if len(segments) == 0 {
		return nil
	}
	var total int64
	for i, s := range segments {
		total += l.sizeOf(s, i == len(segments)-1)
	}
	oldest := time.Now().Add(-l.options.RetainAge).UnixNano()
	below := segments[0].first
	for _, s := range segments[:len(segments)-1] {
		tooMuch := l.options.RetainBytes > 0 && total > l.options.RetainBytes
		tooOld := l.options.RetainAge > 0 && s.lastNano < oldest
		if !tooMuch && !tooOld {
			break
		}
		total -= s.size
		below = s.last + 1
	}
	low, _ := l.Bounds()
	if below <= low {
		return nil
	}
	first, err := l.Trim(ctx, below)
	if err == nil && first > low {
		l.options.Logger.Info("nerve: retention", "dir", l.dir, "first", first)
	}
	return err
}
