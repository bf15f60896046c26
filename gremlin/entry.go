package gremlin

// Entry is one entry of a map field: a message with the fields key = 1 and value = 2.
type Entry struct {
	View
	slots [2]uint32
}

// Key and Value are the slots of an Entry.
const (
	Key   = 0
	Value = 1
)

// Slot returns the slot Key or Value; an absent one reads as the zero value like any field.
func (e *Entry) Slot(i int) uint32 { return e.slots[i] }

// Enum returns the value of an entry whose value is an enum; def is the enum's first value.
func (e *Entry) Enum(def int32) int32 {
	if e.slots[Value] == 0 {
		return def
	}
	return int32(e.Varint(e.slots[Value]))
}

// Listed tells whether the value of an entry is one of a closed enum; entries with others are unknown fields.
func (e *Entry) Listed(info *EnumInfo) bool {
	return e.slots[Value] == 0 || info.Valid(int32(e.Varint(e.slots[Value])))
}

// Next moves to the next entry of l. t is the table of the entry type. Malformed entries are passed over.
func (e *Entry) Next(l *List, t *Table) bool {
	for {
		p, n, ok := l.Next()
		*e = Entry{}
		if n == 0 || e.short(p, n, t) {
			return ok
		}
		e.slots = [2]uint32{}
		for off := uint(0); off < n; {
			off, _ = e.Advance(off, e.slots[:], t)
		}
		if !e.Bad() {
			return true
		}
	}
}

// short indexes the usual entry: a short key, a short value, nothing else.
func (e *Entry) short(p Ptr, n uint, t *Table) bool {
	_, w := e.Start(p, n)
	off := skipShort(p, n, 0, w, 1<<3|t.Fields[Key].Kind.wire())
	if off+2 > n || off == bad {
		return false
	}
	if skipShort(p, n, off, load16(p, off), 2<<3|t.Fields[Value].Kind.wire()) != n {
		return false
	}
	e.slots = [2]uint32{1, uint32(off + 1)}
	return true
}

// skipShort returns the offset behind a field whose tag is the given one and whose length or varint has one byte, else bad.
func skipShort(p Ptr, n, off, w, tag uint) uint {
	if w&0xff != tag || w >= 0x8000 {
		return bad
	}
	switch tag & 7 {
	case wireBytes:
		return off + 2 + w>>8
	case wireVarint:
		return off + 2
	}
	return bad
}
