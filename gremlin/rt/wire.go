package rt

import "math/bits"

// The functions of this file consume: they take a message as (p, n), its first byte and its length,
// and an offset at which something starts, and return the offset after it. Malformed input gives
// bad, an offset past the end of any message, so that one comparison with n finds both an overrun
// and an error. They read nothing outside the n bytes, whatever is in them.

// bad is larger than the length of any message.
const bad = ^uint(0)/2 + 1

// MaxSize is the largest message in bytes: the limit of the protobuf format.
const MaxSize = 1<<31 - 1

// MaxDepth is how deep messages may be nested for CheckEncoding and Message.Unmarshal. It is the
// limit of google.golang.org/protobuf. What is nested more than 100 levels deep is refused with the
// code TooMuchMemory before that, if its structs take more than 32 times the input and half a MiB;
// [UnmarshalWithin] has a limit of the caller's own.
const MaxDepth = 10000

// maxNumber is the largest field number; maxSkipped is the largest that google.golang.org/protobuf
// accepts inside of a group that it skips.
const (
	maxNumber  = 1<<29 - 1
	maxSkipped = 1<<31 - 1
)

// The wire types.
const (
	wireVarint  = 0
	wireFixed64 = 1
	wireBytes   = 2
	wireStart   = 3
	wireEnd     = 4
	wireFixed32 = 5
)

const continuation = 0x8080808080808080 // the top bit of each byte of a word

// compact squeezes eight groups of seven bits into 56 bits; top bits are ignored.
func compact(x uint64) uint64 {
	x &= ^uint64(continuation)
	x = x&0x007f007f007f007f | x&0x7f007f007f007f00>>1
	x = x&0x00003fff00003fff | x&0x3fff00003fff0000>>2
	x = x&0x000000000fffffff | x&0x0fffffff00000000>>4
	return x
}

// varintAt decodes the varint at off.
func varintAt(p Ptr, n, off uint) (v uint64, next uint) {
	if off < n {
		if c := load8(p, off); c < 0x80 {
			return uint64(c), off + 1
		}
	}
	return longVarintAt(p, n, off)
}

//go:noinline
func longVarintAt(p Ptr, n, off uint) (v uint64, next uint) {
	if off+10 <= n {
		x := load64(p, off)
		if stop := ^x & continuation; stop != 0 {
			x &= stop ^ (stop - 1)
			return compact(x), off + uint(bits.TrailingZeros64(stop)>>3) + 1
		}
		v, c := compact(x), load8(p, off+8)
		v |= uint64(c&0x7f) << 56
		if c < 0x80 {
			return v, off + 9
		}
		if c = load8(p, off+9); c < 2 {
			return v | uint64(c)<<63, off + 10
		}
		return 0, bad
	}
	for shift := uint(0); off < n && shift < 70; shift += 7 {
		c := load8(p, off)
		off++
		v |= uint64(c&0x7f) << shift
		if c < 0x80 {
			if shift == 63 && c > 1 {
				return 0, bad
			}
			return v, off
		}
	}
	return 0, bad
}

// skipVarint returns the offset after the varint at off.
func skipVarint(p Ptr, n, off uint) uint {
	if off < n && load8(p, off) < 0x80 {
		return off + 1
	}
	_, next := longVarintAt(p, n, off)
	return next
}

// tagAt decodes the tag at off. Field numbers 0 and above 2^29-1 are malformed.
func tagAt(p Ptr, n, off uint) (tag, next uint) {
	if off < n {
		if c := load8(p, off); c < 0x80 {
			if c < 8 {
				return 0, bad
			}
			return c, off + 1
		}
		if off+2 <= n {
			if w := load16(p, off); w < 0x8000 && w >= 0x100 {
				return w&0x7f | w>>8<<7, off + 2
			}
		}
	}
	v, next := longVarintAt(p, n, off)
	if next == bad || v>>3 == 0 || v>>3 > maxNumber {
		return 0, bad
	}
	return uint(v), next
}

// payloadAt returns where the payload of the length-delimited value at off starts and ends; (bad,
// bad) when it does not fit.
func payloadAt(p Ptr, n, off uint) (start, end uint) {
	if off+2 <= n {
		w := load16(p, off)
		if start, end = off+1, off+1+w&0x7f; w&0x80 != 0 {
			start, end = off+2, off+2+(w&0x7f|w>>8<<7)
		}
		if w&0x8080 != 0x8080 && end <= n {
			return start, end
		}
	}
	v, start := varintAt(p, n, off)
	if start == bad || v > uint64(n-start) {
		return bad, bad
	}
	return start, start + uint(v)
}

// skipValue returns the offset after the value of a field with this tag; off is behind the tag.
func skipValue(p Ptr, n, off, tag uint) uint {
	switch tag & 7 {
	case wireVarint:
		off = behindVarint(p, n, off)
	case wireFixed64:
		off += 8
	case wireFixed32:
		off += 4
	case wireBytes:
		_, off = payloadAt(p, n, off)
	case wireStart:
		_, off = skipGroup(p, n, off, tag>>3, MaxDepth)
	default:
		return bad
	}
	if off > n {
		return bad
	}
	return off
}

// skipGroup skips the fields of the group with this number up to and with its end tag. end is where
// the end tag starts.
func skipGroup(p Ptr, n, off, number uint, depth int) (end, next uint) {
	if depth < 0 {
		return bad, bad
	}
	for off < n {
		v, after := varintAt(p, n, off)
		if after == bad || v>>3 == 0 || v>>3 > maxSkipped {
			return bad, bad
		}
		switch inner, wire := uint(v>>3), uint(v&7); wire {
		case wireEnd:
			if inner != number {
				return bad, bad
			}
			return off, after
		case wireStart:
			_, off = skipGroup(p, n, after, inner, depth-1)
		default:
			off = skipValue(p, n, after, wire)
		}
	}
	return bad, bad
}

// unzigzag undoes the zigzag coding of sint32 and sint64.
func unzigzag(v uint64) int64 { return int64(v>>1) ^ -int64(v&1) }

// Zigzag maps signed to unsigned numbers so that small magnitudes are small, as sint32 and sint64
// are written.
func Zigzag(v int64) uint64 { return uint64(v)<<1 ^ uint64(v>>63) }
