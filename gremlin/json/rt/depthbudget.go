package rt

import "github.com/octopus-framework/octopus/gremlin/rt"

// To open a message costs a Reader all its bytes where it is a group, whose end has to be looked
// for, or came in pieces, which are put together; and so again for each message around it. A
// megabyte below thousands of such levels would take half a minute. So what is opened more than
// freeLevels deep is added up: over maxOpened bytes the Reader gives up, and a Message is decoded
// in one pass.
const (
	freeLevels = 64
	maxOpened  = 16 << 20
)

// overBudget tells whether the message in v, below which depth levels are left, is too deep, or one
// too many down there, or there has been an error before.
//
//go:noinline
func (e *Encoder) overBudget(v *rt.View, depth int) bool {
	if depth <= 0 || e.code != 0 {
		return true
	}
	e.opened += len(v.Raw())
	return e.opened > maxOpened
}

// FinishReader ends what was written to b from start on, a Reader of wire, and e. Where the Reader
// has given up it begins again with a Message. When it fails it returns b as it was. It is for
// generated code.
func (e *Encoder) FinishReader(b []byte, start int, wire []byte,
	message func() Message) ([]byte, error) {
	switch {
	case e.opened > maxOpened:
		o := e.opts
		e.free()
		m := message()
		if err := m.Unmarshal(wire); err != nil && err.(*rt.Error).Code != rt.MissingRequired {
			return b[:start], err
		}
		return Append(b[:start], m, o)
	case e.code != 0:
		return e.Finish(b, start, message())
	}
	return e.Finish(b, start, nil)
}
