package json

import "github.com/octopus-framework/octopus/gremlin"

// To open a message costs a Reader all its bytes where it is a group, whose end has to be looked for, or came in pieces, which are
// put together; and so again for each message around it. A megabyte below thousands of such levels would take half a minute. That
// is why it is added up what is opened far below the surface: over maxSunk the Reader gives up and a Message is decoded, in one pass.
const (
	surfaceLevels = 64
	maxSunk       = 16 << 20
)

// sinks tells whether the message in v, below which depth levels are left, is too deep, or one too many down there, or there has
// been an error before.
//
//go:noinline
func (e *Encoder) sinks(v *gremlin.View, depth int) bool {
	if depth <= 0 || e.code != 0 {
		return true
	}
	e.sunk += len(v.Raw())
	return e.sunk > maxSunk
}

// Sunk tells that a Reader has given up; e is of no use any more then. It is for generated code, which goes on with AppendDecoded.
func (e *Encoder) Sunk() bool {
	if e.sunk <= maxSunk {
		return false
	}
	e.free()
	return true
}

// AppendDecoded appends the message that is encoded in wire as JSON to b, by way of m. It is for generated code.
func AppendDecoded(b []byte, m Message, wire []byte, o Options) ([]byte, error) {
	if err := m.Unmarshal(wire); err != nil && err.(*gremlin.Error).Code != gremlin.MissingRequired {
		return b, err
	}
	return Append(b, m, o)
}

// newMessageEncoder is NewEncoder for a Message, of which only the extensions are written by Readers.
func newMessageEncoder(o *Options) *Encoder {
	e := NewEncoder(o)
	e.surface, e.asking = 0, 0
	return e
}
