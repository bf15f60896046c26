package gogo

import (
	"bytes"
	"cmp"
	"slices"
)

// Order is how the keys of a map's entries are compared.
type Order int

// The orders, by the kinds of keys.
const (
	ByText Order = iota
	ByNumber
	BySigned
	ByZigzag
	ByFixed32
	ByFixed64
	BySfixed32
	BySfixed64
)

// encodedEntry is an entry of a map, tag and length included, and its key.
type encodedEntry struct {
	encoding []byte
	text     []byte
	number   uint64 // unsigned or, for orders of signed keys, an int64
}

// SortEntries brings the entries of a map, which generated code wrote to b, into the order of their
// keys. b has nothing else in it.
func SortEntries(b []byte, order Order) {
	var entries []encodedEntry
	sorted := bytes.Clone(b)
	for i := 0; i < len(sorted); {
		_, at := Tag(sorted, i)
		start, end := End(sorted, at)
		e := encodedEntry{encoding: sorted[i:end]}
		e.key(sorted[start:end], order)
		entries = append(entries, e)
		i = end
	}
	signed := order == BySigned || order == ByZigzag || order == BySfixed32 || order == BySfixed64
	slices.SortFunc(entries, func(x, y encodedEntry) int {
		switch {
		case order == ByText:
			return bytes.Compare(x.text, y.text)
		case signed:
			return cmp.Compare(int64(x.number), int64(y.number))
		}
		return cmp.Compare(x.number, y.number)
	})
	b = b[:0]
	for _, e := range entries {
		b = append(b, e.encoding...)
	}
}

// key reads the key, which comes first in an entry, behind a tag of one byte.
func (e *encodedEntry) key(entry []byte, order Order) {
	switch order {
	case ByText:
		e.text, _ = Bytes(entry, 1)
	case ByNumber, BySigned:
		e.number, _ = Varint(entry, 1)
	case ByZigzag:
		v, _ := Zigzag64(entry, 1)
		e.number = uint64(v)
	case ByFixed32, BySfixed32:
		v, _ := Fixed32(entry, 1)
		if e.number = uint64(v); order == BySfixed32 {
			e.number = uint64(int64(int32(v)))
		}
	default:
		e.number, _ = Fixed64(entry, 1)
	}
}

// Sized returns b with a length of n, in another array where it has no room.
func Sized(b []byte, n int) []byte {
	if cap(b) < n {
		return make([]byte, n)
	}
	return b[:n]
}
