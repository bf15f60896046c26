package gremlin

// Alloc returns the value that p points to, allocated when it is not there yet.
func Alloc[T any](p **T) *T {
	if *p == nil {
		*p = new(T)
	}
	return *p
}

// Extend appends a zero element to s, for the current field, and returns it. When s is full it counts the values of the
// field that follow directly and makes room for all of them, so that a list is usually allocated once; it counts only what
// is really there, so that no input makes it allocate for more elements than it holds.
func Extend[T any](d *Decoder, s *[]T) *T {
	if len(*s) == cap(*s) {
		more, _ := d.countRun(d.skipCounted(d.off))
		*s = growSlice(*s, 1+more)
	}
	*s = (*s)[:len(*s)+1] // the room behind is zero: nothing was ever there
	return &(*s)[len(*s)-1]
}

// maxCounted is how many bytes of a group countRun walks through. Groups do not say how long they are, and nested ones would
// be walked through at each level again.
const maxCounted = 256

// entryBytes is how short the entries of a map are on average at least for it to be made with room for all of them; of
// shorter ones, which may well all have the same key, room is made for one in so many bytes.
const entryBytes = 8

// entries returns for how many entries a map is made: that of the current field, which was read, and those directly behind.
func (d *Decoder) entries() int {
	count, end := d.countRun(d.off)
	return min(1+count, 1+int(end-d.at)/entryBytes)
}

// countRun counts the fields from off on that have the tag of the current one, and returns where they end.
func (d *Decoder) countRun(off uint) (count int, end uint) {
	for off < d.n {
		tag, next := tagAt(d.p, d.n, off)
		if next == bad || tag != d.tag {
			break
		}
		if next = d.skipCounted(next); next == bad {
			break
		}
		off = next
		count++
	}
	return count, off
}

// skipCounted is skipValue for the current tag, but bad for a long group.
func (d *Decoder) skipCounted(off uint) uint {
	n := d.n
	if d.tag&7 == wireStart {
		n = min(n, off+maxCounted)
	}
	return skipValue(d.p, n, off, d.tag)
}

// DecodeVarints reads a value or a packed run of int32, int64, uint32, uint64 or an open enum.
func DecodeVarints[T varintNumber](d *Decoder, s *[]T) {
	if d.tag&7 != wireBytes {
		*Extend(d, s) = T(d.Varint())
		return
	}
	start, size := d.payload()
	*s = growSlice(*s, countVarints(d.p, start+size, start))
	var next uint
	if *s, next = appendVarints(*s, d.p, start+size, start); next == bad {
		d.failStrict()
	}
}

// decodeMapped reads a value or a packed run of varints that conv turns into elements.
func decodeMapped[T any](d *Decoder, s *[]T, conv func(uint64) T) {
	if d.tag&7 != wireBytes {
		*Extend(d, s) = conv(d.Varint())
		return
	}
	start, size := d.payload()
	end := start + size
	*s = growSlice(*s, countVarints(d.p, end, start))
	for start < end {
		x, next := varintAt(d.p, end, start)
		if next == bad {
			d.failStrict()
			return
		}
		*s, start = append(*s, conv(x)), next
	}
}

// DecodeSints reads a value or a packed run of sint32 or sint64.
func DecodeSints[T int32 | int64](d *Decoder, s *[]T) { decodeMapped(d, s, sintOf[T]) }

// Bools reads a value or a packed run of bool.
func (d *Decoder) Bools(s *[]bool) { decodeMapped(d, s, func(x uint64) bool { return x != 0 }) }

// DecodeClosedEnums reads a value or a packed run of a closed enum. Numbers that the enum does not have are appended to
// unknown, as fields of their own.
func DecodeClosedEnums[T ~int32](d *Decoder, s *[]T, e *EnumInfo, unknown []byte) []byte {
	if d.tag&7 != wireBytes {
		x := d.Varint()
		if !e.Valid(int32(x)) {
			return d.Keep(unknown)
		}
		if len(*s) == cap(*s) {
			more, _ := d.countRun(d.off)
			*s = growSlice(*s, 1+more)
		}
		*s = append(*s, T(x))
		return unknown
	}
	var all []uint64
	decodeMapped(d, &all, func(x uint64) uint64 { return x })
	for _, x := range all {
		if e.Valid(int32(x)) {
			*s = append(*s, T(x))
		} else {
			unknown = appendVarint(unknown, uint64(d.tag>>3<<3))
			unknown = appendVarint(unknown, x)
		}
	}
	return unknown
}

// DecodeFixedList reads a value or a packed run of numbers of 4 or 8 bytes.
func DecodeFixedList[T fixedNumber](d *Decoder, s *[]T) {
	if d.tag&7 != wireBytes {
		DecodeFixed(d, Extend(d, s))
		return
	}
	start, size := d.payload()
	rest := size % sizeFixed[T]()
	if rest != 0 {
		d.failStrict()
	}
	if size > rest && !d.failed {
		*s = appendFixed(*s, viewBytes(d.p, start, size-rest))
	}
}

// Strings reads a string that must be UTF-8 and appends it.
func (d *Decoder) Strings(s *[]string) { d.String(Extend(d, s)) }

// StringsUnchecked reads a string that may be anything and appends it.
func (d *Decoder) StringsUnchecked(s *[]string) { d.StringUnchecked(Extend(d, s)) }

// ByteSlices reads a bytes value and appends it.
func (d *Decoder) ByteSlices(s *[][]byte) { d.Bytes(Extend(d, s)) }
