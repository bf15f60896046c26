package gremlin

import "math"

// View is the part that all generated Readers have in common: the bytes of one message, of which the Reader's slots say
// where each field starts. It is written by Start, the generated index function and Advance, and only read afterwards.
//
// A slot is the offset of a field's value, behind its tag; 0 means absent (no value starts at 0). For a repeated field it is
// that of the first value. Bit 31 marks a list of numbers whose first occurrence is not in the form that its declaration
// asks for (packed or not).
type View struct {
	p     Ptr
	n     uint32
	flags uint32
}

const (
	flagBad       = 1 << iota // malformed; slots are 0
	flagTooLarge              // ... because it is larger than MaxSize
	flagIrregular             // a message field came twice or a list in pieces: getters must look at the whole message
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
			e := &Error{Code: Malformed, Message: t.Name, Offset: int(off)}
			if f := t.field(tag >> 3); f != nil && tag&7 != wireEnd {
				c := checker{p: v.p}
				e.in(f.Name, c.index(f, 0, off))
			}
			return e
		}
	}
	return &Error{Code: Malformed, Message: t.Name, Offset: int(off)}
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

// The getters decode the value at a slot; an absent field is the zero value. They check their bounds again, because the
// bytes may have changed since they were indexed: such a Reader gives wrong values, but never reads outside the message.

// Varint returns the value of a bool, enum or integer of variable length.
//
//go:noinline
func (v *View) Varint(slot uint32) uint64 {
	off, n := uint(slot), uint(v.n)
	if off == 0 {
		return 0
	}
	if off+8 <= n {
		x := load64(v.p, off)
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
//
//go:noinline
func (v *View) String(slot uint32) string {
	n := uint(v.n)
	if off := uint(slot) + 1; off < n && slot != 0 {
		// An empty string is left to the slow path: a pointer behind the last byte must not exist.
		l := load8(v.p, uint(slot))
		if l-1 < 0x7f {
			if off+l <= n {
				return viewString(v.p, off, l)
			}
		} else if c := load8(v.p, off); l != 0 && c-1 < 0x7f {
			if l += c<<7 - 0x80; off+1+l <= n {
				return viewString(v.p, off+1, l)
			}
		}
	}
	return v.stringSlow(uint(slot))
}

//go:noinline
func (v *View) stringSlow(off uint) string {
	if off == 0 {
		return ""
	}
	start, end := payloadAt(v.p, uint(v.n), off)
	if start == end {
		return ""
	}
	return viewString(v.p, start, end-start)
}

// Bytes returns the value of a bytes field, which shares the message's memory: nil when absent, not nil when empty.
func (v *View) Bytes(slot uint32) []byte {
	if slot == 0 {
		return nil
	}
	start, end := payloadAt(v.p, uint(v.n), uint(slot))
	if start == end {
		return []byte{}
	}
	return viewBytes(v.p, start, end-start)
}

// HasEnum tells whether a field of a closed enum is set to one of its values.
func (v *View) HasEnum(slot uint32, e *EnumInfo) bool {
	return slot != 0 && e.Valid(int32(v.Varint(slot)))
}

// ClosedEnum returns the value of a field of a closed enum, or the default where the number is none of its values.
func (v *View) ClosedEnum(slot uint32, e *EnumInfo, def int32) int32 {
	if x := int32(v.Varint(slot)); slot != 0 && e.Valid(x) {
		return x
	}
	return def
}

// Message returns the bytes of the message at slot; tag is the field's. n is 0 when it is absent or empty. Where the bytes
// changed and no longer make sense, u is marked bad.
func (v *View) Message(u *View, slot uint32, tag uint) (p Ptr, n uint) {
	off, end := uint(slot), uint(v.n)
	if v.flags&flagIrregular == 0 && off < end && tag&7 == wireBytes {
		if l := load8(v.p, off); l-1 < 0x7f && off+1+l <= end && off != 0 {
			return ptrAdd(v.p, off+1), l
		}
	}
	return v.messageSlow(u, off, tag)
}

//go:noinline
func (v *View) messageSlow(u *View, off, tag uint) (p Ptr, n uint) {
	if off == 0 {
		return p, 0
	}
	start, end, next := valueAt(v.p, uint(v.n), off, tag)
	if start == bad {
		u.flags = flagBad
		return p, 0
	}
	if v.flags&flagIrregular != 0 {
		if b := v.merge(start, end, next, tag); b != nil {
			return ptrOf(b), uint(len(b))
		}
	}
	if start == end {
		return p, 0
	}
	return ptrAdd(v.p, start), end - start
}

// valueAt returns where the payload of a message, string or bytes value starts and ends, and where the next field starts.
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

// merge returns the concatenation of the payloads of a singular message field, whose first is at [start, end), or nil when
// there is only one. Concatenating the encodings of two messages is how protobuf merges them.
func (v *View) merge(start, end, next, tag uint) []byte {
	var all []byte
	for n := uint(v.n); next < n; {
		t, after := tagAt(v.p, n, next)
		if after == bad {
			break
		}
		if t != tag {
			next = skipValue(v.p, n, after, t)
			continue
		}
		s, e, nx := valueAt(v.p, n, after, tag)
		if s == bad {
			break
		}
		if all == nil {
			all = appendView(make([]byte, 0, end-start+e-s), v.p, start, end)
		}
		all = appendView(all, v.p, s, e)
		next = nx
	}
	return all
}

// appendView appends the bytes [start, end).
func appendView(dst []byte, p Ptr, start, end uint) []byte {
	if start == end {
		return dst
	}
	return append(dst, viewBytes(p, start, end-start)...)
}
