package rt

import "strconv"

// The details of errors of code Malformed. They begin with the words of the code.
const (
	isMalformed = "malformed protobuf: "
	isTruncated = isMalformed + "truncated"
	isBadTag    = isMalformed + "bad tag: "
	isTooLong   = isMalformed + "a varint of more than 64 bits"
	isEndless   = isMalformed + "a group without an end"
)

// whyMalformed says what is wrong with the field at off, of a message that ends at n. It is called
// when something is known to be wrong.
func whyMalformed(p Ptr, n, off uint) string {
	tag, after := varintAt(p, n, off)
	if after == bad {
		return badVarintAt(p, n, off)
	}
	number := tag >> 3
	switch {
	case number == 0:
		return isBadTag + "field number 0"
	case number > maxNumber:
		return isBadTag + "field number " + strconv.FormatUint(number, 10)
	}
	switch wire := tag & 7; wire {
	case wireVarint:
		return badVarintAt(p, n, after)
	case wireBytes:
		size, start := varintAt(p, n, after)
		if start == bad {
			return badVarintAt(p, n, after)
		}
		return isTruncated + ", " + strconv.FormatUint(size, 10) + " bytes are to follow and " +
			strconv.FormatUint(uint64(n-start), 10) + " do"
	case wireStart:
		return isEndless
	case wireEnd:
		return isBadTag + "the end of a group that has not begun"
	case wireFixed32, wireFixed64:
		return isTruncated
	default:
		return isBadTag + "wire type " + strconv.FormatUint(wire, 10)
	}
}

// badVarintAt says what is wrong with the varint at off.
func badVarintAt(p Ptr, n, off uint) string {
	for i := uint(0); i < 10; i++ {
		if off+i >= n {
			return isTruncated
		}
		if load8(p, off+i) < 0x80 {
			break
		}
	}
	return isTooLong
}
