package query

import (
	"context"

	"github.com/octopus-framework/octopus/gremlin/dynamic"
	"github.com/octopus-framework/octopus/nerve"
)

// Filter is a condition on records, for programs that read them themselves. It does not change.
type Filter struct{ plan *Plan }

// CompileFilter compiles a condition on messages of type t, which may be nil as for [Compile].
// Errors are of type *Error: they say where, what, and what may be meant.
func CompileFilter(t *dynamic.Type, where string) (*Filter, error) {
	p, err := Compile(t, Query{Select: []string{"1"}, Where: where, Workers: 1})
	if err != nil {
		return nil, err
	}
	return &Filter{plan: p}, nil
}

// Matcher applies a filter. It is not safe for concurrent use: each goroutine makes its own.
type Matcher struct{ scanner *scanner }

// Matcher makes a Matcher. Cost bounds what the condition may cost for all its records together,
// see [Query]; 0 for no bound.
func (f *Filter) Matcher(cost int64) *Matcher {
	m := f.plan.meter()
	m.Cost = cost
	return &Matcher{scanner: f.plan.scanner(m)}
}

// Match tells whether a record meets the condition. A record that is no message of the type, or for
// which the condition has no value, does not; Stats counts those. The error is that of ctx, or a
// *LimitError about the cost of all records. Many records at once are a lot faster with Select.
func (m *Matcher) Match(ctx context.Context, rec nerve.Record) (bool, error) {
	s := m.scanner
	s.in.Ctx = ctx
	defer s.reset()
	_ = s.add(rec) // a filter is not strict
	err := s.finish()
	return err == nil && len(s.sel) > 0, err
}

// Select appends the records of b that meet the condition to found, and returns it. They alias b.
// Errors are those of Match; then found has those of the records before.
func (m *Matcher) Select(ctx context.Context, b *nerve.Batch, found []nerve.Record) (
	[]nerve.Record, error,
) {
	s := m.scanner
	s.in.Ctx = ctx
	var pending []nerve.Record
	flush := func() error {
		defer s.reset()
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := s.finish(); err != nil {
			return err
		}
		at, last := 0, int64(-1)
		for _, i := range s.sel {
			id := s.in.IDs[i]
			if id == last {
				continue // another element of its list
			}
			for int64(pending[at].ID) != id {
				at++
			}
			found, last = append(found, pending[at]), id
		}
		pending = pending[:0]
		return nil
	}
	for rec := range b.All() {
		_ = s.add(rec)
		if pending = append(pending, rec); s.full() {
			if err := flush(); err != nil {
				return found, err
			}
		}
	}
	if len(pending) == 0 {
		return found, nil
	}
	return found, flush()
}

// Stats is what the matcher has done.
func (m *Matcher) Stats() Stats { return m.scanner.stats }

// Columns tells whether the condition runs over columns; otherwise cel-go's interpreter evaluates
// each record.
func (f *Filter) Columns() bool { return f.plan.where == nil || f.plan.where.Columns }

// Reset sets Stats to zero.
func (m *Matcher) Reset() { m.scanner.stats = Stats{} }
