package query

import (
	"context"
	"errors"
	"iter"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/query/column"
	"github.com/octopus-framework/octopus/nerve/query/internal/agg"
	"github.com/octopus-framework/octopus/nerve/query/internal/expr"
)

// Column is a column of a result.
type Column struct {
	Name string
	Type column.Type
}

// Columns returns the columns of the result.
func (p *Plan) Columns() []Column {
	var out []Column
	for _, o := range p.out {
		out = append(out, Column{Name: o.name, Type: o.typ})
	}
	return out
}

// Result is the rows that a query yields. It is not safe for concurrent use.
type Result struct {
	plan  *Plan
	ctx   context.Context
	src   Source
	stats Stats
	meter *expr.Meter

	follows bool
	width   int64 // width of buckets
}

// Run finds out what is to be read. Reading begins with Batches. Errors are those of the source.
// The end of what is read is that of the source now, also while others append.
func (p *Plan) Run(ctx context.Context, src Source) (*Result, error) {
	first, last, err := p.bounds(ctx, src)
	if err != nil {
		return nil, err
	}
	return &Result{plan: p, ctx: ctx, src: src, stats: Stats{First: first, Last: last},
		meter: p.meter()}, nil
}

// Columns returns the columns of all batches.
func (r *Result) Columns() []Column { return r.plan.Columns() }

// Stats is what has been done so far; behind the last batch, all.
func (r *Result) Stats() Stats { return r.stats }

// Batches yields the rows. Their memory is valid until the next batch. An error is the last that is
// yielded: that of the source, of the context, a *MemoryError, a *LimitError, or of strict queries
// a *RecordError.
func (r *Result) Batches() iter.Seq2[*column.Batch, error] {
	return func(yield func(*column.Batch, error) bool) {
		var err error
		switch {
		case r.follows:
			err = r.runFollow(yield)
		case r.plan.groups:
			err = r.runGroups(yield)
		case len(r.plan.order) > 0:
			err = r.runSorted(yield)
		default:
			err = r.runRows(yield)
		}
		if err != nil && !errors.Is(err, errStop) {
			yield(nil, err)
		}
	}
}

func (p *Plan) memory() int64 {
	if p.query.Memory > 0 {
		return p.query.Memory
	}
	return DefaultMemory
}

func (p *Plan) workers() int {
	if p.query.Workers > 0 {
		return p.query.Workers
	}
	return runtime.GOMAXPROCS(0)
}

// chunkRecords is how many records a worker takes at a time.
const chunkRecords = 1 << 16

// runs returns the next run of records for a worker, false when there is none left.
type runs func() (first, last nerve.ID, more bool)

// parallel lets workers take runs of records until there are none left. work is called by each
// worker with its number; it takes runs by calling next.
func (r *Result) parallel(
	ctx context.Context, work func(ctx context.Context, n int, s *scanner, next runs) error,
) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var taken atomic.Uint64
	first, last := r.stats.First, r.stats.Last
	total := uint64(last - first + 1)
	next := func() (nerve.ID, nerve.ID, bool) {
		at := taken.Add(chunkRecords) - chunkRecords
		if at >= total || ctx.Err() != nil {
			return 0, 0, false
		}
		return first + nerve.ID(at), min(first+nerve.ID(at)+chunkRecords-1, last), true
	}
	workers := min(r.plan.workers(), int(total/chunkRecords)+1)
	scanners := make([]*scanner, workers)
	var wg sync.WaitGroup
	for n := range workers {
		scanners[n] = r.plan.scanner(r.meter)
		wg.Go(func() {
			if err := work(ctx, n, scanners[n], next); err != nil {
				cancel(err)
			}
		})
	}
	wg.Wait()
	for _, s := range scanners {
		r.stats.add(&s.stats)
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

// progress tells of what all workers have done.
type progress struct {
	mu   sync.Mutex
	sum  Stats
	tell func(Stats)
}

// report adds what a worker did since last.
func (p *progress) report(now Stats, last *Stats) {
	if p.tell == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sum.Records += now.Records - last.Records
	p.sum.Bytes += now.Bytes - last.Bytes
	p.sum.Matched += now.Matched - last.Matched
	p.sum.Errors += now.Errors - last.Errors
	p.sum.Undecodable += now.Undecodable - last.Undecodable
	*last = now
	p.tell(p.sum)
}

// partial is the groups of one worker.
type partial struct {
	groups *agg.Groups
	states []agg.State
	keys   []*column.Column
	args   []*column.Column
	found  []uint32
}

func (p *Plan) partial() *partial {
	t := &partial{}
	var types []column.Type
	for _, k := range p.keys {
		types = append(types, k.typ)
		t.keys = append(t.keys, &column.Column{})
	}
	t.groups = agg.NewGroups(types)
	for range p.args {
		t.args = append(t.args, &column.Column{})
	}
	for _, c := range p.calls {
		s, _ := agg.New(c.fn)
		s.Grow(t.groups.Len())
		t.states = append(t.states, s)
	}
	return t
}

// add takes in the selected rows of a scanner.
func (t *partial) add(s *scanner) error {
	if len(s.sel) == 0 {
		return nil
	}
	p := s.plan
	for i := range p.keys {
		if err := s.column(&p.keys[i], t.keys[i]); err != nil {
			return err
		}
	}
	if cap(t.found) < len(s.sel) {
		t.found = make([]uint32, len(s.sel))
	}
	t.found = t.found[:len(s.sel)]
	t.groups.Find(t.keys, s.sel, t.found)
	for i := range p.args {
		if err := s.column(&p.args[i], t.args[i]); err != nil {
			return err
		}
	}
	for i, c := range p.calls {
		var arg *column.Column
		if c.arg >= 0 {
			arg = t.args[c.arg]
		}
		t.states[i].Grow(t.groups.Len())
		t.states[i].Add(arg, s.sel, t.found, s.in.IDs)
	}
	return nil
}

func (t *partial) bytes() int64 {
	n := t.groups.Bytes()
	for _, s := range t.states {
		n += s.Bytes()
	}
	return n
}

func (t *partial) merge(o *partial) {
	to := t.groups.Merge(o.groups)
	for i, s := range t.states {
		s.Grow(t.groups.Len())
		s.Merge(o.states[i], to)
	}
}

// runGroups adds everything up and yields the groups.
func (r *Result) runGroups(yield func(*column.Batch, error) bool) error {
	partials := make([]*partial, r.plan.workers())
	var used, groups atomic.Int64
	prog := &progress{tell: r.plan.query.Progress}
	err := r.parallel(r.ctx, func(ctx context.Context, n int, s *scanner, next runs) error {
		t := r.plan.partial()
		partials[n] = t
		var told Stats
		mine, mineGroups := int64(0), int64(0)
		for {
			first, last, more := next()
			if !more {
				return nil
			}
			err := s.scan(ctx, r.src, first, last, func() error {
				if err := t.add(s); err != nil {
					return err
				}
				now, n := t.bytes(), int64(t.groups.Len())
				all := groups.Add(n - mineGroups)
				if used.Add(now-mine) > r.plan.memory() {
					return &MemoryError{Groups: all, Limit: r.plan.memory()}
				}
				mine, mineGroups = now, n
				prog.report(s.stats, &told)
				return ctx.Err()
			})
			if err != nil {
				return err
			}
		}
	})
	if err != nil {
		return err
	}
	var all *partial
	for _, t := range partials {
		switch {
		case t == nil:
		case all == nil:
			all = t
		default:
			all.merge(t)
		}
	}
	if all == nil {
		all = r.plan.partial()
	}
	b, err := r.groupsResult(all)
	if err != nil {
		return err
	}
	return emit(b, yield)
}

// emit yields a batch in pieces.
func emit(b *column.Batch, yield func(*column.Batch, error) bool) error {
	const rows = 4096
	if b.Rows <= rows {
		if !yield(b, nil) {
			return errStop
		}
		return nil
	}
	index := make([]uint32, 0, rows)
	for at := 0; at < b.Rows; at += rows {
		index = index[:0]
		for i := at; i < min(at+rows, b.Rows); i++ {
			index = append(index, uint32(i))
		}
		piece := &column.Batch{Names: b.Names, Rows: len(index)}
		for _, c := range b.Columns {
			out := &column.Column{}
			gather(out, c, index)
			piece.Columns = append(piece.Columns, out)
		}
		if !yield(piece, nil) {
			return errStop
		}
	}
	return nil
}
