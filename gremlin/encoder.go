package gremlin

import "slices"

// Encoder is what the generated functions that write one message share. It is for generated code; the zero value is ready.
//
// The length of a nested message is not known before it is written, so room is kept for it, which is patched afterwards: one
// byte by Begin and two by BeginLong, for types whose messages tend to be longer than 127 bytes. A length of another size
// moves the message: a short one at once, which is the cheapest while it is in the cache. A long one would be moved again for
// each message around it; it stays, and Finish makes room for all such lengths in one pass, so that writing takes time in
// proportion to the bytes however deep they are nested.
type Encoder struct {
	// Stable asks for maps sorted by key.
	Stable bool

	late  []lateLength
	extra int // bytes that Finish will insert
}

// maxMove is the length of the longest message that End moves, in bytes.
const maxMove = 4096

// lateLength is the length of a message that starts at at, behind the bytes that are kept for it.
type lateLength struct {
	at, kept, length int
	before           int // Encoder.extra before the lengths inside of the message
	first            int // index of the first of those in Encoder.late, or its own
}

// Begin appends the tag of a nested message and a byte for its length. at is where the message starts, for End.
func (e *Encoder) Begin(b []byte, tag uint32) (nb []byte, at int) {
	if tag < 0x80 {
		b = append(b, byte(tag), 0)
	} else {
		b = append(appendVarint(b, uint64(tag)), 0)
	}
	return b, len(b)
}

// End sets the length of the nested message that starts at at and ends with b.
func (e *Encoder) End(b []byte, at int) []byte {
	if n := len(b) - at; n < 0x80 {
		b[at-1] = byte(n)
		return b
	}
	return e.end(b, at, 1)
}

// enough is how much room there must be for BeginLong to keep a byte that may turn out to be too much. A message that needs
// one byte for its length has less than half of it, and each message in it that needs a byte too much, too, has two others.
const enough = 256

// BeginLong is Begin with two bytes for the length, of which the last one is 0, or with one, which is 1, where the room may
// just be enough for the message. at is for EndLong.
func (e *Encoder) BeginLong(b []byte, tag uint32) (nb []byte, at int) {
	b, at = e.Begin(b, tag)
	if cap(b)-len(b) < enough {
		b[at-1] = 1
		return b, at
	}
	return append(b, 0), at + 1
}

// EndLong is End for BeginLong.
func (e *Encoder) EndLong(b []byte, at int) []byte {
	if n := len(b) - at; n >= 0x80 && n <= maxMove && b[at-1] == 0 {
		b[at-2], b[at-1] = byte(n)|0x80, byte(n>>7)
		return b
	}
	return e.end(b, at, 2-int(b[at-1]))
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
		copy(b[at+extra:], b[at:at+l])
	}
	appendVarint(b[:at-kept], uint64(l))
	return b
}

// Finish returns b with the lengths that were left out. It must be called once, after all has been appended.
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
		copy(b[l.at+shift:], b[l.at:end])
		end = l.at - l.kept
		shift -= sizeVarint(uint64(l.length)) - l.kept
		appendVarint(b[:end+shift], uint64(l.length))
	}
	return b
}
