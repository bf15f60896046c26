package gremlin

// Validate checks the whole tree of messages that v is the root of, as Message.Unmarshal would: structure at every level,
// UTF-8, packed contents, nesting. It does not check required fields. t is the table of the message.
func (v *View) Validate(t *Table) error {
	if v.Bad() {
		return v.Err(t)
	}
	return validate(v.p, uint(v.n), t)
}

// maxPathLevels is how many levels of nesting the path of an error names.
const maxPathLevels = 32

func validate(p Ptr, n uint, t *Table) error {
	c := checker{p: p}
	if c.message(n, 0, 0, t, MaxDepth-1) == n {
		return nil
	}
	c.err.Message = t.Name
	return c.err
}

// checker walks a message by its table. Offsets count from the start of the outermost message at every level.
type checker struct {
	p   Ptr
	err *Error // allocated when there is one
}

func (c *checker) fail(code Code, off uint) uint {
	c.err = &Error{Code: code, Offset: int(off)}
	return bad
}

// message checks the fields in [off, n), or up to the end of the group with this number, and returns the offset behind
// them; bad when c.err says what is wrong.
func (c *checker) message(n, off, group uint, t *Table, depth int) uint {
	p := c.p
	for begin := off; off < n; {
		tag, after := load8(p, off), off+1
		if tag >= 0x80 || tag < 8 {
			if tag, after = tagAt(p, n, off); after == bad {
				return c.fail(Malformed, off)
			}
		}
		var next uint
		switch tag & 7 {
		case wireVarint:
			next = after + 1
			if next > n || load8(p, after) >= 0x80 {
				next = c.whole(skipVarint(p, n, after), off)
			}
		case wireBytes:
			start, end := after+1, bad
			if start <= n {
				end = start + load8(p, after)
			}
			if end-start >= 0x80 || end > n {
				if start, end = payloadAt(p, n, after); start == bad {
					next = c.fail(Malformed, off)
					break
				}
			}
			next = end
			if f := t.field(tag >> 3); f != nil && f.accepts(wireBytes) && !c.payload(end, start, f, depth) {
				next = bad
			}
		case wireStart:
			if f := t.field(tag >> 3); f != nil && f.accepts(wireStart) {
				next = c.nested(n, after, tag>>3, f, depth)
			} else {
				next = c.whole(skipValue(p, n, after, tag), off)
			}
		case wireEnd:
			if group == 0 || group != tag>>3 {
				return c.fail(Malformed, off)
			}
			return after
		default:
			next = c.whole(skipValue(p, n, after, tag), off)
		}
		if next == bad {
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
		return c.fail(Malformed, n)
	}
	return off
}

// whole returns next, the offset behind a field at off that has nothing inside to check; it notes when the field is
// malformed.
func (c *checker) whole(next, off uint) uint {
	if next == bad {
		c.fail(Malformed, off)
	}
	return next
}

func (c *checker) nested(n, off, group uint, f *FieldInfo, depth int) uint {
	if depth == 0 {
		return c.fail(TooDeep, off)
	}
	return c.message(n, off, group, f.Sub.GremlinTable(), depth-1)
}

// payload checks the payload [start, end) of a length-delimited value of f.
func (c *checker) payload(end, start uint, f *FieldInfo, depth int) bool {
	switch size := end - start; {
	case f.Kind == KindString:
		if f.Flags&FlagUTF8 != 0 && size != 0 && !validUTF8(c.p, start, size) {
			c.fail(InvalidUTF8, start)
			return false
		}
	case f.Kind == KindBytes:
	case f.Kind >= KindMessage:
		return c.nested(end, start, 0, f, depth) != bad
	case f.Kind.wire() == wireVarint:
		for start < end {
			next := skipVarint(c.p, end, start)
			if next == bad {
				c.fail(Malformed, start)
				return false
			}
			start = next
		}
	case f.Kind.wire() == wireFixed32 && size%4 != 0, f.Kind.wire() == wireFixed64 && size%8 != 0:
		c.fail(Malformed, start)
		return false
	}
	return true
}

// index returns the index of the element of f that is at off in a message that starts at begin; -1 when f has no elements.
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
