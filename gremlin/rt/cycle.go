package rt

import (
	"runtime"
	"slices"
)

// A Message that contains itself has no end, and to write it would end the program, because a stack
// that has run out cannot be recovered from. Nobody looks at each message for that: those of types
// that can contain themselves count, and now and then look at how deep the stack is. Those that go
// through a message without an Encoder hand on how deep they are.

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

// MaxNesting is how deep Size, Clone and Equal go: no less deep than writing, deeper than reading.
const MaxNesting = 1 << 15

// Deeper is called by Size and Clone for each message of a type that can contain itself, with how
// many it is in; it returns one more. It panics with an *Error of code TooDeep below MaxNesting. It
// is for generated code.
func Deeper(depth int, t *Table) int {
	if depth > MaxNesting {
		panic(Endless(t))
	}
	return depth + 1
}

// The functions below do what those without At do, for messages that are depth levels deep.

// EqualMessagesAt compares lists of messages.
func EqualMessagesAt[T any](x, y []T, equal func(x, y *T, depth int) bool, depth int) bool {
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		if !equal(&x[i], &y[i], depth) {
			return false
		}
	}
	return true
}

// EqualPointersAt compares lists of pointers to messages.
func EqualPointersAt[T any](x, y []*T, equal func(x, y *T, depth int) bool, depth int) bool {
	return EqualListFunc(x, y, func(x, y *T) bool { return equal(x, y, depth) })
}

// EqualMapAt compares maps of messages.
func EqualMapAt[K comparable, T any](x, y map[K]T, equal func(x, y *T, depth int) bool,
	depth int) bool {
	return EqualMapFunc(x, y, func(x, y T) bool { return equal(&x, &y, depth) })
}

// CloneMessagesAt copies a list of messages; nil stays nil.
func CloneMessagesAt[T any](x []T, clone func(x *T, depth int) *T, depth int) []T {
	y := slices.Clone(x)
	for i := range y {
		y[i] = *clone(&x[i], depth)
	}
	return y
}

// ClonePointersAt copies a list of pointers to messages; nil stays nil.
func ClonePointersAt[T any](x []*T, clone func(x *T, depth int) *T, depth int) []*T {
	return CloneListFunc(x, func(x *T) *T { return clone(x, depth) })
}

// CloneMapAt copies a map of messages; nil stays nil.
func CloneMapAt[K comparable, T any](x map[K]T, clone func(x *T, depth int) *T,
	depth int) map[K]T {
	return CloneMapFunc(x, func(v T) T { return *clone(&v, depth) })
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
