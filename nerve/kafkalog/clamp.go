package kafkalog

import (
	"context"
	"maps"

	"github.com/octopus-framework/octopus/nerve"
)

// clampPointers moves what consumers did back to the end of a topic that lost it
// (see [TruncatedError]). Records that are appended later get the ids of those that
// are gone, and would pass for handled. It is called after the pointers and then
// the bounds were read: no pointer is behind an end that was read after it, unless
// that end was lost.
func (l *Log) clampPointers(ctx context.Context) error {
	seen, err := l.store.seen(ctx)
	if err != nil {
		return err
	}
	past := func() states {
		return l.pastEnd(seen, l.bounds.end())
	}
	if len(past()) == 0 {
		return nil
	}
	// A new leader may have more than it gives away yet.
	if err := l.data.settle(ctx); err != nil {
		return err
	}
	if err := l.refresh(ctx); err != nil {
		return err
	}
	moved := past()
	return l.store.update(ctx, func(now states) (states, error) {
		// Who saved a pointer meanwhile knows of records that came after.
		maps.DeleteFunc(moved, func(name string, _ consumerState) bool {
			return now[name].Write != seen[name].Write
		})
		for name, e := range moved {
			l.options.Logger.Warn("nerve: a consumer was ahead of a topic that lost its end",
				"consumer", name, "pointer", seen[name].ID, "now", e.ID)
		}
		return moved, nil
	})
}

// pastEnd returns the entries that say something of records behind the last one,
// without that.
func (l *Log) pastEnd(entries states, last nerve.ID) states {
	cut := make(states)
	for name, e := range entries {
		p := l.store.pointer(name, &e)
		if e.Saved == 0 || p.Highest() <= last {
			continue
		}
		e.ID, e.Progress = min(e.ID, last), p.Progress.Within(1, last).Packed()
		cut[name] = e
	}
	return cut
}
