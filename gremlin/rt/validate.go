package rt

// CheckEncoding checks the whole tree of messages that v is the root of, as Message.Unmarshal
// would: structure at every level, UTF-8, packed contents, nesting and what that takes. It does not
// check required fields. t is the table of the message, of which slots tells where the fields are.
func (v *View) CheckEncoding(slots []uint32, t *Table) error {
	if v.Bad() {
		return v.Err(t)
	}
	if v.flags&(flagHidden|flagTwice|flagPieces) == 0 && v.validSlots(slots, t) {
		return nil
	}
	return validate(v.p, uint(v.n), t)
}

// CheckEncoding checks b, a message of type t, as View.CheckEncoding does, in one walk.
func CheckEncoding(b []byte, t *Table) error {
	if uint64(len(b)) > MaxSize {
		return &Error{Code: TooLarge, Message: t.Name, Offset: 0}
	}
	return validate(ptrOf(b), uint(len(b)), t)
}

// maxPathLevels is how many levels of nesting the path of an error names.
const maxPathLevels = 32

// validate checks the n bytes at p, a message of type t, as Unmarshal does.
func validate(p Ptr, n uint, t *Table) error { return (&checker{p: p, n: n, table: t}).all(n, t) }

// wellFormed is validate whatever the message would take in memory.
func wellFormed(p Ptr, n uint, t *Table) error { return (&checker{p: p}).all(n, t) }

// checker walks a message by its table. Offsets count from the start of the outermost message at
// every level.
type checker struct {
	p Ptr
	n uint
	// table of the outermost message; nil where what is nested deep is not weighed, or was
	table *Table
	err   *Error // allocated when there is one
}

func (c *checker) all(n uint, t *Table) error {
	if c.message(n, 0, 0, t, MaxDepth-1) == n {
		return nil
	}
	c.err.Message = t.Name
	return c.err
}

func (c *checker) fail(code Code, off uint) uint {
	c.err = &Error{Code: code, Offset: int(off)}
	return bad
}

// malformed fails for why at off.
func (c *checker) malformed(off uint, why string) uint {
	c.err = &Error{Code: Malformed, Offset: int(off), Detail: why}
	return bad
}

// message checks the fields in [off, n), or up to the end of the group with this number, and
// returns the offset behind them; bad when c.err says what is wrong.
func (c *checker) message(n, off, group uint, t *Table, depth int) uint {
	p, plan := c.p, t.plan()
	for begin := off; off < n; {
		tag, at := load8(p, off), off+1
		if tag >= 0x80 || tag < 8 {
			if tag, at = tagAt(p, n, off); at == bad {
				return c.malformed(off, whyMalformed(p, n, off))
			}
		}
		next := bad
		switch tag & 7 {
		case wireVarint:
			if next = at + 1; next > n || load8(p, at) >= 0x80 {
				next = behindVarint(p, n, at)
			}
		case wireBytes:
			start := at + 1
			if start <= n && load8(p, at) < 0x80 {
				next = start + load8(p, at)
			} else {
				start, next = payloadAt(p, n, at)
			}
			if next > n {
				break
			}
			switch s := plan.step(tag >> 3); s.check() {
			case checkNothing, checkGroup:
			case checkUTF8:
				if next != start && !validUTF8(p, start, next-start) {
					next = c.fail(InvalidUTF8, start)
				}
			case checkMessage:
				if next != start || depth < MaxDepth-freeLevels {
					next = c.nested(next, start, 0, plan.tables[s.field()], depth)
				}
			default:
				if !c.packed(next, start, s.check()) {
					next = bad
				}
			}
		case wireFixed32:
			next = at + 4
		case wireFixed64:
			next = at + 8
		case wireStart:
			if s := plan.step(tag >> 3); s.check() == checkGroup {
				next = c.nested(n, at, tag>>3, plan.tables[s.field()], depth)
			} else {
				_, next = skipGroup(p, n, at, tag>>3, MaxDepth)
			}
		case wireEnd:
			if group != 0 && group == tag>>3 {
				return at
			}
			return c.malformed(off, whyMalformed(p, n, off))
		}
		if next > n {
			if c.err == nil {
				c.malformed(off, whyMalformed(p, n, off))
			}
			switch f := t.field(tag >> 3); {
			case f == nil:
			case MaxDepth-depth > maxPathLevels:
				c.err.Path = "..."
			default:
				c.err.in(f.Name, c.index(f, begin, off))
			}
			return bad
		}
		off = next
	}
	if group != 0 {
		return c.malformed(n, isEndless)
	}
	return off
}

func (c *checker) nested(n, off, group uint, t *Table, depth int) uint {
	if depth < MaxDepth-freeLevels {
		if depth == 0 {
			return c.fail(TooDeep, off)
		}
		if c.table != nil && !withinDeepBudget(c.p, c.n, c.table) {
			return c.fail(TooMuchMemory, off)
		}
		c.table = nil
	}
	return c.message(n, off, group, t, depth-1)
}

// packed checks the numbers in [off, end).
func (c *checker) packed(end, off uint, check uint) bool {
	switch size := end - off; check {
	case checkVarints:
		if at := badVarint(c.p, end, off); at < end {
			c.malformed(at, badVarintAt(c.p, end, at))
			return false
		}
	case checkFixed32:
		if size%4 != 0 {
			c.malformed(off, isTruncated+", packed numbers do not fill their bytes")
			return false
		}
	case checkFixed64:
		if size%8 != 0 {
			c.malformed(off, isTruncated+", packed numbers do not fill their bytes")
			return false
		}
	}
	return true
}

// index returns the index of the element of f that is at off in a message that starts at begin; -1
// when f has no elements.
func (c *checker) index(f *FieldInfo, begin, off uint) int {
	if f.Flags&FlagRepeated == 0 || f.Kind.packable() {
		return -1
	}
	count := 0
	for begin < off {
		tag, after := tagAt(c.p, off, begin)
		if tag>>3 == uint(f.Number) {
			count++
		}
		begin = skipValue(c.p, off, after, tag)
	}
	return count
}
