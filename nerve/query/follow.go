package query

import (
	"context"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/query/column"
	"github.com/octopus-framework/octopus/nerve/query/internal/expr"
)

// Follow is Run for a query that does not end: its batches wait for records to come, until ctx
// ends, which is no error. Groups must be by bucket(record.time, a constant duration), among
// others; those of a bucket are yielded when a record of a later bucket comes. Rows without
// groups are yielded as they come; they cannot be sorted. There is one worker.
func (p *Plan) Follow(ctx context.Context, src Source) (*Result, error) {
	width := time.Duration(0)
	for _, k := range p.keys {
		if k.expr == nil {
			continue
		}
		if w, is := k.expr.BucketWidth(); is {
			width = w
		}
	}
	switch {
	case p.groups && width <= 0:
		return nil, &Error{Text: "by", Message: "groups that are followed have no end",
			Hint: `group by bucket(record.time, duration("1m"))`}
	case !p.groups && len(p.order) > 0:
		return nil, &Error{Text: "order", Message: "rows that are followed have no order",
			Hint: "leave it out"}
	}
	r, err := p.Run(ctx, src)
	if err != nil {
		return nil, err
	}
	r.width, r.follows = int64(width), true
	return r, nil
}

// runFollow reads batch after batch of the log. The records of one have one time.
func (r *Result) runFollow(yield func(*column.Batch, error) bool) error {
	s := r.plan.scanner(r.meter)
	s.in.Ctx = r.ctx
	defer func() { r.stats.add(&s.stats) }()
	cur, err := r.src.Read(r.ctx, r.stats.First)
	if err != nil {
		return err
	}
	defer cur.Close()
	f := follower{result: r, scanner: s, yield: yield, left: r.plan.query.Limit}
	if r.plan.groups {
		f.open = r.plan.partial()
	}
	var b nerve.Batch
	for r.plan.query.To == 0 || b.Len() == 0 || b.Last() < r.plan.query.To {
		if err := cur.Next(r.ctx, &b); err != nil {
			if r.ctx.Err() != nil {
				return nil
			}
			return err
		}
		if err := f.take(&b); err != nil {
			if r.ctx.Err() != nil {
				return nil
			}
			return err
		}
	}
	return nil
}

// follower has the groups of the bucket that is not closed yet.
type follower struct {
	result  *Result
	scanner *scanner
	yield   func(*column.Batch, error) bool
	open    *partial // nil for a query without groups
	bucket  int64
	begun   bool
	left    int // rows up to the limit of a query without groups
	rows    column.Batch
}

func (f *follower) take(b *nerve.Batch) error {
	if f.open != nil {
		bucket := expr.BucketOf(b.UnixNano, f.result.width)
		if f.begun && bucket != f.bucket {
			if err := f.close(); err != nil {
				return err
			}
		}
		f.bucket, f.begun = bucket, true
	}
	for rec := range b.All() {
		if err := f.scanner.add(rec); err != nil {
			return err
		}
		if f.scanner.full() {
			if err := f.flush(); err != nil {
				return err
			}
		}
	}
	return f.flush()
}

func (f *follower) flush() error {
	s := f.scanner
	if len(s.ids) == 0 {
		return nil
	}
	defer s.reset()
	if err := s.finish(); err != nil {
		return err
	}
	if f.open != nil {
		if err := f.open.add(s); err != nil {
			return err
		}
		if limit := s.plan.memory(); f.open.bytes() > limit {
			return &MemoryError{Groups: int64(f.open.groups.Len()), Limit: limit}
		}
		return nil
	}
	if f.left > 0 {
		s.sel = s.sel[:min(len(s.sel), f.left)]
	}
	if len(s.sel) == 0 {
		return nil
	}
	if err := s.rowBatch(&f.rows); err != nil {
		return err
	}
	if !f.yield(&f.rows, nil) {
		return errStop
	}
	if f.left > 0 {
		if f.left -= len(s.sel); f.left == 0 {
			return errStop
		}
	}
	return nil
}

// close yields the groups of the bucket, and begins the next.
func (f *follower) close() error {
	b, err := f.result.groupsResult(f.open)
	if err != nil {
		return err
	}
	f.open = f.result.plan.partial()
	if b.Rows == 0 {
		return nil
	}
	return emit(b, f.yield)
}
