// Package wire takes encodings apart for code that is not generated, with checks of every bound. It
// accepts what the runtime accepts.
package wire

import "encoding/binary"

// The wire types.
const (
	Varint  = 0
	Fixed64 = 1
	Bytes   = 2
	Start   = 3
	End     = 4
	Fixed32 = 5
)

// MaxNumber is the largest field number; in groups that are skipped larger ones are accepted.
const (
	MaxNumber  = 1<<29 - 1
	maxSkipped = 1<<31 - 1
)

// maxDepth is how deep groups may be nested in one that is skipped.
const maxDepth = 10000

// Field is where a field of an encoding is: its tag at [Tag, Length), the length of its payload at
// [Length, Value), its payload at [Value, End). Next is where the next field starts.
//
// Of a group, Length is Value and where its fields start; End and Next are for SkipGroup to say.
type Field struct {
	Number                        uint32
	Type                          uint8
	Tag, Length, Value, End, Next int
}

// Wrong says why bytes are no field; it is empty when they are one.
type Wrong string

// What can be wrong.
const (
	BadTag      Wrong = "the tag is cut off or longer than ten bytes"
	BadNumber   Wrong = "the tag has a field number that no field can have"
	BadType     Wrong = "the tag has a wire type that there is not"
	BadVarint   Wrong = "the varint is cut off or larger than 64 bits"
	BadFixed    Wrong = "the number is cut off"
	BadLength   Wrong = "the length is cut off or larger than 64 bits"
	BeyondEnd   Wrong = "the length is more than what is left"
	NoEnd       Wrong = "the group has no end"
	BadGroup    Wrong = "the group has malformed contents"
	TooDeep     Wrong = "groups are nested too deep"
	MisplacedEG Wrong = "the end of a group that has not begun"
)

// Next returns the field at off, which is below len(b). Of the end of a group it gives the tag
// only.
func Next(b []byte, off int) (f Field, wrong Wrong) { return next(b, off, MaxNumber) }

// NextSkipped is Next inside of a group that is an unknown field.
func NextSkipped(b []byte, off int) (f Field, wrong Wrong) { return next(b, off, maxSkipped) }

func next(b []byte, off int, largest uint64) (f Field, wrong Wrong) {
	tag, at := Uvarint(b, off)
	f.Tag = off
	switch {
	case at < 0:
		return f, BadTag
	case tag>>3 == 0 || tag>>3 > largest:
		return f, BadNumber
	}
	f.Number, f.Type = uint32(tag>>3), uint8(tag&7)
	f.Length, f.Value, f.End, f.Next = at, at, at, at
	switch f.Type {
	case Varint:
		if _, f.End = Uvarint(b, at); f.End < 0 {
			return f, BadVarint
		}
	case Fixed64:
		f.End = at + 8
	case Fixed32:
		f.End = at + 4
	case Bytes:
		n, start := Uvarint(b, at)
		switch {
		case start < 0:
			return f, BadLength
		case n > uint64(len(b)-start):
			f.Value = start
			return f, BeyondEnd
		}
		f.Value, f.End = start, start+int(n)
	case Start, End:
	default:
		return f, BadType
	}
	if f.Next = f.End; f.End > len(b) {
		return f, BadFixed
	}
	return f, ""
}

// Uvarint returns the varint at off and the offset behind it, which is negative when there is none.
func Uvarint(b []byte, off int) (x uint64, next int) {
	x, n := binary.Uvarint(b[off:])
	if n <= 0 {
		return 0, -1
	}
	return x, off + n
}

// Number returns the bits of a number of this wire type at off, which is not beyond len(b), and the
// offset behind it, which is negative when the number is cut off.
func Number(b []byte, off int, typ uint8) (x uint64, next int) {
	switch {
	case typ == Varint:
		return Uvarint(b, off)
	case typ == Fixed32 && off+4 <= len(b):
		return uint64(binary.LittleEndian.Uint32(b[off:])), off + 4
	case typ == Fixed64 && off+8 <= len(b):
		return binary.LittleEndian.Uint64(b[off:]), off + 8
	}
	return 0, -1
}

// SkipGroup returns where the end tag of the group with this number starts, whose fields start at
// off, and the offset behind it.
func SkipGroup(b []byte, off int, number uint32) (end, next int, wrong Wrong) {
	open := []uint64{uint64(number)}
	for off < len(b) {
		tag, at := Uvarint(b, off)
		if at < 0 || tag>>3 == 0 || tag>>3 > maxSkipped {
			return 0, 0, BadGroup
		}
		start := off
		switch tag & 7 {
		case Varint:
			_, off = Uvarint(b, at)
		case Fixed64:
			off = at + 8
		case Fixed32:
			off = at + 4
		case Bytes:
			n, payload := Uvarint(b, at)
			if payload < 0 || n > uint64(len(b)-payload) {
				return 0, 0, BadGroup
			}
			off = payload + int(n)
		case Start:
			if open, off = append(open, tag>>3), at; len(open) > maxDepth+1 {
				return 0, 0, TooDeep
			}
		case End:
			if open[len(open)-1] != tag>>3 {
				return 0, 0, BadGroup
			}
			if open, off = open[:len(open)-1], at; len(open) == 0 {
				return start, at, ""
			}
		default:
			return 0, 0, BadGroup
		}
		if off < 0 || off > len(b) {
			return 0, 0, BadGroup
		}
	}
	return 0, 0, NoEnd
}

// Unzigzag undoes the zigzag coding of sint32 and sint64.
func Unzigzag(v uint64) int64 { return int64(v>>1) ^ -int64(v&1) }
