package rt

import "github.com/octopus-framework/octopus/gremlin/rt"

// Message is a generated Message with JSON.
type Message interface {
	rt.Message
	// GremlinAppendJSON appends the message as JSON. It is for generated code.
	GremlinAppendJSON(e *Encoder, b []byte) []byte
	// GremlinDecodeJSON reads what d is at. It is for generated code.
	GremlinDecodeJSON(d *Decoder)
}

// Type gives the table of a message type; generated Readers and their tables have it.
type Type interface{ GremlinJSON() *Table }

// jsonOf returns the generated JSON code for a type that a rt.Table refers to, nil if it was
// generated without.
func jsonOf(t rt.Type) Opener {
	r, _ := t.(Opener)
	return r
}

// Table describes a message type beyond what its rt.Table says. Tables are generated, constant, and
// shared by everybody.
type Table struct {
	Wire       *rt.Table
	Fields     []Field  // as in Wire
	Index      []uint16 // all names of a wide message, sorted; 2*i is Name of field i, 2*i+1 Proto
	Special    Special
	Extendable bool
}

// Field is what JSON calls a field: `,"userId":`, as it is written behind another one.
type Field struct {
	Name  string
	Proto string // the form with the name of the .proto file; "" when it is the same
	Flags uint8
	Oneof uint16 // members of one oneof have the same number, which is not 0
}

// The flags of a Field.
const (
	FlagPresence = 1 << iota // a zero value is written too
	FlagNull                 // null is a value of the field
)

// Special is the type of a message that has a JSON form of its own.
type Special uint8

// The special messages, all of google.protobuf.
const (
	SpecialAny Special = iota + 1
	SpecialTimestamp
	SpecialDuration
	SpecialFieldMask
	SpecialStruct
	SpecialValue
	SpecialListValue
	SpecialWrapper
	SpecialEmpty // an object like any other, but in an Any it is a value
)
