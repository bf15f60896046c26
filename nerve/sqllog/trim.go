package sqllog

import (
	"context"
	"time"

	"github.com/octopus-framework/octopus/nerve"
)

const (
	// trimRows is how many rows one transaction deletes: few, because others
	// wait for what a large one does to a server.
	trimRows = 64
	// forgetAfter is how long keys are remembered, at least, of a producer all
	// of whose records were trimmed.
	forgetAfter = 7 * 24 * time.Hour
)

// Trim implements nerve.Log. Ids are given up exactly; their space goes back to
// the table when the last record of a row is. The file of the table does not
// shrink: later rows take the place.
func (l *Log) Trim(ctx context.Context, below nerve.ID) (nerve.ID, error) {
	if err := l.checkWrite(ctx); err != nil {
		return 0, err
	}
	var first int64
	err := l.retryTx(ctx, "trim", func(ctx context.Context, c conn) error {
		s, err := l.readState(ctx, c, l.dialect.sql.lockState)
		if err != nil {
			return err
		}
		if first = s.first; int64(below) > s.next {
			return &nerve.FutureError{ID: below, Next: nerve.ID(s.next)}
		}
		var held int64
		if _, err := queryRow(ctx, c, l.dialect.sql.held, []any{l.id}, &held); err != nil {
			return err
		}
		to := int64(below)
		if held >= 0 {
			to = min(to, held+1)
		}
		if to <= s.first {
			return nil
		}
		first = to
		_, err = c.exec(ctx, l.dialect.sql.trim, first, l.id)
		return err
	})
	if err != nil {
		kept, _ := l.Bounds()
		return kept, err
	}
	l.publish(nerve.ID(first), 0)
	return nerve.ID(first), l.deleteRows(ctx, first)
}

// deleteRows deletes what lies below first.
func (l *Log) deleteRows(ctx context.Context, first int64) error {
	q := &l.dialect.sql
	for more := true; more; {
		err := l.retry(ctx, "trim", func(ctx context.Context, c conn) error {
			upTo := first - 1
			var err error
			// The last row of a step, if there are that many.
			args := []any{l.id, first, trimRows - 1}
			if more, err = queryRow(ctx, c, q.trimStep, args, &upTo); err != nil {
				return err
			}
			_, err = c.exec(ctx, q.deleteBatches, l.id, upTo)
			return err
		})
		if err != nil {
			return err
		}
	}
	return l.retry(ctx, "trim", func(ctx context.Context, c conn) error {
		old := time.Now().Add(-forgetAfter).UnixNano()
		_, err := c.exec(ctx, q.forgetProducers, l.id, first, old)
		return err
	})
}

// Seek implements nerve.Log.
func (l *Log) Seek(ctx context.Context, t time.Time) (nerve.ID, error) {
	if err := l.check(ctx); err != nil {
		return 0, err
	}
	if err := l.refresh(ctx); err != nil {
		return 0, err
	}
	first, last := l.Bounds()
	var id int64
	var found bool
	err := l.retry(ctx, "seek", func(ctx context.Context, c conn) (err error) {
		found, err = queryRow(ctx, c, l.dialect.sql.seek, []any{l.id, unixNano(t)}, &id)
		return err
	})
	if err != nil {
		return 0, err
	}
	if !found || nerve.ID(id) > last {
		return last + 1, nil
	}
	return max(first, nerve.ID(id)), nil
}

// unixNano is t in the range of an int64.
func unixNano(t time.Time) int64 {
	switch {
	case t.Before(time.Unix(0, minNano)):
		return minNano
	case t.After(time.Unix(0, maxNano)):
		return maxNano
	}
	return t.UnixNano()
}

const (
	minNano = -1 << 63
	maxNano = 1<<63 - 1
)
