package gremlin

// plan is what the loops over a message's fields, Advance and Validate, make of its table: one load says what is to be done
// with a field. A Table makes it when it is first needed, so that generated code and its tables stay small.
type plan struct {
	steps  []step   // by field number, as far as they are below maxSteps
	tables []*Table // of the fields' messages, nil for others
	fields []FieldInfo
}

// step is what is to be done with the fields of one number. The zero step is that of unknown fields.
type step struct {
	note  uint8 // by Advance, with a value in the form that the field is declared with
	check uint8 // by Validate, with a value that has a length
	wire  uint8 // the wire type that the field is declared with
	slot  uint16
	field uint16 // its index in the table
}

// maxSteps limits the size of a plan: fields with larger numbers are looked up in the table.
const maxSteps = 256

// What Advance does.
const (
	noteNothing = iota
	noteValue   // the last one counts
	noteSpan    // of a string or bytes
	noteMessage // of a message, which may come twice
	noteList    // the first one counts
	noteOther   // see View.note
)

// What Validate does.
const (
	checkNothing = iota
	checkUTF8
	checkMessage
	checkVarints
	checkFixed32
	checkFixed64
)

// plan returns the plan of t.
func (t *Table) plan() *plan {
	if p := t.made.Load(); p != nil {
		return p
	}
	p := &plan{fields: t.Fields, tables: make([]*Table, len(t.Fields))}
	for i := range t.Fields {
		f := &t.Fields[i]
		if f.Sub != nil {
			p.tables[i] = f.Sub.GremlinTable()
		}
		if f.Number < maxSteps {
			p.steps = append(p.steps, make([]step, int(f.Number)+1-len(p.steps))...)
			p.steps[f.Number] = f.step(i)
		}
	}
	t.made.Store(p) // another goroutine may have stored an equal one
	return p
}

// step returns the step of a field with this number.
func (p *plan) step(number uint) step {
	if number < uint(len(p.steps)) {
		return p.steps[number]
	}
	return p.find(number)
}

//go:noinline
func (p *plan) find(number uint) step {
	if number >= maxSteps {
		if i := fieldIndex(p.fields, number); i >= 0 {
			return p.fields[i].step(i)
		}
	}
	return step{}
}

// other returns what Advance does with a value that is not in the form that the field is declared with.
func (p *plan) other(s step, wire uint) uint8 {
	if s.note != noteNothing && p.fields[s.field].accepts(wire) {
		return noteOther
	}
	return noteNothing
}

// step returns the step of f, whose index in the table is i.
func (f *FieldInfo) step(i int) step {
	s := step{note: noteOther, wire: uint8(f.declaredWire()), slot: f.Slot, field: uint16(i)}
	switch {
	case f.Kind == KindGroup || f.Oneof != 0:
	case f.Kind == KindMap || f.Flags&FlagRepeated != 0:
		s.note = noteList
	case f.Kind == KindMessage:
		s.note = noteMessage
	case f.span():
		s.note = noteSpan
	case f.Kind != KindEnum || !f.Enum.Closed:
		s.note = noteValue
	}
	switch wire := f.Kind.wire(); {
	case f.Kind == KindString && f.Flags&FlagUTF8 != 0:
		s.check = checkUTF8
	case f.Kind == KindMessage || f.Kind == KindMap:
		s.check = checkMessage
	case f.Flags&FlagRepeated == 0 || !f.Kind.packable():
	case wire == wireVarint:
		s.check = checkVarints
	case wire == wireFixed32:
		s.check = checkFixed32
	default:
		s.check = checkFixed64
	}
	return s
}
