package gremlin

import (
	"sync"
	"unicode/utf8"
)

// Message is what all generated Message types have in common.
type Message interface {
	Type

	// Size returns the length of the encoding in bytes.
	Size() int
	// Marshal returns the encoding in a new slice. It cannot fail.
	Marshal() []byte
	// MarshalAppend appends the encoding to dst and returns the extended slice.
	MarshalAppend(dst []byte) []byte
	// MarshalStable is MarshalAppend with the entries of maps sorted by key: equal messages give equal bytes.
	MarshalStable(dst []byte) []byte
	// Unmarshal replaces the contents by those of an encoding, of which it keeps nothing.
	Unmarshal(b []byte) error
	// CheckInitialized returns an error that names a required field that is not set, here or in a nested message.
	CheckInitialized() error
	// Reset makes the message empty.
	Reset()
	// String returns the message in text format.
	String() string

	// GremlinDecode reads fields up to the end of the current message. It is for generated code.
	GremlinDecode(d *Decoder)
}

// Decoder reads the fields of a message into a generated Message. It is for generated code, which asks it for one tag after
// the other and then for the value:
//
//	for {
//		switch d.Tag() {
//		case 0:
//			return
//		case 1<<3 | 2:
//			d.String(&m.Name)
//		default:
//			m.unknown = d.Unknown(m.unknown)
//		}
//	}
//
// After an error Tag returns 0 and nothing is read any more. Values are copied.
type Decoder struct {
	p       Ptr
	n       uint // end of the current message
	end     uint // end of the whole input
	at      uint // start of the current field
	off     uint
	tag     uint
	group   uint // number of the group that is being read, 0 outside of one
	depth   int  // levels of nesting left
	failed  bool
	lenient bool // for Reader.ToMessage: what a Reader reads as empty is empty, UTF-8 is not checked

	unlisted bool // DecodeClosedEnum met a number that the enum does not have

	chunk []byte // spare room for short strings, see text
}

// Short strings are copied into chunks that they share, because an allocation each costs more than all the rest of
// decoding. A string that outlives its message keeps at most maxChunk bytes alive.
const (
	maxChunk = 1024
	maxShort = 128 // longer strings are allocated alone
)

// text returns a copy of the size bytes at start, where size is not 0.
func (d *Decoder) text(start, size uint) string {
	b := viewBytes(d.p, start, size)
	if size > maxShort {
		return string(b)
	}
	if cap(d.chunk)-len(d.chunk) < int(size) {
		// No more than what the input has left, so that one small message does not pay for a whole chunk.
		d.chunk = make([]byte, 0, min(maxChunk, max(size, d.end-start)))
	}
	n := len(d.chunk)
	d.chunk = append(d.chunk, b...)
	return ownString(d.chunk[n:])
}

// decoders keeps Decoders: they go to methods through an interface, so one on the stack would be allocated every time.
var decoders = sync.Pool{New: func() any { return new(Decoder) }}

// Unmarshal decodes b into m, which must be empty, and checks everything but required fields. t is the table of m's type.
func Unmarshal(b []byte, m Message, t *Table) error {
	if uint64(len(b)) > MaxSize {
		return &Error{Code: TooLarge, Message: t.Name, Offset: 0}
	}
	if decode(ptrOf(b), uint(len(b)), m, false) {
		return nil
	}
	// Decoding keeps no account of where it is; validation, which says the same, does.
	if err := validate(ptrOf(b), uint(len(b)), t); err != nil {
		return err
	}
	return &Error{Code: Malformed, Message: t.Name, Offset: -1}
}

// Decode decodes what a Reader has in its view into m, which must be empty. Nested messages that are malformed are empty.
func (v *View) Decode(m Message) {
	if !v.Bad() {
		decode(v.p, uint(v.n), m, true)
	}
}

func decode(p Ptr, n uint, m Message, lenient bool) bool {
	d := decoders.Get().(*Decoder)
	*d = Decoder{p: p, n: n, end: n, depth: MaxDepth - 1, lenient: lenient}
	m.GremlinDecode(d)
	ok := !d.failed
	*d = Decoder{}
	decoders.Put(d)
	return ok
}

func (d *Decoder) fail() {
	d.failed = true
	d.n, d.off = 0, 0
}

// failStrict fails for what a Reader does not look at.
func (d *Decoder) failStrict() {
	if !d.lenient {
		d.fail()
	}
}

// Tag returns the tag of the next field; 0 at the end of the message and after an error.
func (d *Decoder) Tag() uint {
	d.at = d.off
	if d.off < d.n {
		if c := load8(d.p, d.off); c < 0x80 && c >= 8 && c&7 != wireEnd {
			d.off++
			d.tag = c
			return c
		}
	}
	return d.tagSlow()
}

//go:noinline
func (d *Decoder) tagSlow() uint {
	if d.off >= d.n {
		if d.group != 0 {
			d.fail()
		}
		return 0
	}
	tag, next := tagAt(d.p, d.n, d.off)
	if next == bad {
		d.fail()
		return 0
	}
	d.tag, d.off = tag, next
	if tag&7 == wireEnd {
		if d.group != tag>>3 {
			d.fail()
		}
		d.group = 0
		return 0
	}
	return tag
}

// Unknown skips the current field and appends it, tag and value, to dst.
func (d *Decoder) Unknown(dst []byte) []byte {
	d.skip()
	return d.Keep(dst)
}

func (d *Decoder) skip() {
	if next := skipValue(d.p, d.n, d.off, d.tag); next == bad {
		d.fail()
	} else {
		d.off = next
	}
}

// Keep appends the field that was just read to dst.
func (d *Decoder) Keep(dst []byte) []byte {
	if d.failed {
		return dst
	}
	return append(dst, viewBytes(d.p, d.at, d.off-d.at)...)
}

// Varint reads a varint.
func (d *Decoder) Varint() uint64 {
	v, next := varintAt(d.p, d.n, d.off)
	if next == bad {
		d.fail()
		return 0
	}
	d.off = next
	return v
}

// Int32 reads an int32.
func (d *Decoder) Int32(v *int32) { *v = int32(d.Varint()) }

// Int64 reads an int64.
func (d *Decoder) Int64(v *int64) { *v = int64(d.Varint()) }

// Uint32 reads a uint32.
func (d *Decoder) Uint32(v *uint32) { *v = uint32(d.Varint()) }

// Uint64 reads a uint64.
func (d *Decoder) Uint64(v *uint64) { *v = d.Varint() }

// Sint32 reads a sint32.
func (d *Decoder) Sint32(v *int32) { *v = sintOf[int32](d.Varint()) }

// Sint64 reads a sint64.
func (d *Decoder) Sint64(v *int64) { *v = unzigzag(d.Varint()) }

// Bool reads a bool.
func (d *Decoder) Bool(v *bool) { *v = d.Varint() != 0 }

// DecodeEnum reads a value of an open enum.
func DecodeEnum[T ~int32](d *Decoder, v *T) { *v = T(d.Varint()) }

// DecodeClosedEnum reads a value of a closed enum; false, and v is untouched, when the enum does not have it.
func DecodeClosedEnum[T ~int32](d *Decoder, v *T, e *EnumInfo) bool {
	x := int32(d.Varint())
	if d.unlisted = !d.failed && !e.Valid(x); d.unlisted {
		return false
	}
	*v = T(x)
	return true
}

// DecodeFixed reads a number of 4 or 8 bytes.
func DecodeFixed[T fixedNumber](d *Decoder, v *T) {
	size := sizeFixed[T]()
	if d.n-d.off < size {
		d.fail()
		return
	}
	*v = fixedAt[T](d.p, d.off)
	d.off += size
}

// payload consumes a length-delimited value.
func (d *Decoder) payload() (start, size uint) {
	start, end := payloadAt(d.p, d.n, d.off)
	if start == bad {
		d.fail()
		return 0, 0
	}
	d.off = end
	return start, end - start
}

// String reads a string that must be UTF-8.
func (d *Decoder) String(v *string) {
	start, size := d.payload()
	if size == 0 {
		*v = ""
		return
	}
	b := viewBytes(d.p, start, size)
	if !utf8.Valid(b) && !d.lenient {
		d.fail()
		return
	}
	*v = d.text(start, size)
}

// StringUnchecked reads a string that may be anything.
func (d *Decoder) StringUnchecked(v *string) {
	if start, size := d.payload(); size == 0 {
		*v = ""
	} else {
		*v = d.text(start, size)
	}
}

// Bytes reads a bytes value; it is not nil afterwards.
func (d *Decoder) Bytes(v *[]byte) {
	if start, size := d.payload(); size == 0 {
		*v = []byte{}
	} else {
		*v = append(make([]byte, 0, size), viewBytes(d.p, start, size)...)
	}
}

// Message reads a message, with a length or as a group, into m, merging it with what is there.
func (d *Decoder) Message(m Message) {
	outer := *d
	if d.depth == 0 {
		d.fail()
	} else if d.tag&7 == wireStart {
		d.group = d.tag >> 3
	} else {
		start, size := d.payload()
		d.n, d.off, d.group = start+size, start, 0
	}
	if !d.failed {
		d.depth--
		m.GremlinDecode(d)
	}
	if d.failed && outer.lenient {
		m.Reset()
		d.failed = false
		if _, _, d.off = valueAt(outer.p, outer.n, outer.off, outer.tag); d.off == bad {
			d.fail()
		}
	}
	d.n, d.group, d.depth, d.at, d.tag, d.unlisted = outer.n, outer.group, outer.depth, outer.at, outer.tag, outer.unlisted
	if d.failed {
		d.fail()
	}
}

// DecodeEntry reads an entry of a map with the given functions for key and value; each must decode the kind that the tag's
// wire type announces. It is false when the value is a number that a closed enum does not have; the entry is an unknown
// field then.
func DecodeEntry[K comparable, V any](d *Decoder, m *map[K]V, keyTag uint, key func(*Decoder, *K), valueTag uint, value func(*Decoder, *V)) bool {
	outer := *d
	start, size := d.payload()
	if d.depth == 0 {
		d.fail()
	}
	if d.failed {
		return true
	}
	d.depth--
	d.n, d.off, d.group, d.unlisted = start+size, start, 0, false
	var k K
	var v V
	for tag := d.Tag(); tag != 0; tag = d.Tag() {
		switch tag {
		case keyTag:
			key(d, &k)
		case valueTag:
			value(d, &v)
		default:
			d.skip()
		}
	}
	whole := !d.failed
	if !whole && d.lenient {
		d.failed, d.off = false, start+size
	}
	d.n, d.group, d.depth, d.at, d.tag = outer.n, outer.group, outer.depth, outer.at, outer.tag
	if d.failed {
		d.fail()
	}
	if !whole {
		return true
	}
	if d.unlisted {
		return false
	}
	if *m == nil {
		*m = make(map[K]V)
	}
	(*m)[k] = v
	return true
}
