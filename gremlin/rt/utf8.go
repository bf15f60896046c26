package rt

import "unicode/utf8"

// validUTF8 tells whether the size bytes at start are UTF-8; size is not 0. Most text is ASCII and
// short, for which a few overlapping words are looked at instead of a call.
func validUTF8(p Ptr, start, size uint) bool {
	var all uint64
	end := start + size
	switch {
	case size >= 8:
		off := start
		for ; off+32 < end; off += 32 {
			all |= load64(p, off) | load64(p, off+8) | load64(p, off+16) | load64(p, off+24)
		}
		for ; off+8 < end; off += 8 {
			all |= load64(p, off)
		}
		all |= load64(p, end-8)
	case size >= 4:
		all = uint64(load32(p, start) | load32(p, end-4))
	default:
		all = uint64(load8(p, start) | load8(p, start+size/2) | load8(p, end-1))
	}
	switch {
	case all&continuation == 0:
		return true
	case hasVector && size >= minVector:
		return validVector(p, start, end)
	}
	return validRunes(p, start, end)
}

// The bits that tell where in a rune a byte stands, and what they must be: of runes of two and of
// three bytes, read as little-endian words.
const (
	mask2, bits2 = 0x0000c0e0, 0x000080c0
	mask3, bits3 = 0x00c0c0f0, 0x008080e0
)

// validRunes is validUTF8 for text that is not ASCII. It takes runes of up to three bytes, which
// are nearly all that people write, by whole words; what remains, four bytes and the end of the
// text, is left to the library.
//
//go:noinline
func validRunes(p Ptr, start, end uint) bool {
	for start+8 <= end {
		w := load32(p, start)
		switch {
		case w&0x80 == 0:
			start++
			for start+8 <= end && load64(p, start)&continuation == 0 {
				start += 8
			}
		case w&mask3 == bits3:
			// E0 must not be followed by a byte below A0, which would be a longer form of a shorter
			// rune, nor ED by one from A0 on: surrogates.
			if lead := w & 0x200f; lead == 0 || lead == 0x200d {
				return false
			}
			start += 3
		case w&mask2 == bits2:
			if w&0x1e == 0 {
				return false // below 80: a longer form
			}
			start += 2
		default:
			return utf8.Valid(viewBytes(p, start, end-start))
		}
	}
	return start == end || utf8.Valid(viewBytes(p, start, end-start))
}
