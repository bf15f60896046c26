package query

import (
	"github.com/octopus-framework/octopus/gremlin/dynamic"
	"github.com/octopus-framework/octopus/nerve/query/column"
	"github.com/octopus-framework/octopus/nerve/query/internal/project"
)

// domain maps the rows of a batch, one for each element of a list, to the records and elements that
// they have values of.
type domain struct {
	rows  []int32   // record of each row
	elems [][]int32 // for each list, the element of each row, -1 for none
}

// fill makes the rows out of the offsets of the lists, outermost first. A record whose list has no
// element has one row, unless inner.
func (d *domain) fill(records int, lists [][]uint32, inner bool) {
	d.rows = d.rows[:0]
	for len(d.elems) < len(lists) {
		d.elems = append(d.elems, nil)
	}
	for i := range lists {
		d.elems[i] = d.elems[i][:0]
	}
	at := make([]int32, len(lists))
	var visit func(record int32, level int, parent int32)
	visit = func(record int32, level int, parent int32) {
		if level == len(lists) {
			d.rows = append(d.rows, record)
			for i := range lists {
				d.elems[i] = append(d.elems[i], at[i])
			}
			return
		}
		from, to := uint32(0), uint32(0)
		if parent >= 0 {
			from, to = lists[level][parent], lists[level][parent+1]
		}
		for e := from; e < to; e++ {
			at[level] = int32(e)
			visit(record, level+1, int32(e))
		}
		if from == to && !inner {
			for i := level; i < len(lists); i++ {
				at[i] = -1
			}
			visit(record, len(lists), -1)
		}
	}
	for r := range int32(records) {
		visit(r, 0, r)
	}
}

// gather makes out the rows of in with these indices, null for -1, in memory of out that is used
// again.
func gather[I int32 | uint32](out, in *column.Column, index []I) {
	out.Type = in.Type
	hasNull := in.Valid != nil
	for _, i := range index {
		if int32(i) < 0 {
			hasNull = true
			break
		}
	}
	out.Valid = nil
	if hasNull {
		out.Valid = make([]bool, len(index))
		for k, i := range index {
			out.Valid[k] = int32(i) >= 0 && !in.Null(int(i))
		}
	}
	switch in.Kind {
	case column.Null:
	case column.Float:
		out.Floats = pickRows(out.Floats, in.Floats, index)
	case column.String, column.Bytes, column.Message:
		out.Strings = pickRows(out.Strings, in.Strings, index)
	case column.List:
		gatherLists(out, in, index)
	default:
		out.Ints = pickRows(out.Ints, in.Ints, index)
	}
}

func pickRows[T any, I int32 | uint32](out, in []T, index []I) []T {
	out = out[:0]
	var zero T
	for _, i := range index {
		if int32(i) < 0 {
			out = append(out, zero)
		} else {
			out = append(out, in[i])
		}
	}
	return out
}

func gatherLists[I int32 | uint32](out, in *column.Column, index []I) {
	out.Offsets = append(out.Offsets[:0], 0)
	var elems []uint32
	for _, i := range index {
		if int32(i) >= 0 {
			for e := in.Offsets[i]; e < in.Offsets[i+1]; e++ {
				elems = append(elems, e)
			}
		}
		out.Offsets = append(out.Offsets, uint32(len(elems)))
	}
	out.Elem = &column.Column{}
	gather(out.Elem, in.Elem, elems)
}

// pathColumn makes out the column of path i, for the rows of d if there is one.
func pathColumn(
	p *project.Projector, i int, path project.Path, d *domain, out *column.Column,
) bool {
	var flat column.Column
	wide := p.Column(i, &flat)
	offsets := p.Lists(i)
	rows, lists := levels(path)
	if path.Want != project.Value {
		lists = 0
	}
	last := path.Steps[len(path.Steps)-1]
	for k := len(offsets) - 1; k >= len(offsets)-lists && k >= 0; k-- {
		elem := flat
		flat = column.Column{Type: column.Type{Kind: column.List, Elem: &elem.Type},
			Offsets: offsets[k], Elem: &elem}
		if k == len(offsets)-1 && last.Field.Kind == dynamic.Map && last.Select != project.Key {
			flat.Map = last.Field
		}
	}
	switch {
	case d == nil:
		*out = flat
	case rows == 0:
		gather(out, &flat, d.rows)
	default:
		gather(out, &flat, d.elems[rows-1])
	}
	return wide
}
