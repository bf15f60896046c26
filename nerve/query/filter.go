package query

import (
	"github.com/octopus-framework/octopus/gremlin/dynamic"
	"github.com/octopus-framework/octopus/nerve"
)

// Filter is a condition on records, for programs that read them themselves. It does not change.
type Filter struct{ plan *Plan }

// CompileFilter compiles a condition on messages of type t. Errors are of type *Error: they say
// where, what, and what may be meant.
func CompileFilter(t *dynamic.Type, where string) (*Filter, error) {
	p, err := Compile(t, Query{Select: []string{"1"}, Where: where, Workers: 1})
	if err != nil {
		return nil, err
	}
	return &Filter{plan: p}, nil
}

// Matcher applies a filter. It is not safe for concurrent use: each goroutine makes its own.
type Matcher struct{ scanner *scanner }

// Matcher makes a Matcher.
func (f *Filter) Matcher() *Matcher { return &Matcher{scanner: f.plan.scanner()} }

// Match tells whether a record meets the condition. A record that is no message of the type, or for
// which the condition has no value, does not; Stats counts those. Many records at once are a lot
// faster with Select.
func (m *Matcher) Match(rec nerve.Record) bool {
	s := m.scanner
	_ = s.add(rec) // a filter is not strict
	_ = s.finish()
	found := len(s.sel) > 0
	s.reset()
	return found
}

// Select appends the records of b that meet the condition to found, and returns it. They alias b.
func (m *Matcher) Select(b *nerve.Batch, found []nerve.Record) []nerve.Record {
	s := m.scanner
	var pending []nerve.Record
	flush := func() {
		_ = s.finish()
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
		s.reset()
		pending = pending[:0]
	}
	for rec := range b.All() {
		_ = s.add(rec)
		if pending = append(pending, rec); s.full() {
			flush()
		}
	}
	if len(pending) > 0 {
		flush()
	}
	return found
}

// Stats is what the matcher has done.
func (m *Matcher) Stats() Stats { return m.scanner.stats }

// Columns tells whether the condition runs over columns; otherwise cel-go's interpreter evaluates
// each record.
func (f *Filter) Columns() bool { return f.plan.where == nil || f.plan.where.Columns }

// Reset sets Stats to zero.
func (m *Matcher) Reset() { m.scanner.stats = Stats{} }
