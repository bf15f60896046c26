// Package agg groups rows and adds them up. Partial results of workers merge to the same result
// whatever the rows that each of them saw.
package agg

import (
	"encoding/binary"
	"hash/maphash"
	"math"
	"slices"
	"strings"

	"github.com/octopus-framework/octopus/nerve/query/column"
)

// Groups numbers the groups of rows that have the same keys: 0, 1, 2 in the order in which they
// come.
type Groups struct {
	types []column.Type
	n     int

	// slots and values of one key that is a number
	slots  []slot
	values []int64
	null   int // group of null, -1 if there is none yet

	// keys of other kinds, encoded one after the other, and their hashes
	hashes []hashed
	arena  []byte
	ends   []uint32
	seed   maphash.Seed
	key    []byte
}

type slot struct {
	key   int64
	group uint32 // plus one; 0 is an empty slot
}

type hashed struct {
	hash  uint64
	group uint32 // plus one
}

// NewGroups returns no groups yet, of keys of these types.
func NewGroups(types []column.Type) *Groups {
	g := &Groups{types: types, null: -1, seed: maphash.MakeSeed()}
	if g.single() {
		g.slots = make([]slot, 64)
	} else {
		g.hashes = make([]hashed, 64)
	}
	if len(types) == 0 {
		g.n = 1 // all rows are one group, also when there are none
	}
	return g
}

func (g *Groups) single() bool {
	if len(g.types) != 1 {
		return false
	}
	switch g.types[0].Kind {
	case column.Int, column.Uint, column.Enum, column.Time, column.Duration, column.Bool:
		return true
	}
	return false
}

// Len is the number of groups.
func (g *Groups) Len() int { return g.n }

// Bytes is the memory of the groups' keys.
func (g *Groups) Bytes() int64 {
	return int64(cap(g.slots)*16 + cap(g.values)*8 + cap(g.hashes)*16 + cap(g.arena) +
		cap(g.ends)*4)
}

// Find sets out[i] to the group of row rows[i].
func (g *Groups) Find(keys []*column.Column, rows, out []uint32) {
	switch {
	case len(keys) == 0:
		clear(out)
	case g.single():
		k := keys[0]
		for i, r := range rows {
			if k.Valid != nil && !k.Valid[r] {
				out[i] = g.nullGroup()
				continue
			}
			out[i] = g.number(k.Ints[r])
		}
	default:
		for i, r := range rows {
			g.key = g.key[:0]
			for _, k := range keys {
				g.key = appendKey(g.key, k, int(r))
			}
			out[i] = g.encoded(g.key)
		}
	}
}

func (g *Groups) nullGroup() uint32 {
	if g.null < 0 {
		g.null = g.n
		g.values = append(g.values, 0)
		g.n++
	}
	return uint32(g.null)
}

func (g *Groups) number(v int64) uint32 {
	mask := uint64(len(g.slots) - 1)
	for i := mix(uint64(v)) & mask; ; i = (i + 1) & mask {
		s := &g.slots[i]
		if s.group != 0 {
			if s.key == v {
				return s.group - 1
			}
			continue
		}
		g.n++
		*s = slot{key: v, group: uint32(g.n)}
		g.values = append(g.values, v)
		if g.n*2 > len(g.slots) {
			g.growSlots()
		}
		return uint32(g.n - 1)
	}
}

func (g *Groups) growSlots() {
	old := g.slots
	g.slots = make([]slot, 2*len(old))
	mask := uint64(len(g.slots) - 1)
	for _, s := range old {
		if s.group == 0 {
			continue
		}
		i := mix(uint64(s.key)) & mask
		for g.slots[i].group != 0 {
			i = (i + 1) & mask
		}
		g.slots[i] = s
	}
}

func (g *Groups) encoded(key []byte) uint32 {
	h := maphash.Bytes(g.seed, key)
	mask := uint64(len(g.hashes) - 1)
	for i := h & mask; ; i = (i + 1) & mask {
		s := &g.hashes[i]
		if s.group != 0 {
			if s.hash == h && string(g.keyOf(s.group-1)) == string(key) {
				return s.group - 1
			}
			continue
		}
		g.n++
		*s = hashed{hash: h, group: uint32(g.n)}
		g.arena = append(g.arena, key...)
		g.ends = append(g.ends, uint32(len(g.arena)))
		if g.n*2 > len(g.hashes) {
			g.growHashes()
		}
		return uint32(g.n - 1)
	}
}

func (g *Groups) keyOf(group uint32) []byte {
	start := uint32(0)
	if group > 0 {
		start = g.ends[group-1]
	}
	return g.arena[start:g.ends[group]]
}

func (g *Groups) growHashes() {
	old := g.hashes
	g.hashes = make([]hashed, 2*len(old))
	mask := uint64(len(g.hashes) - 1)
	for _, s := range old {
		if s.group == 0 {
			continue
		}
		i := s.hash & mask
		for g.hashes[i].group != 0 {
			i = (i + 1) & mask
		}
		g.hashes[i] = s
	}
}

// mix spreads the bits of a number.
func mix(x uint64) uint64 {
	x ^= x >> 32
	x *= 0xd6e8feb86659fd93
	x ^= x >> 32
	x *= 0xd6e8feb86659fd93
	return x ^ x>>32
}

// appendKey encodes a value so that equal values, and no others, have equal encodings.
func appendKey(b []byte, c *column.Column, row int) []byte {
	if c.Null(row) {
		return append(b, 0)
	}
	b = append(b, 1)
	switch c.Kind {
	case column.Float:
		f := c.Floats[row]
		switch {
		case f != f:
			f = math.NaN()
		case f == 0:
			f = 0 // of both signs
		}
		return binary.LittleEndian.AppendUint64(b, math.Float64bits(f))
	case column.String, column.Bytes, column.Message:
		b = binary.AppendUvarint(b, uint64(len(c.Strings[row])))
		return append(b, c.Strings[row]...)
	}
	return binary.LittleEndian.AppendUint64(b, uint64(c.Ints[row]))
}

// Merge takes in the groups of other, and returns for each of them its number here.
func (g *Groups) Merge(other *Groups) []uint32 {
	to := make([]uint32, other.n)
	for i := range to {
		switch {
		case len(g.types) == 0:
		case !g.single():
			to[i] = g.encoded(other.keyOf(uint32(i)))
		case i == other.null:
			to[i] = g.nullGroup()
		default:
			to[i] = g.number(other.values[i])
		}
	}
	return to
}

// Keys returns the columns of the keys of all groups.
func (g *Groups) Keys() []*column.Column {
	cols := make([]*column.Column, len(g.types))
	for i, t := range g.types {
		cols[i] = &column.Column{Type: t, Valid: make([]bool, g.n)}
	}
	if g.single() {
		cols[0].Ints = g.values
		for i := range cols[0].Valid {
			cols[0].Valid[i] = i != g.null
		}
		return cols
	}
	if len(g.types) == 0 {
		return cols
	}
	for i := range uint32(g.n) {
		key := g.keyOf(i)
		for _, c := range cols {
			key = decodeKey(key, c, int(i))
		}
	}
	return cols
}

func decodeKey(b []byte, c *column.Column, row int) []byte {
	there := b[0] == 1
	b = b[1:]
	c.Valid[row] = there
	switch c.Kind {
	case column.Float:
		c.Floats = append(c.Floats, 0)
		if there {
			c.Floats[row] = math.Float64frombits(binary.LittleEndian.Uint64(b))
			b = b[8:]
		}
	case column.String, column.Bytes, column.Message:
		c.Strings = append(c.Strings, "")
		if there {
			n, size := binary.Uvarint(b)
			b = b[size:]
			c.Strings[row] = string(b[:n])
			b = b[n:]
		}
	default:
		c.Ints = append(c.Ints, 0)
		if there {
			c.Ints[row] = int64(binary.LittleEndian.Uint64(b))
			b = b[8:]
		}
	}
	return b
}

// Compare orders two rows of a column: null first, then by value; what is not a number before
// numbers, false before true, lists by their elements.
func Compare(c *column.Column, a, b int) int {
	if na, nb := c.Null(a), c.Null(b); na || nb {
		switch {
		case na && nb:
			return 0
		case na:
			return -1
		}
		return 1
	}
	switch c.Kind {
	case column.Float:
		return compareFloats(c.Floats[a], c.Floats[b])
	case column.String, column.Bytes, column.Message:
		return strings.Compare(c.Strings[a], c.Strings[b])
	case column.Uint:
		return order(uint64(c.Ints[a]), uint64(c.Ints[b]))
	case column.List:
		return compareLists(c, a, b)
	}
	return order(c.Ints[a], c.Ints[b])
}

func compareLists(c *column.Column, a, b int) int {
	i, ie := int(c.Offsets[a]), int(c.Offsets[a+1])
	j, je := int(c.Offsets[b]), int(c.Offsets[b+1])
	for ; i < ie && j < je; i, j = i+1, j+1 {
		if x := Compare(c.Elem, i, j); x != 0 {
			return x
		}
	}
	return order(int64(ie-i), int64(je-j))
}

func order[T int64 | uint64](a, b T) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func compareFloats(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	case a == b:
		return 0
	case a != a && b != b:
		return 0
	case a != a:
		return -1
	}
	return 1
}

// Sorted returns all rows of columns in the order of the first, then the second and so on.
func Sorted(cols []*column.Column, rows int) []uint32 {
	idx := make([]uint32, rows)
	for i := range idx {
		idx[i] = uint32(i)
	}
	slices.SortFunc(idx, func(a, b uint32) int {
		for _, c := range cols {
			if x := Compare(c, int(a), int(b)); x != 0 {
				return x
			}
		}
		return 0
	})
	return idx
}
