package rt

import (
	"math"
	"math/bits"
	"slices"
)

// How a message is written: in one pass forwards, each field appended to a byte slice; encoder.go
// has the lengths of nested messages. No size is computed twice, and because every append checks
// the capacity itself, a message that another goroutine modifies meanwhile gives wrong bytes at
// worst.
//
// The exported functions leave out the zero value and are inlined, so that an absent field costs a
// comparison; those whose name ends in Always write it, for fields with presence, members of oneofs
// and elements of lists.

// room is how much is appended without looking at the capacity again: a tag of 5 and a varint of 10
// bytes, in stores of 8.
const room = 16

func grow(b []byte, n int) []byte {
	if n > cap(b)-len(b) {
		return slices.Grow(b, n)
	}
	return b
}

// maxTag is above the tags of one and two bytes, those of fields 1 to 2047.
const maxTag = 1 << 14

// storeTag writes a tag below maxTag at p+i, where there is room, and returns the offset behind it.
func storeTag(p Ptr, i uint, tag uint32) uint {
	if tag < 0x80 {
		store8(p, i, byte(tag))
		return i + 1
	}
	store16(p, i, uint16(tag&0x7f|0x80|tag>>7<<8))
	return i + 2
}

// storeShort writes a varint of at most 8 bytes at p+i, where there is room, and returns the offset
// behind it.
func storeShort(p Ptr, i uint, v uint64) uint {
	n := uint(sizeVarint(v))
	store64(p, i, spread(v)|uint64(continuation)>>(72-8*n))
	return i + n
}

// storeLong is storeShort for 9 or 10 bytes.
func storeLong(p Ptr, i uint, v uint64) uint {
	store64(p, i, spread(v&(1<<56-1))|continuation)
	if v < 1<<63 {
		store8(p, i+8, byte(v>>56))
		return i + 9
	}
	store16(p, i+8, uint16(v>>56)|1<<8)
	return i + 10
}

// spread puts the groups of seven bits of v, which has 56, into a byte each: a half, a quarter and
// an eighth of them moves up by being added 15 times, 3 times and once.
func spread(v uint64) uint64 {
	v += (v & 0x00fffffff0000000) * 15
	v += (v & 0x0fffc0000fffc000) * 3
	return v + v&0x3f803f803f803f80
}

// appendVarint appends v alone. Like all slow forms it needs no more capacity than it fills, so
// that a slice of exactly Size bytes is never grown.
func appendVarint(b []byte, v uint64) []byte {
	for v >= 0x80 {
		b = append(b, byte(v)|0x80)
		v >>= 7
	}
	return append(b, byte(v))
}

// AppendVarint appends a field that holds v unless v is 0. The tag has one byte.
func AppendVarint(b []byte, tag uint32, v uint64) []byte {
	if v == 0 {
		return b
	}
	return AppendVarintAlways(b, tag, v)
}

// AppendVarintAlways appends a field that holds v. The tag has one byte.
//
//go:noinline
func AppendVarintAlways(b []byte, tag uint32, v uint64) []byte {
	i := uint(len(b))
	if uint(cap(b))-i < room || v >= 1<<56 {
		return appendLong(b, tag, v)
	}
	p := ptrOf(b)
	if v < 0x80 {
		store16(p, i, uint16(tag)|uint16(v)<<8)
		return b[:i+2]
	}
	store8(p, i, byte(tag))
	return b[:storeShort(p, i+1, v)]
}

// AppendTwoVarints appends two fields, each unless its value is 0. The tags have one byte. Two at
// once are cheaper than one at a time: the capacity is looked at once, and a call costs as much as
// a short varint.
func AppendTwoVarints(b []byte, tag1 uint32, v1 uint64, tag2 uint32, v2 uint64) []byte {
	if v1|v2 == 0 {
		return b
	}
	return appendTwoVarints(b, tag1, v1, tag2, v2)
}

//go:noinline
func appendTwoVarints(b []byte, tag1 uint32, v1 uint64, tag2 uint32, v2 uint64) []byte {
	i := uint(len(b))
	if uint(cap(b))-i < 2*room {
		return AppendVarint(AppendVarint(b, tag1, v1), tag2, v2)
	}
	p := ptrOf(b)
	switch {
	case v1 >= 1<<56:
		store8(p, i, byte(tag1))
		i = storeLong(p, i+1, v1)
	case v1 >= 0x80:
		store8(p, i, byte(tag1))
		i = storeShort(p, i+1, v1)
	case v1 != 0:
		store16(p, i, uint16(tag1)|uint16(v1)<<8)
		i += 2
	}
	switch {
	case v2 >= 1<<56:
		store8(p, i, byte(tag2))
		i = storeLong(p, i+1, v2)
	case v2 >= 0x80:
		store8(p, i, byte(tag2))
		i = storeShort(p, i+1, v2)
	case v2 != 0:
		store16(p, i, uint16(tag2)|uint16(v2)<<8)
		i += 2
	}
	return b[:i]
}

// appendLong is AppendVarintWideAlways for a slice with little room, a tag of more than two bytes
// or a value of 9 or 10.
//
//go:noinline
func appendLong(b []byte, tag uint32, v uint64) []byte {
	b = appendVarint(b, uint64(tag))
	i := uint(len(b))
	if uint(cap(b))-i < room || v < 1<<56 {
		return appendVarint(b, v)
	}
	return b[:storeLong(ptrOf(b), i, v)]
}

// AppendVarintWide appends a field that holds v unless v is 0. The tag may have any length.
func AppendVarintWide(b []byte, tag uint32, v uint64) []byte {
	if v == 0 {
		return b
	}
	return AppendVarintWideAlways(b, tag, v)
}

// AppendVarintWideAlways appends a field that holds v. The tag may have any length.
//
//go:noinline
func AppendVarintWideAlways(b []byte, tag uint32, v uint64) []byte {
	i := uint(len(b))
	if uint(cap(b))-i < room || v >= 1<<56 || tag >= maxTag {
		return appendLong(b, tag, v)
	}
	p := ptrOf(b)
	i = storeTag(p, i, tag)
	if v < 0x80 {
		store8(p, i, byte(v))
		return b[:i+1]
	}
	return b[:storeShort(p, i, v)]
}

// AppendBool appends a bool unless it is false.
func AppendBool(b []byte, tag uint32, v bool) []byte {
	if !v {
		return b
	}
	return AppendVarintWideAlways(b, tag, 1)
}

// AppendBoolAlways appends a bool.
func AppendBoolAlways(b []byte, tag uint32, v bool) []byte {
	return AppendVarintWideAlways(b, tag, boolBit(v))
}

func boolBit(v bool) uint64 {
	if v {
		return 1
	}
	return 0
}

// AppendFixed32 appends a fixed32 or sfixed32 unless it is 0.
func AppendFixed32(b []byte, tag, v uint32) []byte {
	if v == 0 {
		return b
	}
	return AppendFixed32Always(b, tag, v)
}

// AppendFixed32Always appends a fixed32 or sfixed32.
//
//go:noinline
func AppendFixed32Always(b []byte, tag, v uint32) []byte {
	i := uint(len(b))
	if uint(cap(b))-i < room || tag >= maxTag {
		return appendWord(appendVarint(b, uint64(tag)), uint64(v), 4)
	}
	p := ptrOf(b)
	i = storeTag(p, i, tag)
	store32(p, i, v)
	return b[:i+4]
}

// AppendFixed64 appends a fixed64 or sfixed64 unless it is 0.
func AppendFixed64(b []byte, tag uint32, v uint64) []byte {
	if v == 0 {
		return b
	}
	return AppendFixed64Always(b, tag, v)
}

// AppendFixed64Always appends a fixed64 or sfixed64.
//
//go:noinline
func AppendFixed64Always(b []byte, tag uint32, v uint64) []byte {
	i := uint(len(b))
	if uint(cap(b))-i < room || tag >= maxTag {
		return appendWord(appendVarint(b, uint64(tag)), v, 8)
	}
	p := ptrOf(b)
	i = storeTag(p, i, tag)
	store64(p, i, v)
	return b[:i+8]
}

// appendWord appends the low size bytes of v.
//
//go:noinline
func appendWord(b []byte, v uint64, size int) []byte {
	for ; size > 0; size-- {
		b = append(b, byte(v))
		v >>= 8
	}
	return b
}

// AppendFloat appends a float unless its bits are 0; -0 is written.
func AppendFloat(b []byte, tag uint32, v float32) []byte {
	return AppendFixed32(b, tag, math.Float32bits(v))
}

// AppendFloatAlways appends a float.
func AppendFloatAlways(b []byte, tag uint32, v float32) []byte {
	return AppendFixed32Always(b, tag, math.Float32bits(v))
}

// AppendDouble appends a double unless its bits are 0; -0 is written.
func AppendDouble(b []byte, tag uint32, v float64) []byte {
	return AppendFixed64(b, tag, math.Float64bits(v))
}

// AppendTwoDoubles appends two doubles, each unless its bits are 0; -0 is written. The tags have
// one byte.
//
//go:noinline
func AppendTwoDoubles(b []byte, tag1 uint32, v1 float64, tag2 uint32, v2 float64) []byte {
	i := uint(len(b))
	if uint(cap(b))-i < 2*room {
		return AppendDouble(AppendDouble(b, tag1, v1), tag2, v2)
	}
	p := ptrOf(b)
	if x := math.Float64bits(v1); x != 0 {
		store8(p, i, byte(tag1))
		store64(p, i+1, x)
		i += 9
	}
	if x := math.Float64bits(v2); x != 0 {
		store8(p, i, byte(tag2))
		store64(p, i+1, x)
		i += 9
	}
	return b[:i]
}

// AppendDoubleAlways appends a double.
func AppendDoubleAlways(b []byte, tag uint32, v float64) []byte {
	return AppendFixed64Always(b, tag, math.Float64bits(v))
}

// AppendString appends a string unless it is empty. The tag has one byte.
func AppendString(b []byte, tag uint32, s string) []byte {
	if len(s) == 0 {
		return b
	}
	return AppendStringAlways(b, tag, s)
}

// AppendStringWide appends a string unless it is empty. The tag may have any length.
func AppendStringWide(b []byte, tag uint32, s string) []byte {
	if len(s) == 0 {
		return b
	}
	return AppendStringWideAlways(b, tag, s)
}

// AppendStringWideAlways appends a string. The tag may have any length.
//
//go:noinline
func AppendStringWideAlways(b []byte, tag uint32, s string) []byte {
	for tag >= 0x80 { // what follows is like a field with a tag of one byte
		b = append(b, byte(tag)|0x80)
		tag >>= 7
	}
	return AppendStringAlways(b, tag, s)
}

//go:noinline
func appendStringSlow(b []byte, tag uint32, s string) []byte {
	return append(appendVarint(append(b, byte(tag)), uint64(len(s))), s...)
}

// AppendBytes appends a bytes value unless it is empty.
func AppendBytes(b []byte, tag uint32, v []byte) []byte {
	if len(v) == 0 {
		return b
	}
	return AppendBytesAlways(b, tag, v)
}

// AppendUnknown appends unknown fields as they are.
func AppendUnknown(b []byte, unknown Unknown) []byte {
	if unknown.fields == nil {
		return b
	}
	return appendUnknown(b, unknown)
}

//go:noinline
func appendUnknown(b []byte, unknown Unknown) []byte { return append(b, *unknown.fields...) }

// AppendTag appends a tag alone: the start or the end of a group.
func AppendTag(b []byte, tag uint32) []byte { return appendVarint(b, uint64(tag)) }

// sizeVarint returns the encoded length of v, 1 to 10, without a branch.
func sizeVarint(v uint64) int { return int(uint(bits.Len64(v|1))*9+64) >> 6 }
