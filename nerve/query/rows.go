package query

import (
	"context"
	"strings"
	"sync"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/query/column"
)

// rowBatch makes the columns of the selected rows, in memory of out that is used again.
func (s *scanner) rowBatch(out *column.Batch) error {
	p := s.plan
	if out.Columns == nil {
		for _, o := range p.out {
			out.Names = append(out.Names, o.name)
			out.Columns = append(out.Columns, &column.Column{})
		}
	}
	out.Rows = len(s.sel)
	var c column.Column
	for i := range p.values {
		if err := s.column(&p.values[i], &c); err != nil {
			return err
		}
		gather(out.Columns[i], &c, s.sel)
	}
	return nil
}

// runRows yields rows as they are found, in the order of the records.
func (r *Result) runRows(yield func(*column.Batch, error) bool) error {
	many := r.stats.Last >= r.stats.First && r.stats.Last-r.stats.First >= chunkRecords
	if r.plan.workers() > 1 && r.plan.query.Limit == 0 && many {
		return r.runRowsParallel(yield)
	}
	s := r.plan.scanner(r.meter)
	prog, told := &progress{tell: r.plan.query.Progress}, Stats{}
	out := &column.Batch{}
	left := r.plan.query.Limit
	err := s.scan(r.ctx, r.src, r.stats.First, r.stats.Last, func() error {
		prog.report(s.stats, &told)
		if left > 0 {
			s.sel = s.sel[:min(len(s.sel), left)]
		}
		if len(s.sel) == 0 {
			return nil
		}
		if err := s.rowBatch(out); err != nil {
			return err
		}
		if !yield(out, nil) {
			return errStop
		}
		if r.plan.query.Limit > 0 {
			if left -= len(s.sel); left == 0 {
				return errStop
			}
		}
		return nil
	})
	r.stats.add(&s.stats)
	return err
}

// piece is the rows of one run of records.
type piece struct {
	at      nerve.ID
	batches []*column.Batch
}

// runRowsParallel lets workers find rows ahead, and yields them in order.
func (r *Result) runRowsParallel(yield func(*column.Batch, error) bool) error {
	ctx, cancel := context.WithCancel(r.ctx)
	defer cancel()
	pieces := make(chan piece)
	// As many runs may be ahead of the one that is yielded as there are workers.
	tickets := make(chan struct{}, 2*r.plan.workers())
	prog := &progress{tell: r.plan.query.Progress}
	var take sync.Mutex
	var failed error
	go func() {
		defer close(pieces)
		failed = r.parallel(ctx, func(ctx context.Context, _ int, s *scanner, next runs) error {
			var told Stats
			for {
				take.Lock()
				select {
				case tickets <- struct{}{}:
				case <-ctx.Done():
					take.Unlock()
					return context.Cause(ctx)
				}
				first, last, more := next()
				take.Unlock()
				if !more {
					return nil
				}
				p := piece{at: first}
				err := s.scan(ctx, r.src, first, last, func() error {
					prog.report(s.stats, &told)
					if len(s.sel) == 0 {
						return nil
					}
					b := &column.Batch{}
					err := s.rowBatch(b)
					own(b)
					p.batches = append(p.batches, b)
					return err
				})
				if err != nil {
					return err
				}
				select {
				case pieces <- p:
				case <-ctx.Done():
					return context.Cause(ctx)
				}
			}
		})
	}()
	waiting := map[nerve.ID]piece{}
	next := r.stats.First
	stopped := false
	for p := range pieces {
		waiting[p.at] = p
		for {
			ready, there := waiting[next]
			if !there {
				break
			}
			delete(waiting, next)
			next += chunkRecords
			<-tickets
			for _, b := range ready.batches {
				if !stopped && !yield(b, nil) {
					stopped = true
					cancel()
				}
			}
		}
	}
	if stopped {
		return errStop
	}
	return failed
}

// own copies the strings of a batch out of the log's memory.
func own(b *column.Batch) {
	for _, c := range b.Columns {
		ownColumn(c)
	}
}

func ownColumn(c *column.Column) {
	if c.Elem != nil {
		ownColumn(c.Elem)
	}
	n := 0
	for _, s := range c.Strings {
		n += len(s)
	}
	if n == 0 {
		return
	}
	var all strings.Builder
	all.Grow(n)
	for _, s := range c.Strings {
		all.WriteString(s)
	}
	rest := all.String()
	for i, s := range c.Strings {
		c.Strings[i], rest = rest[:len(s)], rest[len(s):]
	}
}

// runSorted keeps all rows, or as many as the limit needs, and yields them sorted.
func (r *Result) runSorted(yield func(*column.Batch, error) bool) error {
	s := r.plan.scanner(r.meter)
	prog, told := &progress{tell: r.plan.query.Progress}, Stats{}
	kept := &column.Batch{}
	limit := r.plan.query.Limit
	err := s.scan(r.ctx, r.src, r.stats.First, r.stats.Last, func() error {
		prog.report(s.stats, &told)
		if len(s.sel) == 0 {
			return nil
		}
		b := &column.Batch{}
		if err := s.rowBatch(b); err != nil {
			return err
		}
		own(b)
		kept = joined(kept, b)
		if limit > 0 && kept.Rows > 4*limit+4096 {
			kept = r.plan.ordered(kept, all(kept.Rows))
		}
		if size(kept) > r.plan.memory() {
			return &MemoryError{Groups: int64(kept.Rows), Rows: true, Limit: r.plan.memory()}
		}
		return nil
	})
	r.stats.add(&s.stats)
	if err != nil {
		return err
	}
	if kept.Rows == 0 {
		return nil
	}
	return emit(r.plan.ordered(kept, all(kept.Rows)), yield)
}

func all(n int) []uint32 {
	out := make([]uint32, n)
	for i := range out {
		out[i] = uint32(i)
	}
	return out
}

// joined appends the rows of b to those of a.
func joined(a, b *column.Batch) *column.Batch {
	if a.Rows == 0 {
		return b
	}
	for i, c := range a.Columns {
		joinColumn(c, b.Columns[i], a.Rows, b.Rows)
	}
	a.Rows += b.Rows
	return a
}

func joinColumn(a, b *column.Column, rows, more int) {
	if a.Valid != nil || b.Valid != nil {
		a.Valid = append(validity(a, rows), validity(b, more)...)
	}
	a.Ints = append(a.Ints, b.Ints...)
	a.Floats = append(a.Floats, b.Floats...)
	a.Strings = append(a.Strings, b.Strings...)
	if a.Kind == column.List {
		shift := a.Offsets[rows]
		joinColumn(a.Elem, b.Elem, int(shift), int(b.Offsets[more]))
		for _, o := range b.Offsets[1:] {
			a.Offsets = append(a.Offsets, o+shift)
		}
	}
}

func validity(c *column.Column, rows int) []bool {
	if c.Valid != nil {
		return c.Valid
	}
	out := make([]bool, rows)
	for i := range out {
		out[i] = true
	}
	return out
}

// size is the memory of a batch.
func size(b *column.Batch) (n int64) {
	for _, c := range b.Columns {
		n += sizeOf(c)
	}
	return n
}

func sizeOf(c *column.Column) int64 {
	n := int64(cap(c.Ints)*8 + cap(c.Floats)*8 + cap(c.Strings)*16 + cap(c.Offsets)*4 +
		cap(c.Valid))
	for _, s := range c.Strings {
		n += int64(len(s))
	}
	if c.Elem != nil {
		n += sizeOf(c.Elem)
	}
	return n
}
