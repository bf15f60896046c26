package gremlin

import "slices"

// Encoder is what the generated functions that write one message share. It is for generated code; the zero value is ready.
//
// The length of a nested message is not known before it is written, so Begin keeps one byte for it and End patches it in. A
// longer length needs more room: a short message is moved up at once, which is the cheapest while it is in the cache. A long
// one would be moved again for each message around it; it stays, and Finish makes room for all such lengths in one pass, so
// that writing takes time in proportion to the bytes however deep they are nested.
type Encoder struct {
	// Stable asks for maps sorted by key.
	Stable bool

	late  []lateLength
	extra int // bytes that Finish will insert
}

// maxMove is the length of the longest message that End moves, in bytes.
const maxMove = 4096

// lateLength is the length of a message that starts at at, behind the byte that is kept for it.
type lateLength struct {
	at, length int
	before     int // Encoder.extra before the lengths inside of the message
	first      int // index of the first of those in Encoder.late, or its own
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
	return e.endLong(b, at)
}

//go:noinline
func (e *Encoder) endLong(b []byte, at int) []byte {
	if len(b)-at <= maxMove {
		return endLength(b, at)
	}
	l := lateLength{at: at, length: len(b) - at, before: e.extra, first: len(e.late)}
	for l.first > 0 && e.late[l.first-1].at > at {
		inner := &e.late[l.first-1]
		l.first, l.before = inner.first, inner.before
	}
	l.length += e.extra - l.before
	e.late = append(e.late, l)
	e.extra += sizeVarint(uint64(l.length)) - 1
	return b
}

// endLength is End for what holds no late lengths.
func endLength(b []byte, at int) []byte {
	l := len(b) - at
	if l < 0x80 {
		b[at-1] = byte(l)
		return b
	}
	extra := sizeVarint(uint64(l)) - 1
	b = grow(b, extra)[:len(b)+extra]
	copy(b[at+extra:], b[at:at+l])
	appendVarint(b[:at-1], uint64(l))
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
		end = l.at
		shift -= sizeVarint(uint64(l.length)) - 1
		appendVarint(b[:l.at-1+shift], uint64(l.length))
		end--
	}
	return b
}
