package rt

import (
	"slices"
	"strings"
)

// Entries of a map are written as they come and brought into the order of their keys afterwards,
// which needs no list of keys and serves encoded maps as well, where a key may come twice and the
// later entry counts.

// entryKey is the key of an entry.
type entryKey struct {
	text   string // if it is a string
	number uint64 // if it is not; in this order
}

// entry is an entry that has been written.
type entry struct {
	entryKey
	start int // where the entry starts, which begins with a comma
	end   int
}

// BeginMap starts a map; mark is for EndMap.
func (e *Encoder) BeginMap() (mark int) { return len(e.entries) }

// StringKey appends the key of an entry.
func (e *Encoder) StringKey(b []byte, k string) []byte {
	e.entries = append(e.entries, entry{entryKey{text: k}, len(b), 0})
	return append(e.String(append(b, ','), k), ':')
}

// IntKey appends the key of an entry.
func (e *Encoder) IntKey(b []byte, k int64) []byte {
	e.entries = append(e.entries, entry{entryKey{number: uint64(k) ^ 1<<63}, len(b), 0})
	return append(appendInt(append(b, ',', '"'), k), '"', ':')
}

// UintKey appends the key of an entry.
func (e *Encoder) UintKey(b []byte, k uint64) []byte {
	e.entries = append(e.entries, entry{entryKey{number: k}, len(b), 0})
	return append(appendUint(append(b, ',', '"'), k), '"', ':')
}

// BoolKey appends the key of an entry.
func (e *Encoder) BoolKey(b []byte, k bool) []byte {
	x := uint64(0)
	if k {
		x = 1
	}
	e.entries = append(e.entries, entry{entryKey{number: x}, len(b), 0})
	return append(e.Bool(append(b, ',', '"'), k), '"', ':')
}

func (x *entry) compare(y *entry) int {
	switch {
	case x.number < y.number:
		return -1
	case x.number > y.number:
		return 1
	}
	return strings.Compare(x.text, y.text)
}

// EndMap ends the map that starts at offset at.
func (e *Encoder) EndMap(b []byte, at, mark int) []byte {
	all := e.entries[mark:]
	sorted := true
	for i := range all {
		all[i].end = len(b)
		if i > 0 {
			all[i-1].end = all[i].start
			sorted = sorted && all[i-1].compare(&all[i]) < 0
		}
	}
	if !sorted && e.code == 0 {
		slices.SortStableFunc(all, func(x, y entry) int { return x.compare(&y) })
		e.swap = append(e.swap[:0], b[at:]...)
		b = b[:at]
		for i := range all {
			if i+1 == len(all) || all[i].compare(&all[i+1]) != 0 {
				b = append(b, e.swap[all[i].start-at:all[i].end-at]...)
			}
		}
	}
	clear(all) // they refer to the caller's strings
	e.entries = e.entries[:mark]
	return e.End(b, at)
}
