package rt

import "github.com/octopus-framework/octopus/gremlin/rt"

// lookEvery is how many messages are written between two looks at the stack.
const lookEvery = 1 << 14

// Enter is called for each message of a type that can contain itself. When the stack is deeper than
// any message that can be read needs, writing ends with an error of code TooDeep. It is for
// generated code.
func (e *Encoder) Enter(t *Table) {
	if e.entered++; e.entered%lookEvery == 0 && rt.StackIsDeep() {
		panic(rt.Endless(t.Wire))
	}
}

// endless makes the panic of Enter an error. It is deferred.
func endless(b *[]byte, start int, err *error) {
	switch p := recover().(type) {
	case nil:
	case *rt.Error:
		*b, *err = (*b)[:start], p
	default:
		panic(p)
	}
}
