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
	for begin := off; off < n; {
		tag, after := tagAt(c.p, n, off)
		if after == bad {
			return c.fail(Malformed, off)
		}
		if tag&7 == wireEnd {
			if group == 0 || group != tag>>3 {
				return c.fail(Malformed, off)
			}
			return after
		}
		next := bad
		f := t.field(tag >> 3)
		switch wt := tag & 7; {
		case f == nil || wt < wireBytes || wt == wireFixed32 || !f.accepts(wt):
			if next = skipValue(c.p, n, after, tag); next == bad {
				c.fail(Malformed, off)
			}
		case wt == wireStart:
			next = c.nested(n, after, tag>>3, f, depth)
		default:
			start, end := payloadAt(c.p, n, after)
			switch {
			case start == bad:
				c.fail(Malformed, off)
			case c.payload(end, start, f, depth):
				next = end
			}
		}
		if next == bad {
			switch {
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
