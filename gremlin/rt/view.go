package rt

import "math"

// View is the part that all generated Readers have in common: the bytes of one message, of which
// the Reader's slots say where each field starts. It is written by Start, the generated index
// function and Advance, and only read afterwards.
//
// A slot is the offset of a field's value, behind its tag; 0 means absent (no value starts at 0).
// For a repeated field it is that of the first value. Bit 31 marks a list of numbers whose first
// occurrence is not in the form that its declaration asks for (packed or not). A string, bytes or
// message field that is not repeated has two slots: where its payload starts and where it ends.
// Both were checked when the message was indexed and the memory cannot shrink, so that getters of
// such fields need not look at the message again.
type View struct {
	p     Ptr
	n     uint32
	flags uint32
}

const (
	flagBad      = 1 << iota // malformed; slots are 0
	flagTooLarge             // ... because it is larger than MaxSize
	// a message field came twice: getters of messages must look at the whole message
	flagTwice
	// the values of a list do not stand together, or not in one form: List must look at the whole
	// message
	flagPieces
	// there may be values that no slot tells of, other than unknown fields and numbers
	flagHidden
)

const otherForm = 1 << 31

// First returns where the bytes of b start.
func First(b []byte) Ptr { return ptrOf(b) }

// Bad tells whether the message was malformed; its Reader reads as empty then.
func (v *View) Bad() bool { return v.flags&flagBad != 0 }

// Err returns nil, or what is wrong with a malformed message of type t.
func (v *View) Err(t *Table) error {
	switch {
	case v.flags&flagBad == 0:
		return nil
	case v.flags&flagTooLarge != 0:
		return &Error{Code: TooLarge, Message: t.Name, Offset: 0}
	}
	off := uint(0)
	for next := off; next < uint(v.n); {
		off = next
		tag, after := tagAt(v.p, uint(v.n), off)
		if after == bad {
			break
		}
		if next = skipValue(v.p, uint(v.n), after, tag); next == bad {
			e := &Error{Code: Malformed, Message: t.Name, Offset: int(off),
				Detail: whyMalformed(v.p, uint(v.n), off)}
			if f := t.field(tag >> 3); f != nil && tag&7 != wireEnd {
				c := checker{p: v.p}
				e.in(f.Name, c.index(f, 0, off))
			}
			return e
		}
	}
	return &Error{Code: Malformed, Message: t.Name, Offset: int(off),
		Detail: whyMalformed(v.p, uint(v.n), off)}
}

// Raw returns the bytes that the view reads, not a copy; nil when they were malformed.
func (v *View) Raw() []byte {
	if v.n == 0 || v.Bad() {
		return nil
	}
	return viewBytes(v.p, 0, uint(v.n))
}

// Detach replaces the bytes by a copy of them.
func (v *View) Detach() {
	if v.n != 0 {
		v.p = ptrOf(append(make([]byte, 0, v.n), viewBytes(v.p, 0, uint(v.n))...))
	}
}

// The getters decode the value at a slot; an absent field is the zero value. Those of numbers check
// their bounds again, because the bytes may have changed since they were indexed: such a Reader
// gives wrong values, but never reads outside the message.

// Varint returns the value of a bool, enum or integer of variable length.
//
//go:noinline
func (v *View) Varint(slot uint32) uint64 {
	off, n := uint(slot), uint(v.n)
	if off == 0 {
		return 0
	}
	if off < n && n >= 8 {
		at := min(off, n-8)
		x := load64(v.p, at) >> ((off - at) * 8 & 63)
		if x&0x80 == 0 {
			return x & 0x7f
		}
		if stop := ^x & continuation; stop != 0 {
			return compact(x & (stop ^ (stop - 1)))
		}
	}
	x, next := varintAt(v.p, n, off)
	if next == bad {
		return 0
	}
	return x
}

// Sint32 returns the value of a sint32.
func (v *View) Sint32(slot uint32) int32 { return sintOf[int32](v.Varint(slot)) }

// Sint64 returns the value of a sint64.
func (v *View) Sint64(slot uint32) int64 { return unzigzag(v.Varint(slot)) }

// Fixed32 returns the bits of a fixed32 or sfixed32.
//
//go:noinline
func (v *View) Fixed32(slot uint32) uint32 {
	if off := uint(slot); off != 0 && off+4 <= uint(v.n) {
		return load32(v.p, off)
	}
	return 0
}

// Fixed64 returns the bits of a fixed64 or sfixed64.
//
//go:noinline
func (v *View) Fixed64(slot uint32) uint64 {
	if off := uint(slot); off != 0 && off+8 <= uint(v.n) {
		return load64(v.p, off)
	}
	return 0
}

// Float returns the value of a float.
func (v *View) Float(slot uint32) float32 { return math.Float32frombits(v.Fixed32(slot)) }

// Double returns the value of a double.
func (v *View) Double(slot uint32) float64 { return math.Float64frombits(v.Fixed64(slot)) }

// String returns the value of a string, which shares the message's memory.
func (v *View) String(start, end uint32) string {
	if start == end {
		return "" // a pointer behind the last byte must not exist
	}
	return viewString(v.p, uint(start), uint(end-start))
}

// Bytes returns the value of a bytes field, which shares the message's memory: nil when absent, not
// nil when empty.
func (v *View) Bytes(start, end uint32) []byte {
	if start == end {
		return noBytes(start)
	}
	return viewBytes(v.p, uint(start), uint(end-start))
}

func noBytes(start uint32) []byte {
	if start == 0 {
		return nil
	}
	return []byte{}
}

// HasEnum tells whether a field of a closed enum is set to one of its values.
func (v *View) HasEnum(slot uint32, e *EnumInfo) bool {
	return slot != 0 && e.Valid(int32(v.Varint(slot)))
}

// ClosedEnum returns the value of a field of a closed enum, or the default where the number is none
// of its values.
func (v *View) ClosedEnum(slot uint32, e *EnumInfo, def int32) int32 {
	if x := int32(v.Varint(slot)); slot != 0 && e.Valid(x) {
		return x
	}
	return def
}

// Message returns the bytes of a message field; tag is the field's. n is 0 when it is absent or
// empty.
func (v *View) Message(start, end uint32, tag uint) (p Ptr, n uint) {
	switch {
	case v.flags&flagTwice != 0:
		return v.concatPieces(uint(start), uint(end), tag)
	case start == end:
		return p, 0
	}
	return ptrAdd(v.p, uint(start)), uint(end - start)
}

// valueAt returns where the payload of a message, string or bytes value starts and ends, and where
// the next field starts.
func valueAt(p Ptr, n, off, tag uint) (start, end, next uint) {
	if tag&7 == wireStart {
		end, next = skipGroup(p, n, off, tag>>3, MaxDepth)
		if end == bad {
			return bad, bad, bad
		}
		return off, end, next
	}
	start, end = payloadAt(p, n, off)
	return start, end, end
}

// concatPieces is Message where a field may have come twice: it returns the concatenation of all
// payloads, of which the first is given, because concatenating the encodings of two messages is how
// protobuf merges them.
//
//go:noinline
func (v *View) concatPieces(start, end, tag uint) (p Ptr, n uint) {
	if start == 0 {
		return p, 0
	}
	next := end
	if tag&7 == wireStart {
		next = skipVarint(v.p, uint(v.n), next) // the end tag
	}
	var all []byte
	for {
		at, _ := seek(v.p, uint(v.n), next, tag, tag)
		if at == 0 {
			break
		}
		s, e, nx := valueAt(v.p, uint(v.n), at, tag)
		if s == bad {
			break
		}
		if all == nil {
			all = appendView(make([]byte, 0, end-start+e-s), v.p, start, end)
		}
		all = appendView(all, v.p, s, e)
		next = nx
	}
	switch {
	case len(all) != 0:
		return ptrOf(all), uint(len(all))
	case start == end:
		return p, 0
	}
	return ptrAdd(v.p, start), end - start
}

// appendView appends the bytes [start, end).
func appendView(dst []byte, p Ptr, start, end uint) []byte {
	if start == end {
		return dst
	}
	return append(dst, viewBytes(p, start, end-start)...)
}
