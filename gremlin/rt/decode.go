package rt

import "math/bits"

// Message is what all generated Message types have in common.
type Message interface {
	Type

	// Size returns the length of the encoding in bytes.
	Size() int
	// Marshal returns the encoding in a new slice. It cannot fail.
	Marshal() []byte
	// MarshalAppend appends the encoding to dst and returns the extended slice.
	MarshalAppend(dst []byte) []byte
	// Unmarshal replaces the contents by those of an encoding, of which it keeps nothing.
	Unmarshal(b []byte) error
	// Reset makes the message empty.
	Reset()
	// String returns the message in text format, without what the option debug_redact hides.
	String() string

	// GremlinAppend appends the encoding. It is for generated code.
	GremlinAppend(b []byte, e *Encoder) []byte
	// GremlinDecode reads the fields from off to n and returns where they end. It is for generated
	// code.
	GremlinDecode(d *Decoder, n, off uint) (next uint)
}

// Decoder reads the fields of a message into a generated Message. It is for generated code, which
// asks for the first tag and then for one value after the other; each comes with the tag behind it:
//
//	func (m *User) GremlinDecode(d *Decoder, n, off uint) uint {
//		tag, off := d.Tag(n, off)
//		for tag != 0 {
//			switch tag {
//			case 1<<3 | 2:
//				tag, off = d.String(&m.Name, n, off)
//			case 2<<3 | 2:
//				tag, off = d.Leave(n, gremlin.Alloc(&m.Address).GremlinDecode(d.Enter(n, off)))
//			default:
//				tag, off = d.Unknown(&m.unknown, tag, n, off)
//			}
//		}
//		return off
//	}
//
// n is where the message ends and off where a value starts, behind its tag; both are in registers
// all the way. The tag is 0 at the end of the message and after an error; after an error off is
// bad, and nothing is read any more at any level. Values are copied. No method keeps its arguments,
// and calls between generated types are static, so that neither the Decoder nor the message has to
// be on the heap.
type Decoder struct {
	p          Ptr
	end        uint // end of the whole input
	depth      int  // levels of nesting left, below which allowDeeper is asked
	depthFloor int  // smallest allowed depth once withinDeepBudget has said yes
	// for Reader.ToMessage: what a Reader reads as empty is empty, UTF-8 is not checked
	lenient bool
	group   Group
	at      uint // start of the last field whose tag has more than one byte

	table *Table // table of the outermost message, until allowDeeper was asked

	// What strings and bytes share: the input from base to limit, or a copy of that, see
	// copyToChunk.
	mem   Ptr
	base  uint
	limit uint

	merging bool // lists may have old elements behind their length, see Extend
	reuse   bool // messages keep their memory, see Share
	again   bool // decoding has to begin again without that

	piece   []uint64 // memory for lists of numbers, of which so many words are taken, see words
	taken   uint
	numbers uint // how many words all such lists have
}

// Group is a group that a Decoder is in; there is none if number is 0.
type Group struct {
	number uint
	// depth of the Decoder; a message in the group has another, and the group's end is not its own
	depth int
}

// StartDecoder returns what GremlinDecode takes to read b, a message of type t, strictly. It is
// inlined, so that the Decoder is on the stack.
func StartDecoder(b []byte, t *Table) (d *Decoder, n, off uint) {
	d = &Decoder{p: ptrOf(b), end: uint(len(b)), depth: freeLevels, table: t}
	if d.end > MaxSize {
		return d, bad, bad
	}
	return d, d.end, 0
}

// StartMerge is StartDecoder for a message that keeps what it holds already.
func StartMerge(b []byte, t *Table) (d *Decoder, n, off uint) {
	d, n, off = StartDecoder(b, t)
	d.merging = true
	return d, n, off
}

// StartLenient is StartDecoder for what a Reader has in its view. Nested messages that are
// malformed come out empty.
func StartLenient(v *View, t *Table) (d *Decoder, n, off uint) {
	d = &Decoder{p: v.p, end: uint(v.n), depth: freeLevels, table: t, lenient: true}
	if v.Bad() {
		return d, 0, 0
	}
	return d, d.end, 0
}

// Decoded returns nil, or what is wrong with b, which was to be a message of type t; next is what
// GremlinDecode returned.
func Decoded(next uint, b []byte, t *Table) error {
	if next != bad {
		return nil
	}
	return diagnose(b, t, validate)
}

// diagnose validates the input again, because decoding keeps no account of where it is.
func diagnose(b []byte, t *Table, validate func(Ptr, uint, *Table) error) error {
	if len(b) > MaxSize {
		return &Error{Code: TooLarge, Message: t.Name, Offset: 0}
	}
	if err := validate(ptrOf(b), uint(len(b)), t); err != nil {
		return err
	}
	return &Error{Code: Malformed, Message: t.Name, Offset: -1}
}

// Strings and bytes share copies of whole pieces of the input, because an allocation each costs
// more than all the rest of decoding. A value that outlives its message keeps at most maxChunk
// bytes alive, and all pieces together are no larger than the input.
const (
	maxChunk = 1024
	maxShort = 128 // longer values are copied alone, unless all of the input fits into a chunk
)

// copyToChunk returns a copy of the size bytes at start, where size is not 0 and start not before
// that of the last call.
func (d *Decoder) copyToChunk(start, size uint) []byte {
	if start+size > d.limit {
		if size > maxShort && d.end > maxChunk {
			return copyOf(viewBytes(d.p, start, size))
		}
		chunk := copyOf(viewBytes(d.p, start, min(maxChunk, d.end-start)))
		d.mem, d.base, d.limit = ptrOf(chunk), start, start+uint(len(chunk))
	}
	return viewBytes(d.mem, start-d.base, size)
}

// copyOf is bytes.Clone without spare capacity, for which the runtime would have to look up size
// classes.
func copyOf(b []byte) []byte {
	if len(b) > piece {
		return copyOfLong(b)
	}
	c := make([]byte, len(b))
	copy(c, b)
	return c
}

// Enter begins to read the message with a length that is at off, and returns what its GremlinDecode
// takes.
func (d *Decoder) Enter(n, off uint) (_ *Decoder, end, start uint) {
	if off < n && d.depth > 0 && !d.lenient {
		if size := load8(d.p, off); size < 0x80 && off+1+size <= n {
			d.depth--
			return d, off + 1 + size, off + 1
		}
	}
	return d.enterSlow(n, off)
}

//go:noinline
func (d *Decoder) enterSlow(n, off uint) (_ *Decoder, end, start uint) {
	start, end = payloadAt(d.p, n, off)
	switch allowed := d.depth > 0 || d.allowDeeper(); {
	case start == bad:
	case d.lenient && (!allowed || !structured(d.p, end, start)):
		start = end
	case !allowed:
		start, end = bad, bad
	}
	d.depth--
	return d, end, start
}

// structured tells whether a message can be read to its end, which is what a Reader asks for.
func structured(p Ptr, n, off uint) bool {
	for off < n {
		tag, after := tagAt(p, n, off)
		if after == bad {
			return false
		}
		off = skipValue(p, n, after, tag)
	}
	return off == n
}

// Leave goes on at off, behind the message that was entered, in one that ends at n.
func (d *Decoder) Leave(n, off uint) (tag, next uint) {
	d.depth++
	return d.Tag(n, off)
}

// EnterEntry is Enter for an entry of a map. whole is false if the entry is malformed and left out.
func (d *Decoder) EnterEntry(n, off uint) (end, start uint, whole bool) {
	_, end, start = d.Enter(n, off)
	if d.lenient {
		first, _ := payloadAt(d.p, n, off)
		return end, start, start == first && start != bad
	}
	return end, start, start != bad
}

// EnterGroup begins to read the group with this number that is at off. outer is for LeaveGroup.
func (d *Decoder) EnterGroup(number, n, off uint) (outer Group, end, start uint) {
	outer = d.group
	d.group = Group{}
	switch {
	case d.depth > 0 || d.allowDeeper():
		d.group = Group{number, d.depth - 1}
	case d.lenient:
		_, off = skipGroup(d.p, n, off, number, MaxDepth) // structured has seen that it is whole
		n = off
	default:
		n, off = bad, bad
	}
	d.depth--
	return outer, n, off
}

// LeaveGroup goes on at off, behind the group that was entered, in a message that ends at n.
func (d *Decoder) LeaveGroup(outer Group, n, off uint) (tag, next uint) {
	d.group = outer
	return d.Leave(n, off)
}

// Tag returns the tag at off and where its value starts; 0 at the end of the message and after an
// error. Its first lines are too large to be inlined; varint, text and DecodeFixed, which read most
// fields, repeat them to save a call.
func (d *Decoder) Tag(n, off uint) (tag, next uint) {
	if off < n {
		if tag = load8(d.p, off); tag-1 < 0x7f {
			return tag, off + 1
		}
		if off+2 <= n {
			if w := load16(d.p, off); w&0x8080 == 0x80 && w >= 0x100 { // fields 16 to 2047
				d.at = off
				return w&0x7f | w>>8<<7, off + 2
			}
		}
	}
	return d.tagSlow(n, off)
}

//go:noinline
func (d *Decoder) tagSlow(n, off uint) (tag, next uint) {
	if off >= n {
		if off > n || d.inGroup() {
			return 0, bad
		}
		return 0, n
	}
	d.at = off
	if off+2 <= n {
		if w := load16(d.p, off); w&0x8080 == 0x80 && w >= 0x100 { // fields 16 to 2047
			return w&0x7f | w>>8<<7, off + 2
		}
	}
	return tagAt(d.p, n, off)
}

// inGroup tells whether the fields that are read now are those of a group, whose end has not come
// yet.
func (d *Decoder) inGroup() bool { return d.group.number != 0 && d.group.depth == d.depth }

// FieldStart returns where the field with this tag starts whose value is at off.
func (d *Decoder) FieldStart(tag, off uint) uint {
	if load8(d.p, off-1) == tag {
		return off - 1
	}
	return d.at // the tag is above 0x7f, or longer than it need be, which ends with a zero
}

// Unknown goes behind the current field and appends it, tag and value, to dst.
func (d *Decoder) Unknown(dst *Unknown, tag, n, off uint) (_, next uint) {
	if tag&7 == wireEnd && tag>>3 == d.group.number && d.inGroup() {
		return 0, off
	}
	start := d.FieldStart(tag, off)
	if off = d.skip(tag, n, off); off != bad {
		dst.append(viewBytes(d.p, start, off-start), n-start)
	}
	return d.Tag(n, off)
}

// Skip goes behind the current field.
func (d *Decoder) Skip(tag, n, off uint) (_, next uint) { return d.Tag(n, d.skip(tag, n, off)) }

func (d *Decoder) skip(tag, n, off uint) (next uint) {
	if tag>>3 == 0 {
		return bad
	}
	return skipValue(d.p, n, off, tag)
}

// KeepUnknown appends the field between start and end to dst.
func (d *Decoder) KeepUnknown(dst *Unknown, start, end uint) {
	dst.append(viewBytes(d.p, start, end-start), end-start)
}

// varint reads a varint and the next tag. The varint may lie beyond the end of the message, but not
// of the input, for the tag cannot be read then. So words can be read until near the end of the
// input and not of each nested message. It is a leaf, as text is.
func (d *Decoder) varint(n, off uint) (x uint64, tag, next uint) {
	p := d.p
	if off+2 > d.end {
		return d.varintSlow(n, off)
	}
	switch w := load16(p, off); {
	case w&0x80 == 0:
		x, next = uint64(w&0x7f), off+1
	case w < 0x8000:
		x, next = uint64(w&0x7f|w>>8<<7), off+2
	default:
		if off+8 > d.end {
			return d.varintSlow(n, off)
		}
		x = load64(p, off)
		stop := ^x & continuation
		if stop == 0 {
			return d.varintSlow(n, off)
		}
		x, next = compact(x&(stop^(stop-1))), off+uint(bits.TrailingZeros64(stop)>>3)+1
	}
	if next < n {
		if tag = load8(p, next); tag-1 < 0x7f {
			return x, tag, next + 1
		}
	}
	tag, next = d.tagSlow(n, next)
	return x, tag, next
}

//go:noinline
func (d *Decoder) varintSlow(n, off uint) (x uint64, tag, next uint) {
	next = bad
	if off < n {
		x, next = longVarintAt(d.p, d.end, off)
	}
	tag, next = d.tagSlow(n, next)
	return x, tag, next
}

// Int32 reads an int32, or an open enum.
func (d *Decoder) Int32(v *int32, n, off uint) (tag, next uint) {
	x, tag, next := d.varint(n, off)
	*v = int32(x)
	return tag, next
}

// Int64 reads an int64.
func (d *Decoder) Int64(v *int64, n, off uint) (tag, next uint) {
	x, tag, next := d.varint(n, off)
	*v = int64(x)
	return tag, next
}

// Uint32 reads a uint32.
func (d *Decoder) Uint32(v *uint32, n, off uint) (tag, next uint) {
	x, tag, next := d.varint(n, off)
	*v = uint32(x)
	return tag, next
}

// Uint64 reads a uint64.
func (d *Decoder) Uint64(v *uint64, n, off uint) (tag, next uint) {
	x, tag, next := d.varint(n, off)
	*v = x
	return tag, next
}

// Sint32 reads a sint32.
func (d *Decoder) Sint32(v *int32, n, off uint) (tag, next uint) {
	x, tag, next := d.varint(n, off)
	*v = sintOf[int32](x)
	return tag, next
}

// Sint64 reads a sint64.
func (d *Decoder) Sint64(v *int64, n, off uint) (tag, next uint) {
	x, tag, next := d.varint(n, off)
	*v = unzigzag(x)
	return tag, next
}

// Bool reads a bool.
func (d *Decoder) Bool(v *bool, n, off uint) (tag, next uint) {
	x, tag, next := d.varint(n, off)
	*v = x != 0
	return tag, next
}

// ClosedEnum reads a value of a closed enum. When the enum does not have it, listed is false, v is
// untouched, and the field is appended to unknown, which may be nil.
func (d *Decoder) ClosedEnum(v *int32, e *EnumInfo, unknown *Unknown, fieldTag, n,
	off uint) (listed bool, tag, next uint) {
	x, end := varintAt(d.p, n, off)
	switch {
	case end == bad: // an error, which comes out with the next tag
	case e.Valid(int32(x)):
		*v, listed = int32(x), true
	case unknown != nil:
		d.KeepUnknown(unknown, d.FieldStart(fieldTag, off), end)
	}
	tag, next = d.Tag(n, end)
	return listed, tag, next
}

// DecodeFixed reads a number of 4 or 8 bytes.
func DecodeFixed[T fixedNumber](d *Decoder, v *T, n, off uint) (tag, next uint) {
	next = off + sizeFixed[T]()
	if next > n {
		return 0, bad
	}
	*v = fixedAt[T](d.p, off)
	if next < n {
		if tag = load8(d.p, next); tag-1 < 0x7f {
			return tag, next + 1
		}
	}
	return d.tagSlow(n, next)
}

// PutEntry stores an entry with this tag, which ends at off, in a map, which is made when it is not
// there yet, for as many entries as follow directly.
func PutEntry[K comparable, V any](d *Decoder, m *map[K]V, key K, value V, tag, n, off uint) {
	if *m == nil {
		*m = make(map[K]V, d.entries(tag, n, off))
	}
	(*m)[key] = value
}

// DecodeEntry reads an entry of a map whose values are neither messages nor enums; t is the table
// of the entry type.
func DecodeEntry[K comparable, V any](d *Decoder, m *map[K]V, t *Table, fieldTag,
	n, off uint) (tag, next uint) {
	var k K
	var v V
	plan := t.plan()
	keyTag, valueTag := plan.step(1).wire()|1<<3, plan.step(2).wire()|2<<3
	end, off, whole := d.EnterEntry(n, off)
	inner, off := d.Tag(end, off)
	for inner != 0 {
		switch inner {
		case keyTag:
			inner, off = d.scalar(&k, &t.Fields[0], end, off)
		case valueTag:
			inner, off = d.scalar(&v, &t.Fields[1], end, off)
		default:
			inner, off = d.Skip(inner, end, off)
		}
	}
	if whole && off == end {
		PutEntry(d, m, k, v, fieldTag, n, off)
	}
	return d.Leave(n, off)
}

// scalar reads a value of field f to p, the pointer that fits.
func (d *Decoder) scalar(p any, f *FieldInfo, n, off uint) (tag, next uint) {
	if s, ok := p.(*string); ok { // most are
		return d.text(s, f.Flags&FlagUTF8 != 0 && !d.lenient, n, off)
	}
	switch f.Kind {
	case KindBytes:
		return d.Bytes(p.(*[]byte), n, off)
	case KindBool:
		return d.Bool(p.(*bool), n, off)
	case KindInt32:
		return d.Int32(p.(*int32), n, off)
	case KindInt64:
		return d.Int64(p.(*int64), n, off)
	case KindUint32:
		return d.Uint32(p.(*uint32), n, off)
	case KindUint64:
		return d.Uint64(p.(*uint64), n, off)
	case KindSint32:
		return d.Sint32(p.(*int32), n, off)
	case KindSint64:
		return d.Sint64(p.(*int64), n, off)
	case KindFixed32:
		return DecodeFixed(d, p.(*uint32), n, off)
	case KindSfixed32:
		return DecodeFixed(d, p.(*int32), n, off)
	case KindFloat:
		return DecodeFixed(d, p.(*float32), n, off)
	case KindFixed64:
		return DecodeFixed(d, p.(*uint64), n, off)
	case KindSfixed64:
		return DecodeFixed(d, p.(*int64), n, off)
	default:
		return DecodeFixed(d, p.(*float64), n, off)
	}
}
