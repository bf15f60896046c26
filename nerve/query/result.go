package query

import (
	"slices"

	"github.com/octopus-framework/octopus/nerve/query/column"
	"github.com/octopus-framework/octopus/nerve/query/internal/agg"
	"github.com/octopus-framework/octopus/nerve/query/internal/expr"
)

// groupsResult makes the rows of a result of groups: sorted by key, those that meet the condition,
// in the order asked for.
func (r *Result) groupsResult(t *partial) (*column.Batch, error) {
	p, stats := r.plan, &r.stats
	n := t.groups.Len()
	stats.Groups = int64(n)
	keys := t.groups.Keys()
	calls := make([]*column.Column, len(t.states))
	for i, s := range t.states {
		c, overflows := s.Result()
		calls[i] = c
		if overflows > 0 {
			stats.Errors += int64(overflows)
			if stats.FirstErrorText == "" {
				stats.FirstErrorText = "overflow in " + p.calls[i].text
			}
		}
	}
	in := expr.Input{Rows: n, Now: p.query.Now, Ctx: r.ctx, Meter: r.meter}
	for _, v := range p.vars {
		if v.key >= 0 {
			in.Cols = append(in.Cols, *keys[v.key])
		} else {
			in.Cols = append(in.Cols, *calls[v.call])
		}
	}
	b := &column.Batch{}
	for _, o := range p.out {
		b.Names = append(b.Names, o.name)
		switch {
		case o.key >= 0:
			b.Columns = append(b.Columns, keys[o.key])
		case o.call >= 0:
			b.Columns = append(b.Columns, calls[o.call])
		default:
			c, err := overRows(o.expr, &in, stats)
			if err != nil {
				return nil, err
			}
			b.Columns = append(b.Columns, c)
		}
	}
	rows := agg.Sorted(keys, n)
	if p.having != nil {
		met, err := overRows(p.having, &in, stats)
		if err != nil {
			return nil, err
		}
		rows = slices.DeleteFunc(rows, func(i uint32) bool {
			return met.Null(int(i)) || met.Ints[i] == 0
		})
	}
	return p.ordered(b, rows), nil
}

// overRows evaluates an expression over the result; errors are null and counted.
func overRows(x *expr.Expr, in *expr.Input, stats *Stats) (*column.Column, error) {
	v, err := x.Program().Eval(in)
	if err != nil {
		return nil, err
	}
	c := &column.Column{Type: x.Type, Ints: v.Ints, Floats: v.Floats, Strings: v.Strings,
		Valid: make([]bool, in.Rows)}
	for i := range c.Valid {
		if x.Type.Kind == column.Bool {
			b := int64(0)
			if v.Bools[i] {
				b = 1
			}
			if i == 0 {
				c.Ints = nil
			}
			c.Ints = append(c.Ints, b)
		}
		c.Valid[i] = v.Err(i) == "" && (v.Valid == nil || v.Valid[i])
		if reason := v.Err(i); reason != "" && v.Errs[i] != expr.NoElement {
			stats.Errors++
			if stats.FirstErrorText == "" {
				stats.FirstErrorText = reason
			}
		}
	}
	return c, nil
}

// ordered returns the rows with these indices of b, sorted, as many as the limit allows.
func (p *Plan) ordered(b *column.Batch, rows []uint32) *column.Batch {
	if len(p.order) > 0 {
		slices.SortStableFunc(rows, func(x, y uint32) int {
			for _, o := range p.order {
				c := agg.Compare(b.Columns[o.column], int(x), int(y))
				if o.down {
					c = -c
				}
				if c != 0 {
					return c
				}
			}
			return 0
		})
	}
	if p.query.Limit > 0 {
		rows = rows[:min(len(rows), p.query.Limit)]
	}
	out := &column.Batch{Names: b.Names, Rows: len(rows)}
	for _, c := range b.Columns {
		sorted := &column.Column{}
		gather(sorted, c, rows)
		out.Columns = append(out.Columns, sorted)
	}
	return out
}
