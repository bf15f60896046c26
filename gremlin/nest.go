package gremlin

// nest builds an encoding from parts of which the length is not known before they end, in time proportional to the result
// however deep they are nested. (BeginMessage and EndMessage move a message up when its length takes more than a byte, once
// a level: fine for messages that a program made, not for text that somebody sent.)
//
// b is the encoding without the lengths of nested messages; finish puts them in.
type nest struct {
	b     []byte
	parts []part // in the order of their begin
	sizes int    // bytes that the lengths of all parts that ended will take
}

type part struct {
	at     int // offset in b
	length int // until the part ends: sizes when it began
}

// begin appends a tag; what is appended until end is the message.
func (w *nest) begin(tag uint32) (i int) {
	w.b = appendVarint(w.b, uint64(tag))
	w.parts = append(w.parts, part{len(w.b), w.sizes})
	return len(w.parts) - 1
}

func (w *nest) end(i int) {
	p := &w.parts[i]
	p.length = len(w.b) - p.at + w.sizes - p.length
	w.sizes += sizeVarint(uint64(p.length))
}

// extend is for what was appended behind part i, in which there are no others, after it ended: it becomes part of it.
func (w *nest) extend(i int) {
	p := &w.parts[i]
	w.sizes -= sizeVarint(uint64(p.length))
	p.length = len(w.b) - p.at
	w.sizes += sizeVarint(uint64(p.length))
}

// size returns how long the result will be.
func (w *nest) size() int { return len(w.b) + w.sizes }

// finish appends the result to dst.
func (w *nest) finish(dst []byte) []byte {
	dst = grow(dst, w.size())
	at := 0
	for _, p := range w.parts {
		dst = append(dst, w.b[at:p.at]...)
		dst = appendVarint(dst, uint64(p.length))
		at = p.at
	}
	return append(dst, w.b[at:]...)
}
