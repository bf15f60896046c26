package rt

import "iter"

// List walks the values of a repeated field or the entries of a map. The zero List is empty. It is
// a value: a copy walks on its own. It has four words, because the compiler keeps no larger struct
// in registers.
type List struct {
	p   Ptr
	n   uint
	off uint   // offset of the next value, behind its tag; 0 when there is none
	tag uint64 // the one that the field is written with, and flags above it
}

const (
	// the values do not stand together, or not in one form: look for them up to the end of the
	// message
	listIrregular = 1 << (32 + iota)
	listPacked    // of numbers: the value at off is a packed run
)

// List returns the list at slot; tag is the one that the field is written with. Numbers are packed
// if exactly one holds: the declared wire type is bytes; the first value is in the other form.
func (v *View) List(slot, tag uint32) List {
	return List{v.p, uint(v.n), uint(slot &^ otherForm),
		uint64(tag) | uint64(v.flags&flagPieces)*(listIrregular/flagPieces) |
			uint64((slot>>31^tag>>1)&1)*listPacked}
}

// More tells whether there may be another value. It is for generated code, which saves a call by
// it.
func (l *List) More() bool { return l.off != 0 }

// Next returns the bytes of the next string, bytes or message; n is 0 for an empty one, whose p is
// not to be used.
func (l *List) Next() (p Ptr, n uint, ok bool) {
	// The usual case: a short value, its tag has one byte or two, and another value stands directly
	// behind it or nowhere.
	if off, tag := l.off, uint(uint32(l.tag)); l.tag&(listIrregular|7) == wireBytes &&
		tag < 1<<14 && off < l.n && off != 0 {
		n = load8(l.p, off)
		if end := off + 1 + n; n < 0x80 && end <= l.n {
			switch {
			case tag < 0x80 && end < l.n && load8(l.p, end) == tag:
				l.off = end + 1
			case tag >= 0x80 && end+2 <= l.n && load16(l.p, end) == tag&0x7f|0x80|tag>>7<<8:
				l.off = end + 2
			default:
				l.off = 0
				if n == 0 { // there may be nothing behind it that p could point to
					return p, 0, true
				}
			}
			return ptrAdd(l.p, off+1), n, true
		}
	}
	start, end, ok := l.nextSlow()
	if start == end {
		return p, 0, ok
	}
	return ptrAdd(l.p, start), end - start, true
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

// follow returns the offset of the value behind the one that ends at off, 0 when there is none, and
// its tag. Its tag is that of the one before, or other where the list is not regular.
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

// seek returns the offset of the first value from off on whose tag is a or b, 0 when there is none,
// and its tag.
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
	for l.More() {
		if _, _, ok := l.Next(); ok {
			count++
		}
	}
	return count
}

// EachString yields strings, which share the message's memory. See EachVarint.
func EachString(l List) iter.Seq[string] {
	return func(yield func(string) bool) {
		for l := l; l.More(); {
			p, n, ok := l.Next()
			if !ok || !yield(stringOf(p, n)) {
				return
			}
		}
	}
}

func stringOf(p Ptr, n uint) string {
	if n == 0 {
		return ""
	}
	return viewString(p, 0, n)
}

// EachBytes yields byte slices, which share the message's memory. None is nil. See EachVarint.
func EachBytes(l List) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for l := l; l.More(); {
			p, n, ok := l.Next()
			if !ok || !yield(bytesOf(p, n)) {
				return
			}
		}
	}
}

func bytesOf(p Ptr, n uint) []byte {
	if n == 0 {
		return []byte{}
	}
	return viewBytes(p, 0, n)
}

// CollectStrings appends what EachString yields.
func (l List) CollectStrings(dst []string) []string {
	dst = growSlice(dst, l.Len())
	for s := range EachString(l) {
		dst = append(dst, s)
	}
	return dst
}

// CollectByteSlices appends what EachBytes yields.
func (l List) CollectByteSlices(dst [][]byte) [][]byte {
	dst = growSlice(dst, l.Len())
	for b := range EachBytes(l) {
		dst = append(dst, b)
	}
	return dst
}

// NextMessage is Next for a message. Where there is none, because the bytes have changed, it is an
// empty one.
func (l *List) NextMessage() (p Ptr, n uint) {
	p, n, _ = l.Next()
	return p, n
}

// EachMessage yields the messages of l: one Reader that moves on by next, its GremlinNext. See
// EachVarint.
func EachMessage[T any](l List, next func(*T, *List)) iter.Seq[*T] {
	return func(yield func(*T) bool) {
		var e, empty T
		for l := l; l.More(); {
			e = empty
			next(&e, &l)
			if !yield(&e) {
				return
			}
		}
	}
}

// CollectMessages opens the Readers of s, which are empty, on the first messages of l by next,
// their GremlinNext. It is inlined, so that l need not be on the heap.
func CollectMessages[T any](s []T, l List, next func(*T, *List)) []T {
	for i := range s {
		next(&s[i], &l)
	}
	return s
}
