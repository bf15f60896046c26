package rt

import "math/bits"

// How a Reader is indexed. Encoders write fields in the order of their numbers, so the generated
// index function is one comparison a field in that order, without a loop or a jump table: w holds
// the two bytes at off, which are a tag of one byte and the first byte of its value, or a tag of
// two bytes. A field that matches stores where its value is and goes on behind it; one that does
// not costs the comparison. Whatever is unusual (an unknown field, another order, a length of more
// than two bytes, the end) makes w zero or simply not match, control falls through to the bottom,
// and Advance handles fields by the table until the straight line can be resumed.
//
// The functions below are inlined into generated code; a call would cost as much as they do.

// Start makes v a view of the n bytes at p and returns 0 and the first two of them, or 0 when there
// are fewer or too many.
func (v *View) Start(p Ptr, n uint) (off, w uint) {
	v.p, v.n = p, uint32(n)
	if n-2 > MaxSize-2 {
		if n > MaxSize {
			v.flags = flagBad | flagTooLarge
		}
		return 0, 0
	}
	return 0, load16(p, 0)
}

// Next returns off and the two bytes there, or 0 when there are fewer.
func Next(p Ptr, n, off uint) (next, w uint) {
	if off+2 > n {
		return off, 0
	}
	return off, load16(p, off)
}

// Bytes goes behind a length-delimited value whose tag of one byte is at off, and notes where its
// payload starts and ends. Lengths of three bytes and more are left to Advance.
func Bytes(p Ptr, n, off, w uint, start, end *uint32) (next, nw uint) {
	at := off + 2
	next = at + w>>8
	if w >= 0x8000 {
		if at < n {
			w = load8(p, at)
		}
		if w >= 0x80 {
			return off, 0
		}
		next += w<<7 - 0x7f
		at++
	}
	if next+2 <= n {
		nw = load16(p, next)
	}
	*start, *end = uint32(at), uint32(next)
	return
}

// Bytes2 is Bytes for a tag of two bytes; Next gives w, for which there is no room in the inlining
// budget.
func Bytes2(p Ptr, n, off uint, start, end *uint32) (next uint) {
	w := uint(0x8080)
	if off+4 <= n {
		w = load16(p, off+2)
	}
	at, size := off+3, w&0x7f
	if w&0x80 != 0 {
		if w >= 0x8000 {
			return off
		}
		at++
		size += w >> 8 << 7
	}
	*start, *end = uint32(at), uint32(at+size)
	return at + size
}

// SkipBytes goes behind a length-delimited value whose tag of one byte is at off. Lengths of three
// bytes and more are left to Advance.
func SkipBytes(p Ptr, n, off, w uint) (next, nw uint) {
	e := off + w>>8 + 2
	if w >= 0x8000 {
		if off+3 > n || load8(p, off+2) >= 0x80 {
			return off, 0
		}
		e += (load8(p, off+2)-1)<<7 + 1
	}
	if e+2 > n {
		return e, 0
	}
	return e, load16(p, e)
}

// SkipBytes2 is SkipBytes for a tag of two bytes.
func SkipBytes2(p Ptr, n, off uint) (next, nw uint) {
	if off+4 > n {
		return off, 0
	}
	e := load16(p, off+2)
	if e&0x80 != 0 {
		if e >= 0x8000 {
			return off, 0
		}
		e = e&0x7f + e>>8<<7 + 1
	} else {
		e &= 0x7f
	}
	if e += off + 3; e+2 > n {
		return e, 0
	}
	return e, load16(p, e)
}

// SkipVarint returns the offset behind a varint whose tag of one byte is at off.
func SkipVarint(p Ptr, n, off, w uint) (next uint) {
	if w < 0x8000 {
		return off + 2
	}
	return behindVarint(p, n, off+1)
}

// SkipVarint2 is SkipVarint for a tag of two bytes.
func SkipVarint2(p Ptr, n, off uint) (next uint) { return behindVarint(p, n, off+2) }

// Varint is SkipVarint that notes where the varint is.
func Varint(p Ptr, n, off, w uint, slot *uint32) (next uint) {
	*slot = uint32(off + 1)
	if w < 0x8000 {
		return off + 2
	}
	return behindVarint(p, n, off+1)
}

// Varint2 is SkipVarint2 that notes where the varint is.
func Varint2(p Ptr, n, off uint, slot *uint32) (next uint) {
	*slot = uint32(off + 2)
	return behindVarint(p, n, off+2)
}

// Fixed notes where the value of size bytes is whose tag of tag bytes is at off, and returns the
// offset behind it.
func Fixed(off, tag, size uint, slot *uint32) (next uint) {
	*slot = uint32(off + tag)
	return off + tag + size
}

// behindVarint returns the offset behind the varint at off. It is not worth to inline: a caller
// that is bound by the chain of loads has time for a call.
//
//go:noinline
func behindVarint(p Ptr, n, off uint) uint {
	if off < n && n >= 8 {
		// The last word of the message serves for what starts inside of it; zeros from beyond end
		// the varint there.
		at := min(off, n-8)
		if stop := ^(load64(p, at) >> ((off - at) * 8 & 63)) & continuation; stop != 0 {
			return off + uint(bits.TrailingZeros64(stop)>>3) + 1
		}
	}
	return skipVarint(p, n, off)
}

// Advance indexes fields from off on, by the table, until two come in order: where unknown fields
// are strewn in, or none is in its place, it does not pay to go back to the straight line for each.
// It returns the next field's offset and first two bytes; when it is done the message's length, or
// more if the message is malformed.
//
//go:noinline
func (v *View) Advance(off uint, slots []uint32, t *Table) (next, w uint) {
	if v.flags&flagTooLarge != 0 {
		return bad, 0
	}
	p, n, begin := v.p, uint(v.n), off
	// Slots are in the order of the fields' numbers, so the last one in use tells what the straight
	// line may go on with.
	last := len(slots) - 1
	for last >= 0 && slots[last] == 0 {
		last--
	}
	previous := last // slot of the field before, -1 when that is unknown
	plan := t.plan()
	for off, previous = v.advanceDown(off, slots, plan, previous); off < n; {
		off, last, previous = v.advanceFast(off, slots, plan, last, previous, begin)
		if off >= n {
			break
		}
		tag, at := tagAt(p, n, off)
		if at == bad {
			off = bad
			break
		}
		if at-off != uint(sizeVarint(uint64(tag))) {
			// lists that are not in pieces have the same bytes for the tag of each value
			v.flags |= flagPieces
		}
		switch f := t.field(tag >> 3); {
		case f == nil || !f.accepts(tag&7):
			off = skipValue(p, n, at, tag)
			previous = -1
		case int(f.Slot) > last && previous == last && off != begin && off+2 <= n:
			return off, load16(p, off)
		default:
			off = v.note(f, slots, t, at, tag, previous)
			last, previous = max(last, int(f.Slot)), int(f.Slot)
		}
	}
	if off != n {
		clear(slots)
		v.flags |= flagBad
		return bad, 0
	}
	return n, 0
}

// advanceDown goes on for as long as fields below 16 come in the opposite order, which is that of
// encoders that write from the end. Like the straight line it knows the field that comes next
// to be absent so far, which spares most of what advanceFast asks.
func (v *View) advanceDown(off uint, slots []uint32, plan *plan, previous int) (uint, int) {
	p, n := v.p, uint(v.n)
	for off+2 <= n {
		w := load16(p, off)
		s := plan.low[w>>3&15]
		slot := int(s.slot())
		if uint(s.wire()) != w&0xff || slot > previous || slot >= len(slots) {
			break
		}
		list := s.note() == noteList
		if old := slots[slot]; old != 0 && (!list || slot != previous || old&otherForm != 0) {
			break
		}
		start, next := off+2, off+2
		switch w & 7 {
		case wireBytes:
			next += w >> 8
			if w >= 0x8000 {
				if start >= n || load8(p, start) >= 0x80 {
					return off, previous
				}
				next += load8(p, start)<<7 - 0x7f
				start++
			}
		case wireVarint:
			if w >= 0x8000 {
				if off+9 > n {
					return off, previous
				}
				stop := ^load64(p, off+1) & continuation
				if stop == 0 {
					return off, previous
				}
				next += uint(bits.TrailingZeros64(stop) >> 3)
			}
		case wireFixed32:
			next += 3
		case wireFixed64:
			next += 7
		default:
			return off, previous
		}
		switch {
		case next > n:
			return off, previous
		case w&7 == wireBytes && !list:
			if slot+1 >= len(slots) {
				return off, previous
			}
			slots[slot+1] = uint32(next)
			slots[slot] = uint32(start)
		case slots[slot] == 0:
			slots[slot] = uint32(off + 1)
		}
		off, previous = next, slot
	}
	return off, previous
}

// advanceFast is what of Advance can be done without a call, for which all variables would have to
// go through memory. It ends before a field that is not of this kind, or that comes in order and
// does not start at begin.
func (v *View) advanceFast(off uint, slots []uint32, plan *plan, last, previous int,
	begin uint) (uint, int, int) {
	p, n := v.p, uint(v.n)
	for off+2 <= n {
		w := load16(p, off)
		tag, at := w&0xff, off+1
		if tag >= 0x80 {
			if tag, at = w&0x7f|w>>8<<7, off+2; w-0x100 >= 0x7f00 || at == n {
				break
			}
		}
		s, number := step(0), tag>>3
		if number < uint(len(plan.steps)) {
			s = plan.steps[number]
		} else if number <= plan.max {
			break
		}
		note, slot, c := s.note(), int(s.slot()), load8(p, at)
		switch {
		case note == noteNothing:
			slot = -1
		case tag&7 != s.wire() || slot > last && previous == last && off != begin:
			return off, last, previous
		}
		start, next := at+1, at+1
		switch tag & 7 {
		case wireVarint:
			if c >= 0x80 {
				if at+8 > n {
					return off, last, previous
				}
				stop := ^load64(p, at) & continuation
				if stop == 0 {
					return off, last, previous
				}
				next += uint(bits.TrailingZeros64(stop) >> 3)
			}
		case wireBytes:
			if c >= 0x80 {
				if at+8 > n {
					return off, last, previous
				}
				head := load64(p, at)
				start++
				if c = uint(head&0x7f | head>>1&0x3f80); head&0x8000 != 0 {
					stop := ^head & continuation
					size := compact(head & (stop ^ (stop - 1)))
					if stop == 0 || size > MaxSize {
						return off, last, previous
					}
					start = at + uint(bits.TrailingZeros64(stop)>>3) + 1
					c = uint(size)
				}
			}
			next = start + c
		case wireFixed32:
			next = at + 4
		case wireFixed64:
			next = at + 8
		default:
			return off, last, previous
		}
		if next > n {
			break
		}
		switch note {
		case noteNothing:
		case noteValue:
			slots[slot] = uint32(at)
		case noteSpan:
			if slots[slot] != 0 {
				v.flags |= flagHidden
			}
			slots[slot], slots[slot+1] = uint32(start), uint32(next)
		case noteMessage:
			if slots[slot] != 0 {
				v.flags |= flagTwice // getters find the others from the first on
			} else {
				slots[slot], slots[slot+1] = uint32(start), uint32(next)
			}
		case noteList:
			switch first := slots[slot]; {
			case first == 0:
				slots[slot] = uint32(at)
			case previous != slot || first&otherForm != 0:
				v.flags |= flagPieces
			}
		}
		off, last, previous = next, max(last, slot), slot
	}
	return off, last, previous
}

// note records a value of f at offset at, behind its tag, and returns the offset behind it;
// previous is the slot of the field before it, -1 when that is unknown.
func (v *View) note(f *FieldInfo, slots []uint32, t *Table, at, tag uint,
	previous int) (next uint) {
	v.flags |= flagHidden
	if f.span() {
		start, end, next := valueAt(v.p, uint(v.n), at, tag)
		if start == bad {
			return bad
		}
		if slots[f.Slot] != 0 && f.Kind >= KindMessage {
			v.flags |= flagTwice
			return next
		}
		t.leaveOneof(f, slots)
		slots[f.Slot], slots[f.Slot+1] = uint32(start), uint32(end)
		return next
	}
	next = skipValue(v.p, uint(v.n), at, tag)
	slot, value := &slots[f.Slot], uint32(at)
	old := *slot
	switch {
	case f.Kind == KindMap || f.Flags&FlagRepeated != 0:
		if tag&7 != f.declaredWire() {
			value |= otherForm
		}
		if old != 0 {
			if previous != int(f.Slot) || (old^value)&otherForm != 0 {
				v.flags |= flagPieces
			}
			return next
		}
	case f.Kind == KindEnum && f.Enum.Closed &&
		(old != 0 && f.Flags&FlagEntry == 0 || f.Oneof != 0):
		// A number that a closed enum does not have is an unknown field and replaces nothing.
		if x, next := varintAt(v.p, uint(v.n), at); next == bad || !f.Enum.Valid(int32(x)) {
			return next
		}
	}
	t.leaveOneof(f, slots)
	*slot = value
	return next
}

// leaveOneof clears the slots of all members of the oneof that f belongs to.
func (t *Table) leaveOneof(f *FieldInfo, slots []uint32) {
	if f.Oneof == 0 {
		return
	}
	for i := range t.Fields {
		if g := &t.Fields[i]; g.Oneof == f.Oneof {
			slots[g.Slot] = 0
			if g.span() {
				slots[g.Slot+1] = 0
			}
		}
	}
}
