package query

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/query/column"
	"github.com/octopus-framework/octopus/nerve/query/internal/expr"
	"github.com/octopus-framework/octopus/nerve/query/internal/project"
)

// scanner reads records into columns, and filters them. Each worker has one.
type scanner struct {
	plan  *Plan
	paths []project.Path
	proj  *project.Projector
	where *expr.Program
	progs map[*expr.Expr]*expr.Program
	in    expr.Input
	dom   *domain
	deep  int // a path through all lists of the domain

	// ids, times and data of the records of the batch
	ids, times []int64
	data       []string
	pinned     int // bytes of data that are pinned
	arena      []byte
	// ids, times and data of the rows, when they are not the records
	rowIDs, rowTimes []int64
	rowData          []string

	sel   []uint32 // rows that meet the condition
	cols  map[int]*column.Column
	cap   int
	bytes int // bytes of the records of the batch
	stats Stats
}

// batchBytes is how many bytes of records are looked at together, but for a record that is longer.
const batchBytes = 4 << 20

// meter makes what counts the cost of one run.
func (p *Plan) meter() *expr.Meter { return &expr.Meter{Cost: p.query.Cost, Memory: p.memory()} }

// scanner makes a scanner whose expressions are counted by m.
func (p *Plan) scanner(m *expr.Meter) *scanner {
	s := &scanner{plan: p, paths: p.env.Paths(), progs: map[*expr.Expr]*expr.Program{},
		cols: map[int]*column.Column{}, cap: p.query.BatchRows}
	if s.cap <= 0 || s.cap > project.BatchRows {
		s.cap = project.BatchRows
	}
	s.proj = project.New(p.typ, s.paths, project.Options{Lazy: p.query.Lazy})
	s.in = expr.Input{Cols: make([]column.Column, len(s.paths)), Now: p.query.Now, Meter: m}
	if p.where != nil {
		s.where = p.where.Program()
	}
	if len(p.domain) > 0 {
		s.dom = &domain{}
		for i, path := range s.paths {
			if rows, _ := levels(path); rows == len(p.domain) {
				s.deep = i
			}
		}
	}
	return s
}

// add takes in a record.
func (s *scanner) add(rec nerve.Record) error {
	s.stats.Records++
	s.stats.Bytes += int64(len(rec.Data))
	if s.plan.typ != untyped && !s.proj.Append(rec.Data) {
		s.stats.Undecodable++
		if s.stats.FirstUndecodable == 0 || rec.ID < s.stats.FirstUndecodable {
			s.stats.FirstUndecodable = rec.ID
		}
		if s.plan.query.Strict {
			return &RecordError{ID: rec.ID, Reason: "it is no " + s.plan.typ.Name}
		}
		return nil
	}
	s.ids = append(s.ids, int64(rec.ID))
	s.times = append(s.times, rec.UnixNano)
	s.bytes += len(rec.Data)
	if s.plan.data {
		s.data = append(s.data, view(rec.Data))
	}
	return nil
}

func (s *scanner) full() bool { return len(s.ids) >= s.cap || s.bytes >= batchBytes }

// pin copies what the batch has of the log's memory, which is about to change.
func (s *scanner) pin() {
	s.proj.Pin()
	for ; s.pinned < len(s.data); s.pinned++ {
		if d := s.data[s.pinned]; len(d) > 0 {
			if len(d) > cap(s.arena)-len(s.arena) {
				s.arena = make([]byte, 0, max(1<<16, len(d)))
			}
			at := len(s.arena)
			s.arena = append(s.arena, d...)
			s.data[s.pinned] = view(s.arena[at:])
		}
	}
}

// finish makes the columns of the batch and finds the rows that meet the condition.
func (s *scanner) finish() error {
	s.proj.Finish()
	s.in.Rows, s.in.Wide = len(s.ids), false
	s.in.IDs, s.in.Times, s.in.Data = s.ids, s.times, s.data
	if s.dom != nil {
		// Lists that a path goes through below the domain stay lists: they make no rows.
		lists := s.proj.Lists(s.deep)[:len(s.plan.domain)]
		s.dom.fill(len(s.ids), lists, s.plan.query.Inner)
		s.in.Rows = len(s.dom.rows)
		s.rowIDs = pickRows(s.rowIDs, s.ids, s.dom.rows)
		s.rowTimes = pickRows(s.rowTimes, s.times, s.dom.rows)
		s.in.IDs, s.in.Times = s.rowIDs, s.rowTimes
		if s.data != nil {
			s.rowData = pickRows(s.rowData, s.data, s.dom.rows)
			s.in.Data = s.rowData
		}
	}
	for i, path := range s.paths {
		if pathColumn(s.proj, i, path, s.dom, &s.in.Cols[i]) {
			s.in.Wide = true
		}
	}
	clear(s.cols)
	s.sel = s.sel[:0]
	if s.where == nil {
		for i := range uint32(s.in.Rows) {
			s.sel = append(s.sel, i)
		}
		s.stats.Matched += int64(s.in.Rows)
		return nil
	}
	v, err := s.where.Eval(&s.in)
	if err != nil {
		return err
	}
	for i, met := range v.Bools[:s.in.Rows] {
		switch {
		case v.Errs != nil && v.Errs[i] == expr.NoElement:
		case v.Errs != nil && v.Errs[i] != 0:
			if err := s.failed(i, v); err != nil {
				return err
			}
		case met && (v.Valid == nil || v.Valid[i]):
			s.sel = append(s.sel, uint32(i))
		}
	}
	s.stats.Matched += int64(len(s.sel))
	return nil
}

// failed counts a row for which an expression has no value.
func (s *scanner) failed(row int, v *expr.Vec) error {
	s.stats.Errors++
	reason := v.Err(row)
	id := nerve.ID(s.in.IDs[row])
	if s.stats.FirstError == 0 || id < s.stats.FirstError {
		s.stats.FirstError, s.stats.FirstErrorText = id, reason
	}
	if s.plan.query.Strict {
		return &RecordError{ID: id, Reason: reason, Err: v.Limit(row)}
	}
	return nil
}

// reset begins the next batch.
func (s *scanner) reset() {
	s.proj.Reset()
	s.ids, s.times, s.bytes = s.ids[:0], s.times[:0], 0
	clear(s.data)
	s.data = s.data[:0]
	s.pinned, s.arena = 0, s.arena[:0]
}

// column evaluates a value for all rows of the batch; errors of selected rows are counted.
func (s *scanner) column(v *value, out *column.Column) error {
	switch {
	case v.path >= 0:
		*out = s.in.Cols[v.path]
		return nil
	case v.expr == nil:
		*out = column.Column{Type: v.typ, Strings: s.in.Data}
		return nil
	}
	prog := s.progs[v.expr]
	if prog == nil {
		prog = v.expr.Program()
		s.progs[v.expr] = prog
	}
	r, err := prog.Eval(&s.in)
	if err != nil {
		return err
	}
	ints := out.Ints
	*out = column.Column{Type: v.typ, Ints: r.Ints, Floats: r.Floats, Strings: r.Strings,
		Valid: r.Valid}
	if v.typ.Kind == column.Bool {
		out.Ints = ints[:0]
		for _, b := range r.Bools[:s.in.Rows] {
			n := int64(0)
			if b {
				n = 1
			}
			out.Ints = append(out.Ints, n)
		}
	}
	if r.Errs == nil {
		return nil
	}
	valid := make([]bool, s.in.Rows)
	for i := range valid {
		valid[i] = r.Errs[i] == 0 && (r.Valid == nil || r.Valid[i])
	}
	out.Valid = valid
	for _, i := range s.sel {
		if r.Errs[i] != 0 && r.Errs[i] != expr.NoElement {
			if err := s.failed(int(i), r); err != nil {
				return err
			}
		}
	}
	return nil
}

// errStop ends a scan early without being an error.
var errStop = errors.New("enough")

// scan reads the records from first to last and calls batch for each batch.
func (s *scanner) scan(
	ctx context.Context, src Source, first, last nerve.ID, batch func() error,
) error {
	if first > last {
		return nil
	}
	cur, err := src.Read(ctx, first)
	if err != nil {
		return err
	}
	defer cur.Close()
	s.in.Ctx = ctx
	flush := func() error {
		if len(s.ids) == 0 {
			return nil
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		err := s.finish()
		if err == nil {
			err = batch()
		}
		s.reset()
		return err
	}
	var b nerve.Batch
	for next := first; next <= last; {
		if err := cur.Next(ctx, &b); err != nil {
			if errors.Is(err, io.EOF) {
				return fmt.Errorf("record %d: %w", next, io.ErrUnexpectedEOF)
			}
			return err
		}
		next = b.Last() + 1
		for rec := range b.All() {
			if rec.ID > last {
				break
			}
			if err := s.add(rec); err != nil {
				return err
			}
			if s.full() {
				if err := flush(); err != nil {
					return err
				}
			}
		}
		if next > last || len(s.ids) >= min(s.cap, project.BatchRows/4) ||
			s.bytes >= batchBytes/4 {
			if err := flush(); err != nil {
				return err
			}
		} else {
			s.pin()
		}
	}
	return nil
}
