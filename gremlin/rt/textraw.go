package rt

// A Message brings its fields into order: in its encoding a singular field comes once. What an
// extension or an Any holds, and what Format is given, is raw: a singular field may come twice, of
// which the last value counts, and messages are pieces of one. Text that said both could not be
// read again.

// rawField is a field of a level of raw bytes.
type rawField struct {
	from, to   uint // the field's range of offsets, its tag included
	start, end uint // the contents of a message
	tag        uint
	next       int  // the next piece of the same message, 0 if there is none
	replaced   bool // it is part of another, or another one counts
}

// maxRaw bounds, in bytes, what is looked through and copied to write raw fields once: groups are
// looked through at each level to find their ends, and pieces copied at each level. Hostile input
// above it is written as it stands.
const maxRaw = 16 << 20

// rawFields writes the fields in [off, n), or up to the end of the group that they are in, and
// returns the offset behind it.
func (w *textWriter) rawFields(n, off uint, t *Table) uint {
	was := w.raw
	w.raw = true
	defer func() { w.raw = was }()
	fields, twice := w.collectRaw(n, off, t)
	if !twice {
		return w.fields(n, off, t)
	}
	var b []byte
	end := off
	for i := range fields {
		f := &fields[i]
		end = f.to
		switch {
		case f.replaced:
		case f.next == 0:
			b = appendView(b, w.p, f.from, f.to)
		default:
			b = w.appendPieces(b, fields, i)
		}
	}
	w.looked += len(b)
	p := w.p
	w.p = ptrOf(b)
	w.fields(uint(len(b)), 0, t)
	w.p = p
	if end < n { // the end of a group
		_, end = tagAt(w.p, n, end)
	}
	return end
}

// appendPieces appends one field of the message that is in fields[i] and the pieces that it leads
// to.
func (w *textWriter) appendPieces(b []byte, fields []rawField, i int) []byte {
	tag := fields[i].tag
	b = AppendTag(b, uint32(tag))
	size := uint(0)
	for k := i; ; k = fields[k].next {
		size += fields[k].end - fields[k].start
		if fields[k].next == 0 {
			break
		}
	}
	if tag&7 == wireBytes {
		b = appendVarint(b, uint64(size))
	}
	for k := i; ; k = fields[k].next {
		b = appendView(b, w.p, fields[k].start, fields[k].end)
		if fields[k].next == 0 {
			break
		}
	}
	if tag&7 == wireStart {
		b = AppendTag(b, uint32(tag+1))
	}
	return b
}

// collectRaw finds the fields of a level, and whether there are some that another one replaces or
// continues.
func (w *textWriter) collectRaw(n, off uint, t *Table) (fields []rawField, twice bool) {
	if w.looked > maxRaw {
		return nil, false
	}
	// by what may come once: the number of a field, or of a oneof above all of those
	last := map[uint]int{}
	for off < n {
		tag, after := tagAt(w.p, n, off)
		if after == bad || tag&7 == wireEnd {
			break
		}
		x := rawField{from: off, tag: tag, to: skipValue(w.p, n, after, tag)}
		if x.to == bad {
			break
		}
		if tag&7 == wireStart {
			w.looked += int(x.to - off)
		}
		off = x.to
		f, _ := w.known(t, tag)
		if f != nil && f.Flags&FlagRepeated == 0 && f.Kind != KindMap && w.listed(n, after, f) {
			key := tag >> 3
			if f.Oneof != 0 {
				key = 1<<30 | uint(f.Oneof)
			}
			before, again := last[key]
			if twice = twice || again; again && fields[before].tag == tag && f.Kind >= KindMessage {
				x.replaced = true
				fields[before].next = len(fields)
			} else if again {
				fields[before].replaced = true
			}
			if f.Kind >= KindMessage {
				x.start, x.end, _ = valueAt(w.p, n, after, tag)
			}
			last[key] = len(fields)
		}
		fields = append(fields, x)
	}
	return fields, twice
}

// listed tells whether the value at off is one that f can have: a closed enum does not have all
// numbers.
func (w *textWriter) listed(n, off uint, f *FieldInfo) bool {
	if f.Kind != KindEnum || !f.Enum.Closed {
		return true
	}
	x, _ := varintAt(w.p, n, off)
	return f.Enum.Valid(int32(x))
}

// entryListed tells whether the value of the entry in [off, end) is one that the map can have.
// Entries with other numbers were kept as unknown fields.
func (w *textWriter) entryListed(end, off uint, entry *Table) bool {
	value := entry.field(2)
	if value == nil || value.Kind != KindEnum || !value.Enum.Closed {
		return true
	}
	listed := true
	for off < end {
		tag, after := tagAt(w.p, end, off)
		if after == bad {
			break
		}
		if tag == 2<<3|wireVarint {
			listed = w.listed(end, after, value) // the last one counts
		}
		if off = skipValue(w.p, end, after, tag); off == bad {
			break
		}
	}
	return listed
}
