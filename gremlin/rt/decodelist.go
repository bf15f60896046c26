package rt

// Alloc returns the value that p points to, allocated when it is not there yet.
func Alloc[T any](p **T) *T {
	if *p == nil {
		*p = new(T)
	}
	return *p
}

// Extend appends a zero element to s, for the current field, and returns it. When s is full it
// counts the values of the field that follow and makes room for all of them, so that a list is
// usually allocated once; it counts only what is really there, so that no input makes it allocate
// for more elements than it holds.
func Extend[T any](d *Decoder, s *[]T, tag, n, off uint) *T {
	if len(*s) == cap(*s) {
		*s = growSlice(*s, d.elements(len(*s), tag, n, off))
	}
	*s = (*s)[:len(*s)+1]
	last := &(*s)[len(*s)-1]
	if d.merging { // else the room behind is zero: nothing was ever there
		var zero T
		*last = zero
	}
	return last
}

// extendNumbers is Extend for numbers, whose lists share memory.
func extendNumbers[T any](d *Decoder, s *[]T, tag, n, off uint) *T {
	if len(*s) == cap(*s) {
		*s = growNumbers(d, *s, d.elements(len(*s), tag, n, off))
	}
	var zero T
	*s = append(*s, zero)
	return &(*s)[len(*s)-1]
}

// growNumbers is growSlice for numbers.
func growNumbers[T any](d *Decoder, s []T, n int) []T {
	if cap(s) == 0 && n != 0 {
		return makeNumbers[T](d, n)
	}
	return growSlice(s, n)
}

// Short lists of numbers share pieces of memory, as strings do and for the same reasons. A piece is
// as large as all lists before took together, so that at most half of the memory is not used, and
// few lists do not make a large one.
const (
	maxPiece   = maxChunk / 8 // words
	maxNumbers = maxShort / 8 // longer lists have memory of their own
)

// words returns that many words that nobody has yet.
func (d *Decoder) words(n uint) []uint64 {
	if n > uint(len(d.piece))-d.taken {
		d.piece, d.taken = make([]uint64, max(n, min(d.numbers, maxPiece))), 0
	}
	w := d.piece[d.taken:][:n]
	d.taken += n
	d.numbers += n
	return w
}

// maxCounted is how many bytes of a group countRun walks through. Groups do not say how long they
// are, and nested ones would be walked through at each level again.
const maxCounted = 256

// entryBytes is how short the entries of a map are on average at least for it to be made with room
// for all of them; of shorter ones, which may well all have the same key, room is made for one in
// so many bytes.
const entryBytes = 8

// entries returns for how many entries a map is made: one that ends at off, and those directly
// behind.
func (d *Decoder) entries(tag, n, off uint) int {
	count, end := d.countRun(tag, n, off)
	return 1 + min(count, int(end-off)/entryBytes)
}

// elements returns for how many values of a list that has so many already there is to be room: the
// one at off and those of the same field directly behind. When the list turns out to come in
// pieces, other fields are passed over, too, but only so many that the time for it is in proportion
// to the list, however many lists a message has.
func (d *Decoder) elements(have int, tag, n, off uint) int {
	count, off := d.countRun(tag, n, d.skipCounted(tag, n, off))
	for fields := min(have, 1) * maxPassed * (have + 1); fields > 0 && off < n; fields-- {
		t, next := tagAt(d.p, n, off)
		if next == bad {
			break
		}
		if off = d.skipCounted(t, n, next); t == tag && off != bad {
			count++
		}
	}
	return 1 + count
}

// maxPassed is how many fields elements passes over for each value that a list has.
const maxPassed = 16

// countRun counts the fields from off on that have this tag, and returns where they end.
func (d *Decoder) countRun(tag, n, off uint) (count int, end uint) {
	for off < n {
		if off+2 <= n && tag&7 == wireBytes && tag < 0x80 {
			w := load16(d.p, off)
			// the length has one byte, too
			if next := off + 2 + w>>8; w&0x80ff == tag && next <= n {
				off = next
				count++
				continue
			}
		}
		t, next := tagAt(d.p, n, off)
		if next == bad || t != tag {
			break
		}
		if next = d.skipCounted(tag, n, next); next == bad {
			break
		}
		off = next
		count++
	}
	return count, off
}

// skipCounted is skipValue, but bad for a long group.
func (d *Decoder) skipCounted(tag, n, off uint) uint {
	if tag&7 == wireStart {
		n = min(n, off+maxCounted)
	}
	return skipValue(d.p, n, off, tag)
}

// DecodeVarints reads a value or a packed run of int32, int64, uint32, uint64 or an open enum.
func DecodeVarints[T varintNumber](d *Decoder, s *[]T, fieldTag, n, off uint) (tag, next uint) {
	if fieldTag&7 != wireBytes {
		x, next := varintAt(d.p, n, off)
		*extendNumbers(d, s, fieldTag, n, off) = T(x)
		return d.Tag(n, next)
	}
	start, end := payloadAt(d.p, n, off)
	*s = growNumbers(d, *s, countVarints(d.p, end, start))
	if *s, next = appendVarints(*s, d.p, end, start, d.end); next == bad && !d.lenient {
		end = bad
	}
	return d.Tag(n, end)
}

// DecodeSints reads a value or a packed run of sint32 or sint64.
func DecodeSints[T int32 | int64](d *Decoder, s *[]T, fieldTag, n, off uint) (tag, next uint) {
	before := len(*s)
	tag, next = DecodeVarints(d, s, fieldTag, n, off)
	unzigzagAll((*s)[before:])
	return tag, next
}

// Bools reads a value or a packed run of bool.
func (d *Decoder) Bools(s *[]bool, fieldTag, n, off uint) (tag, next uint) {
	if fieldTag&7 != wireBytes {
		return d.Bool(extendNumbers(d, s, fieldTag, n, off), n, off)
	}
	start, end := payloadAt(d.p, n, off)
	// not *s in the loop: that would be a write barrier for each value
	all := growNumbers(d, *s, countVarints(d.p, end, start))
	for start < end {
		x, next := varintAt(d.p, end, start)
		if next == bad {
			if !d.lenient {
				end = bad
			}
			break
		}
		all, start = append(all, x != 0), next
	}
	*s = all
	return d.Tag(n, end)
}

// DecodeClosedEnums reads a value or a packed run of a closed enum. Numbers that the enum does not
// have are appended to unknown, as fields of their own.
func DecodeClosedEnums[T ~int32](d *Decoder, s *[]T, e *EnumInfo, unknown *Unknown, fieldTag, n,
	off uint) (tag, next uint) {
	if fieldTag&7 != wireBytes {
		var x int32
		listed, tag, next := d.ClosedEnum(&x, e, unknown, fieldTag, n, off)
		if listed {
			if len(*s) == cap(*s) {
				*s = growNumbers(d, *s, d.elements(len(*s), fieldTag, n, off))
			}
			*s = append(*s, T(x))
		}
		return tag, next
	}
	var all []uint64
	tag, next = DecodeVarints(d, &all, fieldTag, n, off)
	for _, x := range all {
		if e.Valid(int32(x)) {
			*s = append(*s, T(x))
		} else if unknown != nil {
			var field [20]byte
			unknown.append(appendVarint(appendVarint(field[:0], uint64(fieldTag>>3<<3)), x),
				unknownRoom)
		}
	}
	return tag, next
}

// DecodeFixedList reads a value or a packed run of numbers of 4 or 8 bytes.
func DecodeFixedList[T fixedNumber](d *Decoder, s *[]T, fieldTag, n, off uint) (tag, next uint) {
	if fieldTag&7 != wireBytes {
		return DecodeFixed(d, extendNumbers(d, s, fieldTag, n, off), n, off)
	}
	start, end := payloadAt(d.p, n, off)
	size := end - start
	rest := size % sizeFixed[T]()
	if rest != 0 && !d.lenient {
		return 0, bad
	}
	if size > rest {
		if size <= maxShort { // bytes are copied faster into memory that has just been cleared
			*s = growNumbers(d, *s, int(size/sizeFixed[T]()))
		}
		*s = appendFixed(*s, viewBytes(d.p, start, size-rest))
	}
	return d.Tag(n, end)
}

// Strings reads a string that must be UTF-8 and appends it.
func (d *Decoder) Strings(s *[]string, fieldTag, n, off uint) (tag, next uint) {
	return d.String(Extend(d, s, fieldTag, n, off), n, off)
}

// StringsUnchecked reads a string that may be anything and appends it.
func (d *Decoder) StringsUnchecked(s *[]string, fieldTag, n, off uint) (tag, next uint) {
	return d.StringUnchecked(Extend(d, s, fieldTag, n, off), n, off)
}

// ByteSlices reads a bytes value and appends it.
func (d *Decoder) ByteSlices(s *[][]byte, fieldTag, n, off uint) (tag, next uint) {
	return d.Bytes(Extend(d, s, fieldTag, n, off), n, off)
}
