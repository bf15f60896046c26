package rt

// Strings and bytes are read by leaves: functions that do the usual case without a call and leave
// everything else to another one as the last thing they do, so that nothing has to be kept over a
// call. The usual case is a length of one or two bytes, a value that lies in d.mem already, and
// text that is ASCII.

// String reads a string that must be UTF-8.
func (d *Decoder) String(v *string, n, off uint) (tag, next uint) {
	return d.text(v, !d.lenient, n, off)
}

// StringUnchecked reads a string that may be anything.
func (d *Decoder) StringUnchecked(v *string, n, off uint) (tag, next uint) {
	return d.text(v, false, n, off)
}

// text reads a string and the next tag. It repeats the first lines of Bytes, payloadAt and
// validUTF8, for it is too large for any of them to be inlined.
func (d *Decoder) text(v *string, check bool, n, off uint) (tag, next uint) {
	p, start := d.p, off+1
	if off+2 > n {
		return d.textSlow(v, check, n, off)
	}
	w := load16(p, off)
	size := w & 0x7f
	if w&0x80 != 0 {
		if w >= 0x8000 {
			return d.textSlow(v, check, n, off)
		}
		size |= w >> 8 << 7
		start++
	}
	next = start + size
	if next > n || next > d.limit || size == 0 {
		return d.textSlow(v, check, n, off)
	}
	if check {
		var all uint64
		switch {
		case size >= 8:
			i := start
			for ; i+32 < next; i += 32 {
				all |= load64(p, i) | load64(p, i+8) | load64(p, i+16) | load64(p, i+24)
			}
			for ; i+8 < next; i += 8 {
				all |= load64(p, i)
			}
			all |= load64(p, next-8)
		case size >= 4:
			all = uint64(load32(p, start) | load32(p, next-4))
		default:
			all = uint64(load8(p, start) | load8(p, start+size/2) | load8(p, next-1))
		}
		if all&continuation != 0 {
			return d.textRunes(v, n, start, next)
		}
	}
	setString(v, d.mem, start-d.base, size)
	if next < n {
		if tag = load8(p, next); tag-1 < 0x7f {
			return tag, next + 1
		}
	}
	return d.tagSlow(n, next)
}

// textRunes is the rest of text for a string between start and end that is not ASCII.
//
//go:noinline
func (d *Decoder) textRunes(v *string, n, start, end uint) (tag, next uint) {
	size := end - start
	if hasVector && size >= minVector {
		if !validVector(d.p, start, end) {
			return 0, bad
		}
	} else if !validRunes(d.p, start, end) {
		return 0, bad
	}
	setString(v, d.mem, start-d.base, size)
	return d.Tag(n, end)
}

// textSlow is text for any string.
//
//go:noinline
func (d *Decoder) textSlow(v *string, check bool, n, off uint) (tag, next uint) {
	start, end := payloadAt(d.p, n, off)
	switch size := end - start; {
	case size == 0:
		*v = ""
	case check && !validUTF8(d.p, start, size):
		return 0, bad
	default:
		*v = ownString(d.copyToChunk(start, size))
	}
	return d.Tag(n, end)
}

// Bytes reads a bytes value; it is not nil afterwards.
func (d *Decoder) Bytes(v *[]byte, n, off uint) (tag, next uint) {
	p, start := d.p, off+1
	if off+2 > n {
		return d.bytesSlow(v, n, off)
	}
	w := load16(p, off)
	size := w & 0x7f
	if w&0x80 != 0 {
		if w >= 0x8000 {
			return d.bytesSlow(v, n, off)
		}
		size |= w >> 8 << 7
		start++
	}
	next = start + size
	if next > n || next > d.limit || size == 0 {
		return d.bytesSlow(v, n, off)
	}
	setBytes(v, d.mem, start-d.base, size)
	if next < n {
		if tag = load8(p, next); tag-1 < 0x7f {
			return tag, next + 1
		}
	}
	return d.tagSlow(n, next)
}

// bytesSlow is Bytes for any value.
//
//go:noinline
func (d *Decoder) bytesSlow(v *[]byte, n, off uint) (tag, next uint) {
	start, end := payloadAt(d.p, n, off)
	if start == end {
		*v = []byte{}
	} else {
		*v = d.copyToChunk(start, end-start)
	}
	return d.Tag(n, end)
}
