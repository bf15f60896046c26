package project

import (
	"encoding/binary"
	"math"

	"github.com/octopus-framework/octopus/gremlin/dynamic"
)

// walk reads the fields of b[i:] into leaves. end is the tag that ends it, 0 for the end of b. It
// returns where it ends, or -1 if b does not decode.
func walk(b []byte, i int, pl *plan, end uint64, depth int) int {
	if depth <= 0 {
		return -1
	}
	for i < len(b) {
		tag := uint64(b[i])
		if tag < 0x80 {
			i++
		} else if i+1 < len(b) && b[i+1] < 0x80 {
			tag = tag&0x7f | uint64(b[i+1])<<7
			i += 2
		} else if tag, i = longVarint(b, i); i < 0 {
			return -1
		}
		var e tagPlan
		if tag < uint64(len(pl.byTag)) {
			e = pl.byTag[tag]
		} else if pl.far != nil {
			e = pl.far[tag]
		}
		switch e.action {
		case skipVar:
			if i < len(b) && b[i] < 0x80 {
				i++
			} else if _, i = longVarint(b, i); i < 0 {
				return -1
			}
		case skip64:
			if i += 8; i > len(b) {
				return -1
			}
		case skip32:
			if i += 4; i > len(b) {
				return -1
			}
		case skipLen:
			if _, i = span(b, i); i < 0 {
				return -1
			}
		case checkUTF8:
			start, stop := span(b, i)
			if stop < 0 || !validUTF8(b[start:stop]) {
				return -1
			}
			i = stop
		case unknown:
			if tag&7 == wireEnd {
				if tag != end {
					return -1
				}
				return i
			}
			if !validTag(tag) {
				return -1
			}
			if i = skip(b, i, tag, maxDepth); i < 0 {
				return -1
			}
		default:
			if i = value(b, i, e, depth); i < 0 {
				return -1
			}
		}
	}
	if end != 0 {
		return -1
	}
	return i
}

// value reads the value at b[i:] as e says, and returns where it ends, or -1.
func value(b []byte, i int, e tagPlan, depth int) int {
	t := e.target
	switch e.action {
	case setInt64, setInt32, setUint32, setBool, setSint32, setSint64:
		v, next := varint(b, i)
		if next < 0 {
			return -1
		}
		t.setInt(convert(e.action, v))
		return next
	case closedEnum:
		v, next := varint(b, i)
		if next >= 0 && t.field.Enum.Valid(int32(v)) {
			t.wipeOthers()
			t.setInt(int64(int32(v)))
		}
		return next
	case setFixed32, setSfixed32, setFloat:
		if len(b)-i < 4 {
			return -1
		}
		t.set32(e.action, binary.LittleEndian.Uint32(b[i:]))
		return i + 4
	case setFixed64, setDouble:
		if len(b)-i < 8 {
			return -1
		}
		t.set64(e.action, binary.LittleEndian.Uint64(b[i:]))
		return i + 8
	case setString, setBytes:
		start, stop := span(b, i)
		if stop < 0 || e.utf8 && !validUTF8(b[start:stop]) {
			return -1
		}
		l := t.leaf
		at := l.scope.n - 1
		l.strs[at] = view(b[start:stop])
		if l.present != nil {
			l.present[at] = true
		}
		return stop
	case descend, descendGroup:
		return message(b, i, e, depth)
	case clearing:
		t.wipeOthers()
		e.action = t.base
		return value(b, i, e, depth)
	case elements:
		if closed := t.list.closed; closed != nil {
			v, next := varint(b, i)
			if next < 0 || !closed.Valid(int32(v)) {
				return next
			}
		}
		return t.list.next(b, i, depth)
	case packed:
		return t.list.packed(b, i)
	case entries:
		return t.mapEntry(b, i, depth)
	case checkVarints, checkPacked64, checkPacked32:
		start, stop := span(b, i)
		if stop < 0 || !soundPacked(b[start:stop], e.action) {
			return -1
		}
		return stop
	case skipVar:
		return skipVarint(b, i)
	case skip64:
		return within(b, i+8)
	case skip32:
		return within(b, i+4)
	case checkUTF8, skipLen:
		start, stop := span(b, i)
		if stop < 0 || e.action == checkUTF8 && !validUTF8(b[start:stop]) {
			return -1
		}
		return stop
	}
	// A group that is passed over.
	return skipGroup(b, i, uint64(t.field.Number), maxDepth)
}

func within(b []byte, i int) int {
	if i > len(b) {
		return -1
	}
	return i
}

func soundPacked(b []byte, a action) bool {
	switch a {
	case checkPacked64:
		return len(b)%8 == 0
	case checkPacked32:
		return len(b)%4 == 0
	}
	return packedVarints(b)
}

func convert(a action, v uint64) int64 {
	switch a {
	case setInt32:
		return int64(int32(v))
	case setUint32:
		return int64(uint32(v))
	case setBool:
		if v != 0 {
			return 1
		}
		return 0
	case setSint32:
		return int64(int32(zigzag(v & math.MaxUint32)))
	case setSint64:
		return zigzag(v)
	}
	return int64(v)
}

func (t *target) wipeOthers() {
	for k := range t.clears {
		t.clears[k].do()
	}
}

func (t *target) setInt(v int64) {
	l := t.leaf
	i := l.scope.n - 1
	l.ints[i] = v
	if l.present != nil {
		l.present[i] = true
	}
}

func (t *target) set32(a action, v uint32) {
	switch a {
	case setFixed32:
		t.setInt(int64(v))
	case setSfixed32:
		t.setInt(int64(int32(v)))
	default:
		t.setFloat(float64(math.Float32frombits(v)))
	}
}

func (t *target) set64(a action, v uint64) {
	if a == setFixed64 {
		t.setInt(int64(v))
		return
	}
	t.setFloat(math.Float64frombits(v))
}

func (t *target) setFloat(v float64) {
	l := t.leaf
	i := l.scope.n - 1
	l.floats[i] = v
	if l.present != nil {
		l.present[i] = true
	}
}

// message reads a message or group.
func message(b []byte, i int, e tagPlan, depth int) int {
	t := e.target
	if t.present != nil {
		t.present.present[t.present.scope.n-1] = true
	}
	var start, stop, next int
	if e.action == descend {
		if start, stop = span(b, i); stop < 0 {
			return -1
		}
		if next = stop; walk(b[:stop], start, t.plan, 0, depth-1) < 0 {
			return -1
		}
	} else {
		end := uint64(t.field.Number)<<3 | wireEnd
		if next = walk(b, i, t.plan, end, depth-1); next < 0 {
			return -1
		}
		start, stop = contents(b, i, next, t.field.Number, wireStart)
	}
	if t.raw != nil {
		t.raw.join(b[start:stop])
	}
	return next
}

// join adds a piece of a message: pieces one after the other are the message that they merge to.
func (l *leaf) join(piece []byte) {
	i := l.scope.n - 1
	if l.present[i] && l.strs[i] != "" {
		l.strs[i] += view(piece)
		return
	}
	l.strs[i], l.present[i] = view(piece), true
}

// next reads an element of a list that is not packed.
func (l *list) next(b []byte, i, depth int) int {
	end := 0
	if l.scope != nil {
		l.scope.push()
	}
	if l.each != nil {
		end = value(b, i, l.each.tagPlan, depth)
	}
	if l.counter != nil {
		at := l.counter.scope.n - 1
		nth := l.counter.ints[at]
		l.counter.ints[at]++
		for _, x := range l.at {
			if x.index == nth {
				x.element.found.present[x.element.found.scope.n-1] = true
				end = value(b, i, x.element.tagPlan, depth)
			}
		}
	}
	if end == 0 {
		end = value(b, i, l.element, depth) // nobody wanted it
	}
	return end
}

// packed reads a packed run of elements.
func (l *list) packed(b []byte, i int) int {
	i, stop := span(b, i)
	if stop < 0 {
		return -1
	}
	for i < stop {
		if l.closed != nil {
			v, next := varint(b[:stop], i)
			if next >= 0 && !l.closed.Valid(int32(v)) {
				i = next
				continue
			}
		}
		if i = l.next(b[:stop], i, 1); i < 0 {
			return -1
		}
	}
	return stop
}

// mapEntry reads an entry of a map.
func (t *target) mapEntry(b []byte, i, depth int) int {
	start, stop := span(b, i)
	if stop < 0 || walk(b[:stop], start, t.check, 0, depth-1) < 0 {
		return -1
	}
	if !listed(t.field, b[start:stop]) {
		return stop // an unknown field
	}
	if l := t.list; l != nil && l.scope != nil {
		l.scope.push()
		if l.each != nil && message(b, i, l.each.tagPlan, depth) < 0 {
			return -1
		}
	}
	if len(t.keys) == 0 {
		return stop
	}
	key, _ := inEntry(b[start:stop], t.field.Key())
	for k := range t.keys {
		m := &t.keys[k]
		if m.key.Bits == key.Bits && m.key.Text == key.Text {
			m.element.wipe.do()
			m.element.found.present[m.element.found.scope.n-1] = true
			if walk(b[:stop], start, m.values, 0, depth-1) < 0 {
				return -1
			}
		}
	}
	return stop
}

// listed tells whether the entry b of the map f is one: with a number that a closed enum does not
// have as its value it is an unknown field. The last number counts.
func listed(f *dynamic.Field, b []byte) bool {
	v := f.Value()
	if v.Enum == nil || !v.Enum.Closed {
		return true
	}
	x, found := inEntry(b, v)
	return !found || v.Enum.Valid(int32(x.Bits))
}

// inEntry returns the key or value f, a scalar, of a sound entry of a map.
func inEntry(b []byte, f *dynamic.Field) (x dynamic.Scalar, found bool) {
	wire, set, _, _ := scalarForm(f.Kind)
	for i := 0; i < len(b); {
		tag, at := varint(b, i)
		if at < 0 {
			return x, found
		}
		next := skip(b, at, tag, maxDepth)
		if next < 0 {
			return x, found
		}
		if tag == uint64(f.Number)<<3|wire {
			x, _ = scalar(b, at, wire, set)
			found = true
		}
		i = next
	}
	return x, found
}
