package gremlin

import "iter"

// List walks the values of a repeated field or the entries of a map. The zero List is empty. It is a value: a copy walks on
// its own. It has four words, because the compiler keeps no larger struct in registers.
type List struct {
	p   Ptr
	n   uint
	off uint   // of the next value, behind its tag; 0 when there is none
	tag uint64 // the one that the field is written with, and flags above it
}

const (
	listIrregular = 1 << (32 + iota) // the values do not stand together, or not in one form: look for them up to the end of the message
	listPacked                       // of numbers: the value at off is a packed run
)

// List returns the list at slot; tag is the one that the field is written with. Numbers are packed where it is that of bytes
// or they are in the other form, and not where both is so.
func (v *View) List(slot, tag uint32) List {
	return List{v.p, uint(v.n), uint(slot &^ otherForm),
		uint64(tag) | uint64(v.flags&flagPieces)*(listIrregular/flagPieces) | uint64((slot>>31^tag>>1)&1)*listPacked}
}

// Next returns the bytes of the next message; n is 0 for an empty one.
func (l *List) Next() (p Ptr, n uint, ok bool) {
	off := l.off
	if off == 0 {
		return p, 0, false
	}
	if off+1 < l.n && l.short() {
		if n = load8(l.p, off); n < 0x80 && off+n+3 <= l.n && load8(l.p, off+n+1) == uint(uint32(l.tag)) {
			l.off = off + n + 2
			return ptrAdd(l.p, off+1), n, true
		}
	}
	start, end, ok := l.nextSlow()
	if start == end {
		return p, 0, ok
	}
	return ptrAdd(l.p, start), end - start, true
}

// short tells whether the tag is that of a value with a length and has one byte.
func (l *List) short() bool { return uint32(l.tag)&(7|^uint32(0x7f)) == wireBytes }

// next returns where the payload of the next string, bytes or message starts and ends.
func (l *List) next() (start, end uint, ok bool) {
	if off := l.off; off < l.n && off != 0 && l.short() {
		start = off + 1
		end = start + load8(l.p, off)
		// The usual case: a short value and behind it another one.
		if end < start+0x80 && end+2 <= l.n && load8(l.p, end) == uint(uint32(l.tag)) {
			l.off = end + 1
			return start, end, true
		}
	}
	return l.nextSlow()
}

//go:noinline
func (l *List) nextSlow() (start, end uint, ok bool) {
	off, tag := l.off, uint(uint32(l.tag))
	if off == 0 {
		return 0, 0, false
	}
	l.off = 0
	var next uint
	if tag&7 == wireBytes {
		start, end = payloadAt(l.p, l.n, off)
		next = end
	} else {
		start, end, next = valueAt(l.p, l.n, off, tag)
	}
	if start == bad {
		return 0, 0, false
	}
	l.off, _ = l.follow(next, tag, tag)
	return start, end, true
}

// follow returns the offset of the value behind the one that ends at off, 0 when there is none, and its tag. Its tag is
// that of the one before, or other where the list is not regular.
func (l *List) follow(off, tag, other uint) (at, found uint) {
	switch {
	case l.tag&listIrregular != 0:
		return seek(l.p, l.n, off, tag, other)
	case tag < 0x80:
		if off < l.n && load8(l.p, off) == tag {
			return off + 1, tag
		}
	case tag < 1<<14:
		if off+2 <= l.n && load16(l.p, off) == tag&0x7f|0x80|tag>>7<<8 {
			return off + 2, tag
		}
	default:
		if found, at = tagAt(l.p, l.n, off); at != bad && found == tag {
			return at, found
		}
	}
	return 0, 0
}

// seek returns the offset of the first value from off on whose tag is a or b, 0 when there is none, and its tag.
func seek(p Ptr, n, off, a, b uint) (at, tag uint) {
	for off < n {
		if tag, at = tagAt(p, n, off); at == bad {
			break
		}
		if tag == a || tag == b {
			return at, tag
		}
		off = skipValue(p, n, at, tag)
	}
	return 0, 0
}

// Len counts the strings, byte slices or messages of l without decoding them.
func (l List) Len() (count int) {
	for {
		if _, _, ok := l.next(); !ok {
			return count
		}
		count++
	}
}

// EachString yields strings, which share the message's memory. See EachVarint.
func EachString(l List) iter.Seq[string] {
	return func(yield func(string) bool) {
		for l := l; l.off != 0; {
			s, ok := l.nextString()
			if !ok || !yield(s) {
				return
			}
		}
	}
}

//go:noinline
func (l *List) nextString() (string, bool) {
	start, end, ok := l.next()
	if start == end {
		return "", ok
	}
	return viewString(l.p, start, end-start), true
}

// EachBytes yields byte slices, which share the message's memory. None is nil. See EachVarint.
func EachBytes(l List) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for l := l; l.off != 0; {
			b, ok := l.nextBytes()
			if !ok || !yield(b) {
				return
			}
		}
	}
}

//go:noinline
func (l *List) nextBytes() ([]byte, bool) {
	start, end, ok := l.next()
	if start == end {
		return []byte{}, ok
	}
	return viewBytes(l.p, start, end-start), true
}

// AppendStrings appends what EachString yields.
func (l List) AppendStrings(dst []string) []string {
	dst = growSlice(dst, l.Len())
	for {
		s, ok := l.nextString()
		if !ok {
			return dst
		}
		dst = append(dst, s)
	}
}

// AppendByteSlices appends what EachBytes yields.
func (l List) AppendByteSlices(dst [][]byte) [][]byte {
	dst = growSlice(dst, l.Len())
	for {
		b, ok := l.nextBytes()
		if !ok {
			return dst
		}
		dst = append(dst, b)
	}
}
