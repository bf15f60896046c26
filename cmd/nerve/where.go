package main

import (
	"context"
	"fmt"
	"io"

	"github.com/octopus-framework/octopus/gremlin/dynamic"
	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/query"
)

// whereFilter is the condition of tail. The nil one is met by all records.
type whereFilter struct {
	match *query.Matcher
	found []nerve.Record
}

// newWhere compiles a condition on messages of type t, nil if it is not known.
func newWhere(t *dynamic.Type, where string) (*whereFilter, error) {
	f, err := query.CompileFilter(t, where)
	if err != nil {
		return nil, err
	}
	return &whereFilter{match: f.Matcher(0)}, nil
}

// records returns those of b that meet the condition, up to an error.
func (w *whereFilter) records(ctx context.Context, b *nerve.Batch) (_ []nerve.Record, err error) {
	w.found, err = w.match.Select(ctx, b, w.found[:0])
	return w.found, err
}

// lastOf returns the id from which on n records meet the condition, the first id if fewer do.
// It looks at ever longer runs of records from the end.
func (w *whereFilter) lastOf(ctx context.Context, log nerve.Log, n uint64) (nerve.ID, error) {
	first, last := log.Bounds()
	end := last + 1
	for size := nerve.ID(1 << 12); n > 0 && end > first; size *= 4 {
		begin := first
		if end-first > size {
			begin = end - size
		}
		ids, err := w.between(ctx, log, begin, end)
		if err != nil {
			return 0, err
		}
		if uint64(len(ids)) >= n {
			return ids[uint64(len(ids))-n], nil
		}
		n -= uint64(len(ids))
		end = begin
	}
	return end, nil
}

// between returns the ids from begin up to end, not included, of records that meet the condition.
func (w *whereFilter) between(ctx context.Context, log nerve.Log, begin, end nerve.ID,
) (ids []nerve.ID, err error) {
	cur, err := log.Read(ctx, begin)
	if err != nil {
		return nil, err
	}
	defer cur.Close()
	var b nerve.Batch
	for next := begin; next < end; next = b.Last() + 1 {
		if err := cur.Next(ctx, &b); err != nil {
			return nil, err
		}
		found, err := w.records(ctx, &b)
		if err != nil {
			return nil, err
		}
		for _, rec := range found {
			if rec.ID < end {
				ids = append(ids, rec.ID)
			}
		}
	}
	return ids, nil
}

// report says what could not be decided.
func (w *whereFilter) report(errs io.Writer) {
	if w == nil {
		return
	}
	s := w.match.Stats()
	if s.Undecodable > 0 {
		fmt.Fprintf(errs, "skipped: %d records that do not decode, the first is %d\n",
			s.Undecodable, s.FirstUndecodable)
	}
	if s.Errors > 0 {
		fmt.Fprintf(errs, "skipped: %d errors, first: record %d: %s\n", s.Errors, s.FirstError,
			s.FirstErrorText)
	}
}
