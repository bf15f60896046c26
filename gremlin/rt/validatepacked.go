package rt

import "math/bits"

// Only varints of ten bytes and more can be malformed: nine bytes in a row that say that another
// one follows.

// badVarint returns the offset of the first malformed varint in [off, n), n when there is none.
func badVarint(p Ptr, n, off uint) uint {
	if n-off < 64 {
		return badOfFew(p, n, off)
	}
	next, ok := skipBlocks(p, n, off)
	if !ok {
		return next
	}
	return badOfFew(p, n, next)
}

// badOfFew is badVarint, a word at a time.
func badOfFew(p Ptr, n, off uint) uint {
	start := off // of the varint that off is in
	for off+8 <= n {
		stop := ^load64(p, off) & continuation
		if last := off + uint(bits.TrailingZeros64(stop))>>3; stop != 0 && last-start < 9 {
			off += 8
			start = off - uint(bits.LeadingZeros64(stop))>>3
			continue
		}
		if off = skipVarint(p, n, start); off == bad {
			return start
		}
		start = off
	}
	for start < n {
		if off = skipVarint(p, n, start); off == bad {
			return start
		}
		start = off
	}
	return n
}

// skipBlocks goes over varints by blocks of 64 bytes and returns where the first one starts that is
// not whole in one, or the first malformed one and false. Blocks overlap, so that none waits for
// what the one before has found.
func skipBlocks(p Ptr, n, off uint) (next uint, ok bool) {
	begin := off
	for off+64 <= n {
		nine := nineOf(topBits(load64(p, off)) | topBits(load64(p, off+8))<<8 |
			topBits(load64(p, off+16))<<16 |
			topBits(load64(p, off+24))<<24 | topBits(load64(p, off+32))<<32 |
			topBits(load64(p, off+40))<<40 |
			topBits(load64(p, off+48))<<48 | topBits(load64(p, off+56))<<56)
		if nine == 0 {
			off += 64 - 8 // nine that start in the last eight are in the next block
			continue
		}
		// They start a varint: if the byte before belonged to it, there would be nine from there
		// on, too.
		for off += uint(bits.TrailingZeros64(nine)); off+8 <= n &&
			load64(p, off)&continuation == continuation; {
			start := off
			if off = skipVarint(p, n, start); off == bad {
				return start, false
			}
		}
	}
	for off > begin && load8(p, off-1) >= 0x80 {
		off--
	}
	return off, true
}

// topBits returns the top bits of the eight bytes of x as a byte.
func topBits(x uint64) uint64 { return (x & continuation >> 7) * 0x0102040810204080 >> 56 }

// nineOf returns which bits of m are set together with the eight above.
func nineOf(m uint64) uint64 {
	two := m & (m >> 1)
	four := two & (two >> 2)
	return four & (four >> 4) & (m >> 8)
}
