package project

import (
	"math"
	"slices"

	"github.com/octopus-framework/octopus/gremlin/dynamic"
)

// scope is a run of elements that columns have values for: the rows, or the elements of a list
// below them.
type scope struct {
	n        int      // elements so far; the last is the one that is being read
	offsets  []uint32 // where the elements of each element of parent begin
	parent   *scope   // nil for rows
	leaves   []*leaf
	children []*scope
}

// leaf is the values of one place in the plan, for the elements of a scope.
type leaf struct {
	scope   *scope
	store   store
	ints    []int64
	floats  []float64
	strs    []string
	present []bool // nil if nobody asks
	pinned  int    // elements whose strings are not the log's memory

	defInt   int64
	defFloat float64
	defStr   string
}

// store says which slice of a leaf is in use.
type store uint8

const (
	noStore store = iota
	ints
	floats
	strs
)

func (s *scope) add(st store, presence bool, def dynamic.Scalar, kind dynamic.Kind) *leaf {
	l := &leaf{scope: s, store: st}
	if presence {
		l.present = []bool{}
	}
	switch st {
	case ints:
		l.defInt = int64(def.Bits)
	case floats:
		if l.defFloat = math.Float64frombits(def.Bits); kind == dynamic.Float {
			l.defFloat = float64(math.Float32frombits(uint32(def.Bits)))
		}
	case strs:
		l.defStr = def.Text
	}
	s.leaves = append(s.leaves, l)
	return l
}

// push begins the next element: with defaults, and empty lists below.
func (s *scope) push() {
	for _, l := range s.leaves {
		l.grow(s.n)
	}
	s.n++
	for _, c := range s.children {
		c.offsets = append(c.offsets, uint32(c.n))
	}
}

// grow makes sure that there is an element i, and gives it the default.
func (l *leaf) grow(i int) {
	switch l.store {
	case ints:
		if i == len(l.ints) {
			l.ints = append(l.ints, 0)
		}
		l.ints[i] = l.defInt
	case floats:
		if i == len(l.floats) {
			l.floats = append(l.floats, 0)
		}
		l.floats[i] = l.defFloat
	case strs:
		if i == len(l.strs) {
			l.strs = append(l.strs, "")
		}
		l.strs[i] = l.defStr
	}
	if l.present != nil {
		if i == len(l.present) {
			l.present = append(l.present, false)
		}
		l.present[i] = false
	}
}

// clear makes the last element of the scope absent.
func (l *leaf) clear() { l.grow(l.scope.n - 1) }

// pop takes the last element away, and what is below it.
func (s *scope) pop() {
	s.n--
	for _, c := range s.children {
		c.truncate(int(c.offsets[s.n]))
		c.offsets = c.offsets[:s.n]
	}
}

// truncate leaves the first n elements.
func (s *scope) truncate(n int) {
	for s.n > n {
		s.pop()
	}
}

// empty takes away the elements that belong to the last element of the parent.
func (s *scope) empty() { s.truncate(int(s.offsets[s.parent.n-1])) }

// reset takes all elements away and keeps the memory, but for views of others' memory.
func (s *scope) reset() {
	s.n, s.offsets = 0, s.offsets[:0]
	for _, l := range s.leaves {
		clear(l.strs)
		l.pinned = 0
	}
	for _, c := range s.children {
		c.reset()
	}
}

// reserve makes room for n elements, so that they are there without appending.
func (s *scope) reserve(n int) {
	for _, l := range s.leaves {
		switch l.store {
		case ints:
			l.ints = slices.Grow(l.ints, n)
		case floats:
			l.floats = slices.Grow(l.floats, n)
		case strs:
			l.strs = slices.Grow(l.strs, n)
		}
		if l.present != nil {
			l.present = slices.Grow(l.present, n)
		}
	}
}
