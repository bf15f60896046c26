package rt

import "slices"

// Encoder is what the generated functions that write one message share. It is for generated code;
// the zero value is ready.
//
// The length of a nested message is not known before it is written, so room is kept for it, which
// is patched afterwards: one byte by Nest and two by NestLong, for types whose messages tend to be
// longer than 127 bytes. A length of another size moves the message: a short one at once, which is
// the cheapest while it is in the cache. A long one would be moved again for each message around
// it; it stays, and Finish makes room for all such lengths in one pass, so that writing takes time
// in proportion to the bytes however deep they are nested.
type Encoder struct {
	// Stable asks for maps sorted by key.
	Stable bool

	late    []lateLength
	extra   int    // bytes that Finish will insert
	entered uint32 // messages that Enter was called for
}

// maxMove is the length of the longest message that End moves, in bytes.
const maxMove = 4096

// lateLength is the length of a message that starts at at, behind the bytes that are kept for it.
type lateLength struct {
	at, kept, length int
	before           int // Encoder.extra before the lengths inside of the message
	first            int // index of the first of those in Encoder.late, or its own
}

// Begin is Nest that also returns where the message starts, for End.
func (e *Encoder) Begin(b []byte, tag uint32) (nb []byte, at int) {
	b = e.Nest(b, tag)
	return b, len(b)
}

// Nest appends the tag of a nested message and a byte for its length.
func (e *Encoder) Nest(b []byte, tag uint32) []byte {
	if tag-0x80 < maxTag-0x80 {
		return append(b, byte(tag)|0x80, byte(tag>>7), 0)
	}
	for tag >= 0x80 {
		b = append(b, byte(tag)|0x80)
		tag >>= 7
	}
	return append(b, byte(tag), 0)
}

// End sets the length of the nested message that starts at at and ends with b.
func (e *Encoder) End(b []byte, at int) []byte {
	if n := len(b) - at; n < 0x80 {
		b[at-1] = byte(n)
		return b
	}
	return e.end(b, at, 1)
}

// enough is how much room there must be for NestLong to keep a byte that may turn out to be too
// much. A message that needs one byte for its length has less than half of it, and each message in
// it that needs a byte too much, too, has two others.
const enough = 256

// NestLong is Nest with two bytes for the length, of which the first one is 0, or with one, which
// is 1, where the room may just be enough for the message.
func (e *Encoder) NestLong(b []byte, tag uint32) []byte {
	b = e.Nest(b, tag)
	if cap(b)-len(b) < enough {
		b[len(b)-1] = 1
		return b
	}
	return append(b, 0)
}

// EndLong is End for NestLong. at is behind the first byte for the length.
func (e *Encoder) EndLong(b []byte, at int) []byte {
	if n := len(b) - at - 1; n >= 0x80 && n <= maxMove && b[at-1] == 0 {
		b[at-1], b[at] = byte(n)|0x80, byte(n>>7)
		return b
	}
	more := 1 - int(b[at-1])
	return e.end(b, at+more, 1+more)
}

// end sets a length of which it is not known whether it fits into the kept bytes.
//
//go:noinline
func (e *Encoder) end(b []byte, at, kept int) []byte {
	if len(b)-at <= maxMove {
		return endLength(b, at, kept)
	}
	l := lateLength{at: at, kept: kept, length: len(b) - at, before: e.extra, first: len(e.late)}
	for l.first > 0 && e.late[l.first-1].at > at {
		inner := &e.late[l.first-1]
		l.first, l.before = inner.first, inner.before
	}
	l.length += e.extra - l.before
	extra := sizeVarint(uint64(l.length)) - kept
	if extra == 0 {
		appendVarint(b[:at-kept], uint64(l.length))
		return b
	}
	e.late = append(e.late, l)
	e.extra += extra
	return b
}

// endLength is end for what holds no late lengths.
func endLength(b []byte, at, kept int) []byte {
	l := len(b) - at
	extra := sizeVarint(uint64(l)) - kept
	if extra > 0 {
		b = grow(b, extra)
	}
	if extra != 0 {
		b = b[:len(b)+extra]
		move(b[at+extra:], b[at:at+l])
	}
	appendVarint(b[:at-kept], uint64(l))
	return b
}

// Finish returns b with the lengths that were left out. It must be called once, after all has been
// appended.
func (e *Encoder) Finish(b []byte) []byte {
	if e.extra != 0 {
		b = e.insertLate(b)
	}
	return b
}

//go:noinline
func (e *Encoder) insertLate(b []byte) []byte {
	slices.SortFunc(e.late, func(x, y lateLength) int { return x.at - y.at })
	end, shift := len(b), e.extra
	b = grow(b, shift)[:end+shift]
	for i := len(e.late) - 1; i >= 0; i-- {
		l := e.late[i]
		move(b[l.at+shift:], b[l.at:end])
		end = l.at - l.kept
		shift -= sizeVarint(uint64(l.length)) - l.kept
		appendVarint(b[:end+shift], uint64(l.length))
	}
	return b
}
