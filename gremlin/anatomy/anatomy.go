// Package anatomy takes an encoded message apart: a tree of fields with the ranges of bytes of
// their tags, lengths and values, what a schema knows of them, and where and why decoding fails.
// It needs no schema; bytes that could be a message are then shown as one.
//
//	tree := anatomy.Of(b, types.Message("shop.v1.Deposit"), anatomy.Options{})
//
// Any bytes have an anatomy, also malformed ones. It takes time and memory linear in the input,
// both bounded by Options.
package anatomy

import "github.com/octopus-framework/octopus/gremlin/dynamic"

// Options bound what is looked into. The zero value is useful.
type Options struct {
	// MaxNodes is how many nodes a tree has at most; 0 is 100,000. What is left out is marked.
	MaxNodes int
	// MaxDepth is how deep messages are looked into; 0 is 100. It is at most 1,000.
	MaxDepth int
	// MaxText is how many bytes of a string or bytes value a node shows at most; 0 is 200.
	MaxText int
}

// The limits that Options have when they say none.
const (
	defaultNodes = 100_000
	defaultDepth = 100
	mostDepth    = 1000
	defaultText  = 200
)

// Tree is the anatomy of one message. Its JSON form is that of package encoding/json.
type Tree struct {
	Type string `json:"type,omitempty"` // full name of the message's type, if it is known
	Size int    `json:"size"`           // size in bytes
	// Error is why programs would not read the message: what a generated Reader's CheckEncoding
	// says, or without a schema the first fault. It is empty when they would.
	Error string `json:"error,omitempty"`
	Fault *Fault `json:"fault,omitempty"` // the first one, in the order of the bytes
	Cut   bool   `json:"cut,omitempty"`   // some nodes were left out for the sake of Options
	Nodes []Node `json:"nodes"`
}

// Fault is where an encoding is wrong, and why. Nothing is known of the bytes behind it, up to the
// end of the message that has it.
type Fault struct {
	Offset int    `json:"offset"` // offset from the start of the outermost message
	Path   string `json:"path,omitempty"`
	Reason string `json:"reason"`
}

// Node is one field, or one number of a packed list. All offsets are bytes from the start of the
// outermost message: the tag is at [Tag, Length), the length at [Length, Value), the value at
// [Value, End), and the end tag of a group at [End, Next). A part that there is not is empty.
type Node struct {
	Tag    int `json:"tag"`
	Length int `json:"length"`
	Value  int `json:"value"`
	End    int `json:"end"`
	Next   int `json:"next"`

	Number uint32 `json:"number,omitempty"` // 0 for a number of a packed list
	Wire   string `json:"wire"`             // varint, fixed64, bytes, group, fixed32
	Name   string `json:"name,omitempty"`   // name of the field; "" when it is unknown
	Kind   string `json:"kind,omitempty"`   // kind of the field: int32, string, message, ...
	Type   string `json:"type,omitempty"`   // full name of its message or enum
	Text   string `json:"text,omitempty"`   // the value in words, strings and bytes in quotes
	// Note is what is uncommon: why a field with a known number is an unknown one, for example.
	Note string `json:"note,omitempty"`
	// Guess tells that the bytes could also be something else than the message that is shown.
	Guess    bool   `json:"guess,omitempty"`
	Cut      bool   `json:"cut,omitempty"` // what is inside was not looked at
	Fault    *Fault `json:"fault,omitempty"`
	Children []Node `json:"children,omitempty"`
}

// Of returns the anatomy of b, a message of type t, or of one that is not known when t is nil. It
// keeps nothing of b.
func Of(b []byte, t *dynamic.Type, o Options) *Tree {
	w := walker{b: b, left: o.MaxNodes, text: o.MaxText}
	depth := o.MaxDepth
	if w.left <= 0 {
		w.left = defaultNodes
	}
	if depth <= 0 {
		depth = defaultDepth
	}
	if w.text <= 0 {
		w.text = defaultText
	}
	tree := &Tree{Size: len(b), Nodes: []Node{}}
	if t != nil {
		tree.Type = t.Name
	}
	nodes, _, fault := w.message(level{end: len(b), t: t, depth: min(depth, mostDepth)}, 0)
	tree.Nodes = append(tree.Nodes, nodes...)
	tree.Cut = w.cut
	tree.Fault = first(fault, w.fault)
	switch {
	case t != nil:
		if err := verdict(b, t); err != nil {
			tree.Error = err.Error()
		}
	case tree.Fault != nil:
		tree.Error = tree.Fault.Reason
	}
	return tree
}

func verdict(b []byte, t *dynamic.Type) error {
	if err := t.Check(b); err != nil {
		return err
	}
	r := dynamic.NewReader(t)
	if err := r.Unmarshal(b); err != nil {
		return err
	}
	return r.CheckEncoding()
}

// first returns the fault that comes first in the bytes.
func first(x, y *Fault) *Fault {
	if x == nil || y != nil && y.Offset < x.Offset {
		return y
	}
	return x
}
