package gremlin

import "github.com/octopus-framework/octopus/gremlin/rt"

// NameOf returns the full name of a message type, "shop.v1.Deposit". A Message, a Reader and a nil
// pointer to either tell it.
func NameOf(t Type) string { return t.GremlinTable().Name }

// Merge adds the contents of src to dst, as if the encoding of src came behind that of dst: fields
// that src has set replace those of dst, messages are merged, lists go to the end of lists, entries
// of maps replace those of their key. Nothing is shared with src. It fails where src has what
// Unmarshal would refuse, such as a string that is not UTF-8, or another type; dst then has a part
// of src.
func Merge(dst, src Message) error {
	if dst.GremlinTable() != src.GremlinTable() {
		return &TypeError{Want: NameOf(dst), Got: NameOf(src)}
	}
	return UnmarshalMerge(src.Marshal(), dst)
}

// UnmarshalMerge adds the contents of an encoding to m, as Merge does; m.Unmarshal replaces them.
// It keeps nothing of b. After an error m has a part of it. Required fields are not asked for.
func UnmarshalMerge(b []byte, m Message) error {
	t := m.GremlinTable()
	return rt.Decoded(m.GremlinDecode(rt.StartMerge(b, t)), b, t)
}

// TypeError says that a message is of another type than it has to be.
type TypeError struct {
	Want, Got string // full names
}

// Error implements error.
func (e *TypeError) Error() string { return "the message is a " + e.Got + ", not a " + e.Want }
