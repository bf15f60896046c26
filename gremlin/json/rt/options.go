package rt

import "github.com/octopus-framework/octopus/gremlin/rt"

// Options of both directions. The zero value is the JSON mapping of protobuf as its specification
// has it.
//
// The fields are in an order that leaves no gaps: options are copied for every message.
type Options struct {
	// Of writing:

	EmitDefaults bool // write zero values of fields without presence, empty lists and maps too
	ProtoNames   bool // name fields as the .proto file does: user_id, not userId
	EnumNumbers  bool // write enums as numbers
	// write 64-bit integers as numbers; JavaScript reads them without their last digits
	Int64AsNumber bool
	// write float and double with at most six significant digits; shorter, faster, not exact
	SixDigits bool

	// Of reading:

	// pass over unknown fields and names of enum values rather than to reject them
	DiscardUnknown bool

	// Of writing:

	// put each element on a line of its own, with so much before it for each level; "" is one line
	Indent string

	// Of reading:

	MaxSize int // bytes of the largest text that is read; 0 is no limit but that of protobuf, 2 GiB

	// Of both:

	// Types is what is known of extensions and of what an Any holds; there is no registry.
	// Extensions that are not known are not written; an Any of a type that is not known is an
	// error.
	Types *rt.Types
	// MaxDepth is how deep objects and arrays may be nested; 0, or more than that, is rt.MaxDepth.
	MaxDepth int
}

func (o *Options) depth() int {
	if o.MaxDepth <= 0 || o.MaxDepth > rt.MaxDepth {
		return rt.MaxDepth
	}
	return o.MaxDepth
}
