package rt

// validSlots checks what indexing left unchecked, where the slots tell of every field: the contents
// of strings, messages and packed lists. It is CheckEncoding without a second walk over the fields;
// false means that only the walk can tell.
func (v *View) validSlots(slots []uint32, t *Table) bool {
	plan := t.plan()
	if !plan.slotted {
		return false
	}
	c := checker{p: v.p, n: uint(v.n), table: t}
	for _, s := range plan.checks {
		at, ok := uint(slots[s.slot()]), true
		switch {
		case at == 0:
		case s.note() == noteList:
			ok = c.validList(uint(v.n), at, s, plan)
		case s.check() == checkUTF8: // a call less than below
			end := uint(slots[s.slot()+1])
			ok = at == end || validUTF8(c.p, at, end-at)
		default:
			ok = c.validSpan(uint(slots[s.slot()+1]), at, s, plan)
		}
		if !ok {
			return false
		}
	}
	return true
}

// validList checks the values of a list that stand one behind the other, the first at offset at,
// behind its tag.
func (c *checker) validList(n, at uint, s step, plan *plan) bool {
	tag := uint(plan.fields[s.field()].Number)<<3 | wireBytes
	for {
		start, end := payloadAt(c.p, n, at)
		if start == bad || !c.validSpan(end, start, s, plan) {
			return false
		}
		if end == n {
			return true
		}
		next, behind := tagAt(c.p, n, end)
		if next != tag {
			return behind != bad
		}
		at = behind
	}
}

// validSpan checks the contents of a value.
func (c *checker) validSpan(end, start uint, s step, plan *plan) bool {
	switch check := s.check(); {
	case start == end:
		return true
	case check == checkUTF8:
		return validUTF8(c.p, start, end-start)
	case check == checkMessage:
		return c.message(end, start, 0, plan.tables[s.field()], MaxDepth-2) == end
	default:
		return c.packed(end, start, check)
	}
}
