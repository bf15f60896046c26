package rt

import "iter"

// Entry is one entry of a map field: a message with the fields key = 1 and value = 2.
type Entry struct {
	View
	slots [4]uint32
}

// Key and Value are the slots of an Entry; each has a second one for where its value ends.
const (
	Key   = 0
	Value = 2
)

// Slot returns the slot Key or Value; an absent one reads as the zero value like any field.
func (e *Entry) Slot(i int) uint32 { return e.slots[i] }

// Span returns both slots of the Key or Value.
func (e *Entry) Span(i int) (start, end uint32) { return e.slots[i], e.slots[i+1] }

// CheckEncoding checks the whole entry as View.CheckEncoding does; t is the table of the entry
// type.
func (e *Entry) CheckEncoding(t *Table) error { return e.View.CheckEncoding(e.slots[:], t) }

// Enum returns the value of an entry whose value is an enum; def is the enum's first value.
func (e *Entry) Enum(def int32) int32 {
	if e.slots[Value] == 0 {
		return def
	}
	return int32(e.Varint(e.slots[Value]))
}

// Listed tells whether the value of an entry is one of a closed enum; entries with others are
// unknown fields.
func (e *Entry) Listed(info *EnumInfo) bool {
	return e.slots[Value] == 0 || info.Valid(int32(e.Varint(e.slots[Value])))
}

// Next moves to the next entry of l. t is the table of the entry type. Malformed entries are passed
// over.
func (e *Entry) Next(l *List, t *Table) bool {
	plan := t.plan()
	key, value := plan.step(1).wire()|1<<3, plan.step(2).wire()|2<<3
	for {
		p, n, ok := l.Next()
		*e = Entry{}
		if n == 0 {
			return ok
		}
		off, w := e.Start(p, n)
		if w&0xff == key {
			off, w = e.field(Key, key, off, w)
		}
		if w&0xff == value {
			off, _ = e.field(Value, value, off, w)
		}
		for off < n {
			off, _ = e.Advance(off, e.slots[:], t)
		}
		if off == n {
			return true
		}
	}
}

// field notes the key or value at off and goes behind it, like the straight line of an index
// function.
func (e *Entry) field(slot int, tag, off, w uint) (next, nw uint) {
	p, n := e.p, uint(e.n)
	switch tag & 7 {
	case wireBytes:
		return Bytes(p, n, off, w, &e.slots[slot], &e.slots[slot+1])
	case wireVarint:
		return Next(p, n, Varint(p, n, off, w, &e.slots[slot]))
	case wireFixed32:
		return Next(p, n, Fixed(off, 1, 4, &e.slots[slot]))
	case wireFixed64:
		return Next(p, n, Fixed(off, 1, 8, &e.slots[slot]))
	}
	return off, 0
}

// Lookup returns the last value of a key among the entries of a map.
func Lookup[K comparable, V any](entries iter.Seq2[K, V], key K) (value V, ok bool) {
	for k, v := range entries {
		if k == key {
			value, ok = v, true
		}
	}
	return value, ok
}

// CollectMap makes a map of its entries.
func CollectMap[K comparable, V any](entries iter.Seq2[K, V]) map[K]V {
	m := make(map[K]V)
	for k, v := range entries {
		m[k] = v
	}
	return m
}

// CollectMessageMap is CollectMap for messages; entries is one Reader that moves on.
func CollectMessageMap[K comparable, V any](entries iter.Seq2[K, *V]) map[K]V {
	m := make(map[K]V)
	for k, v := range entries {
		m[k] = *v
	}
	return m
}
