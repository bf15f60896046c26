package project

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// Wire types.
const (
	wireVarint  = 0
	wireFixed64 = 1
	wireBytes   = 2
	wireStart   = 3
	wireEnd     = 4
	wireFixed32 = 5
)

// maxDepth is how deep messages may nest, as in protobuf-go.
const maxDepth = 10000

// varint reads a varint at b[i:]. Behind a value that is none, next is -1.
func varint(b []byte, i int) (v uint64, next int) {
	if i < len(b) && b[i] < 0x80 {
		return uint64(b[i]), i + 1
	}
	return longVarint(b, i)
}

func longVarint(b []byte, i int) (v uint64, next int) {
	if len(b)-i >= 8 {
		word := binary.LittleEndian.Uint64(b[i:])
		if stops := ^word & 0x8080808080808080; stops != 0 {
			n := bits.TrailingZeros64(stops)/8 + 1
			word &= ^uint64(0) >> (64 - 8*n)
			return gather(word), i + n
		}
	}
	for shift := 0; shift < 64 && i < len(b); shift += 7 {
		c := b[i]
		i++
		if c < 0x80 {
			if shift == 63 && c > 1 {
				return 0, -1
			}
			return v | uint64(c)<<shift, i
		}
		v |= uint64(c&0x7f) << shift
	}
	return 0, -1
}

// gather joins the lower seven bits of each byte.
func gather(w uint64) uint64 {
	w = w&0x007f007f007f007f | w>>1&0x3f803f803f803f80
	w = w&0x00003fff00003fff | w>>2&0x0fffc0000fffc000
	return w&0x0fffffff | w>>4&0x00fffffff0000000
}

// skipVarint returns where a varint ends, or -1.
func skipVarint(b []byte, i int) int {
	if i < len(b) && b[i] < 0x80 {
		return i + 1
	}
	_, i = longVarint(b, i)
	return i
}

// span reads the length of a value at b[i:] and returns where the value starts and ends; end is -1
// if it does not fit.
func span(b []byte, i int) (start, end int) {
	if i < len(b) && b[i] < 0x80 {
		end = i + 1 + int(b[i])
		if end > len(b) {
			return 0, -1
		}
		return i + 1, end
	}
	n, start := longVarint(b, i)
	if start < 0 || n > uint64(len(b)-start) {
		return 0, -1
	}
	return start, start + int(n)
}

// skip returns where the value of an unknown field ends, or -1. Start groups are followed to
// their end.
func skip(b []byte, i int, tag uint64, depth int) int {
	switch tag & 7 {
	case wireVarint:
		return skipVarint(b, i)
	case wireFixed64:
		i += 8
	case wireFixed32:
		i += 4
	case wireBytes:
		_, i = span(b, i)
		return i
	case wireStart:
		return skipGroup(b, i, tag>>3, depth)
	default:
		return -1
	}
	if i > len(b) {
		return -1
	}
	return i
}

func skipGroup(b []byte, i int, number uint64, depth int) int {
	if depth < 0 {
		return -1
	}
	for {
		var tag uint64
		if tag, i = varint(b, i); i < 0 || !validTag(tag) {
			return -1
		}
		if tag&7 == wireEnd {
			if tag>>3 != number {
				return -1
			}
			return i
		}
		if i = skip(b, i, tag, depth-1); i < 0 {
			return -1
		}
	}
}

// validTag tells whether a tag has a number that a field may have.
func validTag(tag uint64) bool { return tag>>3 >= 1 && tag>>3 <= 1<<29-1 }

// validUTF8 is utf8.Valid, quick for short ASCII.
func validUTF8(b []byte) bool {
	for len(b) >= 8 {
		if binary.LittleEndian.Uint64(b)&0x8080808080808080 != 0 {
			return utf8.Valid(b)
		}
		b = b[8:]
	}
	for _, c := range b {
		if c >= 0x80 {
			return utf8.Valid(b)
		}
	}
	return true
}

// packedVarints tells whether b is whole varints.
func packedVarints(b []byte) bool {
	for i := 0; i < len(b); {
		if i = skipVarint(b, i); i < 0 {
			return false
		}
	}
	return true
}

func zigzag(v uint64) int64 { return int64(v>>1) ^ -int64(v&1) }
