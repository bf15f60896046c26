package rt

// plan is what the loops over a message's fields, Advance and CheckEncoding, make of its table: one
// load says what is to be done with a field. A Table makes it when it is first needed, so that
// generated code and its tables stay small.
type plan struct {
	// low has the steps of fields whose tags have one byte, which stands in place of the wire type
	low    [16]step
	steps  []step   // steps by field number, as far as numbers are below maxSteps
	tables []*Table // tables of the fields' messages, nil for other fields
	fields []FieldInfo
	max    uint // the largest field number

	checks  []step // steps of the fields whose contents CheckEncoding has to check
	slotted bool   // the slots of these tell of all that there is, where fields came in order
}

// step is what is to be done with the fields of one number, in one word, because a struct of such
// small parts would go through memory. From its low end:
//
//	 8 bits  what Advance does with a value of this wire type
//	 8 bits  what CheckEncoding does with a value
//	16 bits  the wire type
//	16 bits  the slot
//	16 bits  the index of the field in the table
//
// The zero step is that of unknown fields.
type step uint64

func (s step) note() uint  { return uint(s & 0xff) }
func (s step) check() uint { return uint(s >> 8 & 0xff) }
func (s step) wire() uint  { return uint(s >> 16 & 0xffff) }
func (s step) slot() uint  { return uint(s >> 32 & 0xffff) }
func (s step) field() uint { return uint(s >> 48) }

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

// What CheckEncoding does.
const (
	checkNothing = iota
	checkUTF8
	checkMessage
	checkGroup
	checkVarints
	checkFixed32
	checkFixed64
)

// otherWire is no tag's wire type. Fields for which Advance has to do something else have it.
const otherWire = 8

// plan returns the plan of t.
func (t *Table) plan() *plan {
	if p := t.made.Load(); p != nil {
		return p
	}
	return t.makePlan()
}

func (t *Table) makePlan() *plan {
	// there is no number 0
	p := &plan{fields: t.Fields, tables: make([]*Table, len(t.Fields)),
		steps: []step{noteOther | otherWire<<16}}
	for i := range t.Fields {
		f := &t.Fields[i]
		if f.Sub != nil {
			p.tables[i] = f.Sub.GremlinTable()
		}
		p.max = uint(f.Number)
		if f.Number < maxSteps {
			p.steps = append(p.steps, make([]step, int(f.Number)+1-len(p.steps))...)
			p.steps[f.Number] = f.step(i)
		}
		if s := f.step(i); f.Number < 16 && s.note() != noteOther {
			p.low[f.Number] = s | step(f.Number)<<19
		}
	}
	p.low[0] = 0xff << 16 // no tag
	p.slotted = true
	for i := range t.Fields {
		switch s := t.Fields[i].step(i); {
		case s.check() == checkNothing:
		case s.wire() == wireBytes:
			p.checks = append(p.checks, s)
		case s.wire() == otherWire: // a member of a oneof that was left has no slot, a group no end
			p.slotted = false
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
	if number <= p.max {
		if i := fieldIndex(p.fields, number); i >= 0 {
			return p.fields[i].step(i)
		}
	}
	return 0
}

// step returns the step of f, whose index in the table is i.
func (f *FieldInfo) step(i int) step {
	wire, note, check := f.declaredWire(), noteValue, checkNothing
	switch {
	case f.Oneof != 0 || f.Kind == KindGroup && f.span() || f.Kind == KindEnum && f.Enum.Closed &&
		f.Flags&(FlagRepeated|FlagEntry) == 0:
		wire, note = otherWire, noteOther
	case f.Kind == KindMap || f.Flags&FlagRepeated != 0:
		note = noteList
	case f.Kind == KindMessage:
		note = noteMessage
	case f.span():
		note = noteSpan
	}
	switch of := f.Kind.wire(); {
	case f.Kind == KindString && f.Flags&FlagUTF8 != 0:
		check = checkUTF8
	case f.Kind == KindMessage || f.Kind == KindMap:
		check = checkMessage
	case f.Kind == KindGroup:
		check = checkGroup
	case f.Flags&FlagRepeated == 0 || !f.Kind.packable():
	case of == wireVarint:
		check = checkVarints
	case of == wireFixed32:
		check = checkFixed32
	default:
		check = checkFixed64
	}
	return step(note) | step(check)<<8 | step(wire)<<16 | step(f.Slot)<<32 | step(i)<<48
}
