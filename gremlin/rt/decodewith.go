package rt

// How says what UnmarshalWith shares with its input and with what a message held before. The zero
// value is Unmarshal.
type How uint8

// See package gremlin, where people find them.
const (
	Borrow How = 1 << iota
	Reuse
)

// BeforeReuse is nil, or what is called with each Message before its memory is used again. Package
// gremlin sets it when the environment asks for package guard.
var BeforeReuse func(m Message)

// Guarded is called with a Message whose memory is to be used again, and tells whether it has to
// be empty instead, because what may have been kept of it was overwritten.
func Guarded(m Message) bool {
	if BeforeReuse == nil {
		return false
	}
	BeforeReuse(m)
	return true
}

// Share makes d, which was just made, what UnmarshalWith asks for.
//
// A Decoder whose piece of memory for strings is the input itself borrows: no function that reads a
// value knows of it. Reuse is in generated code, which asks Reuses: a message begins by making
// itself empty except for memory, lists without elements, maps without entries and pointers, notes
// which pointers it meets, and sets the others to nil at the end.
//
//go:noinline
func (d *Decoder) Share(how How) {
	d.reuse = how&Reuse != 0
	if how&Borrow != 0 && d.end <= MaxSize {
		d.mem, d.limit = d.p, d.end
	}
}

// Reuses tells whether messages are to keep their memory.
func (d *Decoder) Reuses() bool { return d.reuse }

// Twice is called with the offset of a singular message that came before, and returns where to go
// on. Its fields are to be merged with those that came before; a message that keeps its memory
// would be emptied instead, so that decoding ends there and has to begin again.
func (d *Decoder) Twice(off uint) uint {
	if d.reuse {
		d.again = true
		return bad
	}
	return off
}

// Again tells whether all has to be decoded again, without Reuse.
func (d *Decoder) Again() bool { return d.again }

// Foreign returns p, a message whose type was generated elsewhere, and maybe by a compiler that did
// not know Reuse. Such a type would merge what it reads with what is there, and its fields would be
// emptied where they have to be merged; so all is decoded again.
func Foreign[T any](d *Decoder, p *T) *T {
	if d.reuse {
		checkReusable[T](d)
	}
	return p
}

//go:noinline
func checkReusable[T any](d *Decoder) {
	_, ok := any((*T)(nil)).(interface{ UnmarshalWith([]byte, How) error })
	if !ok {
		d.reuse, d.again = false, true
	}
}

// ExtendPointers appends a message to s, for the current field, and returns it. It is the one that
// lies behind the length of s, if memory is used again.
func ExtendPointers[T any](d *Decoder, s *[]*T) *T {
	if n := len(*s); d.reuse && n < cap(*s) {
		*s = (*s)[:n+1]
		return Alloc(&(*s)[n])
	}
	p := new(T)
	*s = append(*s, p)
	return p
}
