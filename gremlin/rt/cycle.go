package rt

import "runtime"

// A Message that contains itself has no end, and to write it would end the program, because a stack
// that has run out cannot be recovered from. Nobody looks at each message for that: those of types
// that can contain themselves count, and now and then look at how deep the stack is.

const (
	// lookEvery is how many messages are written between two looks at the stack.
	lookEvery = 1 << 14
	// maxFrames is how deep the stack may be. A message of MaxDepth levels has a frame for each,
	// two where it is in a map.
	maxFrames = 3*MaxDepth + 1000
)

// isEndlessMessage is the detail of the error for a Message that contains itself.
const isEndlessMessage = "a message contains itself, or is nested deeper than can be read"

// Enter is called for each message of a type that can contain itself. It panics with an *Error of
// code TooDeep when the stack is deeper than any message that can be read needs. It is for
// generated code.
func (e *Encoder) Enter(t *Table) {
	if e.entered++; e.entered%lookEvery == 0 && StackIsDeep() {
		panic(Endless(t))
	}
}

// SizeByWriting returns the size of the encoding of m, which it writes: of types that can contain
// themselves, because a sum of sizes has nowhere to count how deep it is. It is for generated code.
func SizeByWriting(m Message) int {
	s := scratches.Get().(*scratch)
	defer scratches.Put(s)
	b := m.MarshalAppend(s.buf[:0])
	if cap(b) <= maxScratch {
		s.buf = b
	}
	return len(b)
}

// StackIsDeep tells whether the stack is deeper than any message that can be read needs. It takes
// time in proportion to its depth.
func StackIsDeep() bool {
	var pc [1]uintptr
	return runtime.Callers(maxFrames, pc[:]) > 0
}

// Endless returns the error for a message of type t that contains itself.
func Endless(t *Table) *Error {
	return &Error{Code: TooDeep, Message: t.Name, Offset: -1, Detail: isEndlessMessage}
}
