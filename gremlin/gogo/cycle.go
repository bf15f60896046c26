package gogo

import (
	"math/rand/v2"
	"runtime"
)

// A message that contains itself has no end, and a stack that has run out ends the process. The
// methods of gogo's shape have no room for a level to hand on, so those of messages that can
// contain themselves look at the stack: now and then and at random, as there is nowhere to count.
// One call in chosenEvery is chosen by where it lies on the stack, which costs no more than a
// multiplication; of those that are chosen, which may be the same in each round of a loop, one in
// lookEvery looks.

const (
	chosenEvery = 1 << 6
	lookEvery   = 1 << 6
	// maxFrames is how deep the stack may be: three times what can be decoded.
	maxFrames = 3*MaxDepth + 1000
)

// CycleError is the error for a message that contains itself. Marshal and MarshalTo return it;
// other methods panic with it, as they have no error to return.
type CycleError struct{}

// Error returns "proto: a message contains itself, or is nested deeper than can be read".
func (*CycleError) Error() string {
	return "proto: a message contains itself, or is nested deeper than can be read"
}

// Enter panics with a *CycleError when the stack is deeper than any message needs that can be read.
// It is called once for each message of a type that can contain itself.
func Enter() {
	if chosen() {
		look()
	}
}

func look() {
	if rand.Uint32()%lookEvery == 0 && stackIsDeep() {
		panic(&CycleError{})
	}
}

func stackIsDeep() bool {
	var pc [1]uintptr
	return runtime.Callers(maxFrames, pc[:]) > 0
}

// Leave makes an error of the panic of Enter. It is deferred.
func Leave(err *error) {
	switch p := recover().(type) {
	case nil:
	case *CycleError:
		*err = p
	default:
		panic(p)
	}
}

// Text returns what fmt prints for v by "%v", if it has a method String that is generated.
func Text(v any) string {
	if s, ok := v.(interface{ String() string }); ok {
		return s.String()
	}
	return "<nil>"
}
