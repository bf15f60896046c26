package gremlin

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

	// GremlinDecode reads the message that d is at. It is for generated code.
	GremlinDecode(d *Decoder)
}

// Decoder reads the fields of a message into a generated Message. It is for generated code, which enters the message, asks
// for one tag after the other and then for the value:
//
//	outer := d.Enter()
//	for {
//		switch d.Tag() {
//		case 0:
//			d.Leave(outer)
//			return
//		case 1<<3 | 2:
//			d.String(&m.Name)
//		default:
//			m.unknown = d.Unknown(m.unknown)
//		}
//	}
//
// After an error Tag returns 0 and nothing is read any more. Values are copied. No method keeps its arguments, and calls
// between generated types are static, so that neither the Decoder nor the message has to be on the heap.
type Decoder struct {
	p       Ptr
	n       uint // end of the current message
	end     uint // end of the whole input
	at      uint // start of the current field
	off     uint
	tag     uint // 0 before the first Enter
	group   uint // number of the group that is being read, 0 outside of one
	depth   int  // levels of nesting left
	failed  bool
	lenient bool // for Reader.ToMessage: what a Reader reads as empty is empty, UTF-8 is not checked

	chunk []byte // copy of the input from base on, see own
	base  uint
}

// Start makes d read b, strictly.
func (d *Decoder) Start(b []byte) {
	*d = Decoder{p: ptrOf(b), n: uint(len(b)), end: uint(len(b)), depth: MaxDepth}
	if d.n > MaxSize {
		d.fail()
	}
}

// StartLenient makes d read what a Reader has in its view. Nested messages that are malformed come out empty.
func (d *Decoder) StartLenient(v *View) {
	*d = Decoder{p: v.p, n: uint(v.n), end: uint(v.n), depth: MaxDepth, lenient: true}
	if v.Bad() {
		d.n = 0
	}
}

// Err returns nil, or what is wrong with the input, which was to be a message of type t.
func (d *Decoder) Err(t *Table) error {
	if !d.failed {
		return nil
	}
	return d.diagnose(t)
}

// diagnose validates the input again, because decoding keeps no account of where it is.
func (d *Decoder) diagnose(t *Table) error {
	if d.end > MaxSize {
		return &Error{Code: TooLarge, Message: t.Name, Offset: 0}
	}
	if err := validate(d.p, d.end, t); err != nil {
		return err
	}
	return &Error{Code: Malformed, Message: t.Name, Offset: -1}
}

// Strings and bytes share copies of whole pieces of the input, because an allocation each costs more than all the rest of
// decoding. A value that outlives its message keeps at most maxChunk bytes alive, and all pieces together are no larger than
// the input.
const (
	maxChunk = 1024
	maxShort = 128 // longer values are copied alone, unless all of the input fits into a chunk
)

// own returns a copy of the size bytes at start, where size is not 0 and start not before that of the last call.
func (d *Decoder) own(start, size uint) []byte {
	if start+size > d.base+uint(len(d.chunk)) {
		if size > maxShort && d.end > maxChunk {
			return append([]byte(nil), viewBytes(d.p, start, size)...)[:size:size]
		}
		d.base = start
		d.chunk = append([]byte(nil), viewBytes(d.p, start, min(maxChunk, d.end-start))...)
	}
	return d.chunk[start-d.base:][:size:size]
}

// Level is where a Decoder was before it entered a message.
type Level struct {
	n, at, tag, group uint
	whole             bool // what was entered is not malformed
}

// Enter begins to read the message that d is at: all of the input at first, then one with a length or a group.
func (d *Decoder) Enter() (outer Level) {
	outer = Level{n: d.n, at: d.at, tag: d.tag, group: d.group, whole: true}
	switch {
	case d.tag&7 == wireBytes:
		start, end := payloadAt(d.p, d.n, d.off)
		if start == bad {
			d.fail()
			break
		}
		d.off, d.n, d.group = start, end, 0
		if d.lenient && (d.depth == 0 || !d.structured()) {
			d.off, outer.whole = end, false
		}
	case d.tag != 0:
		d.group = d.tag >> 3
		if d.lenient && d.depth == 0 {
			_, d.off = skipGroup(d.p, d.n, d.off, d.group, MaxDepth) // structured has seen that it is whole
			d.n, outer.whole, d.group = d.off, false, 0
		}
	}
	if d.depth--; d.depth < 0 && !d.lenient {
		d.fail()
	}
	return outer
}

// structured tells whether the current level can be read to its end, which is what a Reader asks for.
func (d *Decoder) structured() bool {
	off := d.off
	for off < d.n {
		tag, after := tagAt(d.p, d.n, off)
		if after == bad {
			return false
		}
		off = skipValue(d.p, d.n, after, tag)
	}
	return off == d.n
}

// Leave goes on behind the message that was entered, and tells whether it was whole.
func (d *Decoder) Leave(outer Level) bool {
	d.n, d.at, d.tag, d.group = outer.n, outer.at, outer.tag, outer.group
	d.depth++
	if d.failed {
		d.n, d.off = 0, 0
		return false
	}
	return outer.whole
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
	d.Skip()
	return d.Keep(dst)
}

// Skip goes behind the current field.
func (d *Decoder) Skip() {
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
	if !d.failed && !e.Valid(x) {
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
	if off := d.off; off < d.n {
		if size = load8(d.p, off); size < 0x80 && off+1+size <= d.n {
			d.off = off + 1 + size
			return off + 1, size
		}
	}
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
	if !validUTF8(d.p, start, size) && !d.lenient {
		d.fail()
		return
	}
	*v = ownString(d.own(start, size))
}

// StringUnchecked reads a string that may be anything.
func (d *Decoder) StringUnchecked(v *string) {
	if start, size := d.payload(); size == 0 {
		*v = ""
	} else {
		*v = ownString(d.own(start, size))
	}
}

// Bytes reads a bytes value; it is not nil afterwards.
func (d *Decoder) Bytes(v *[]byte) {
	if start, size := d.payload(); size == 0 {
		*v = []byte{}
	} else {
		*v = d.own(start, size)
	}
}

// Put stores an entry that was just read in a map, which is made when it is not there yet, for as many entries as follow
// directly.
func Put[K comparable, V any](d *Decoder, m *map[K]V, key K, value V) {
	if *m == nil {
		*m = make(map[K]V, d.entries())
	}
	(*m)[key] = value
}
