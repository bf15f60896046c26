// Package anatomy takes an encoded message apart for people to look at: a tree of
// fields, each with the range of its bytes, with or without a schema. What is
// wrong with the bytes is said at its place; all before it is in the tree.
package anatomy

import (
	"fmt"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/octopus-framework/octopus/gremlin/dynamic"
)

// Limits of a tree.
const (
	MaxNodes = 4000 // fields that are listed
	MaxDepth = 100  // of nested messages
	maxGuess = 12   // levels of what could be messages
	maxText  = 200  // bytes of a value that are shown
)

// Node is a field of a message with its bytes: the tag from Start to Tag, the
// length, if there is one, from there to Value, the value from there to End.
// Offsets are those in the record.
type Node struct {
	Start  int    `json:"start"`
	Tag    int    `json:"tag"`
	Value  int    `json:"value"`
	End    int    `json:"end"`
	Number uint32 `json:"number"`
	Wire   string `json:"wire"`           // varint, fixed64, bytes, group, fixed32
	Name   string `json:"name,omitempty"` // by the schema; empty if it has no such field
	Type   string `json:"type,omitempty"` // by the schema
	Text   string `json:"text"`           // the value, as far as it is shown
	Note   string `json:"note,omitempty"` // what is odd about it
	// Guess says that without a schema the bytes could be a message, too.
	Guess  bool   `json:"guess,omitempty"`
	Fields []Node `json:"fields,omitempty"`
}

// Tree is what became of a record.
type Tree struct {
	Fields []Node `json:"fields"`
	// Left says that there are more fields than are listed.
	Left bool `json:"left,omitempty"`
	// Error is what is wrong with the bytes, nil if they are a message.
	Error *Error `json:"error,omitempty"`
}

// Error is what is wrong with a message, and where.
type Error struct {
	Offset int    `json:"offset"` // in the record, in bytes
	Path   string `json:"path"`   // numbers or names of the fields that it is in
	Reason string `json:"reason"`
}

// Error implements error.
func (e *Error) Error() string {
	if e.Path == "" {
		return fmt.Sprintf("byte %d: %s", e.Offset, e.Reason)
	}
	return fmt.Sprintf("byte %d, in %s: %s", e.Offset, e.Path, e.Reason)
}

// Of takes a record apart. A nil type is a record of which nothing is known. The
// tree keeps nothing of b.
func Of(b []byte, t *dynamic.Type) Tree {
	w := walker{bytes: b, left: MaxNodes}
	tree := Tree{Fields: []Node{}}
	fields, _, err := w.message(0, len(b), t, 0, 0)
	tree.Fields = append(tree.Fields, fields...)
	tree.Left, tree.Error = w.left <= 0, err
	return tree
}

// walker goes through one record.
type walker struct {
	bytes []byte
	left  int // fields that may still be listed
}

// message lists the fields from at to end, or up to the end of a group. It returns
// where it stopped.
func (w *walker) message(
	at, end int, t *dynamic.Type, group uint32, depth int,
) ([]Node, int, *Error) {
	var list []Node
	if depth > MaxDepth {
		return nil, end, &Error{at, "", "messages are nested too deep"}
	}
	for at < end {
		number, wire, n := protowire.ConsumeTag(w.bytes[at:end])
		if n < 0 {
			return list, at, &Error{at, "", tagError(w.bytes[at:end], n)}
		}
		if wire == protowire.EndGroupType {
			if group != uint32(number) {
				return list, at, &Error{at, "", fmt.Sprintf(
					"the end of a group %d that did not begin", number)}
			}
			return list, at + n, nil
		}
		node := Node{Start: at, Tag: at + n, Value: at + n, Number: uint32(number)}
		var field *dynamic.Field
		if t != nil {
			if field = t.Field(node.Number); field == nil {
				field = t.Extension(node.Number)
			}
		}
		err := w.value(&node, wire, end, field, depth)
		if field != nil {
			node.Name, node.Type = field.Name, typeName(field)
		} else if t != nil {
			node.Note = join(node.Note, "the schema has no such field")
		}
		if w.left > 0 {
			w.left--
			list = append(list, node)
		}
		if err != nil {
			name := node.Name
			if name == "" {
				name = strconv.Itoa(int(node.Number))
			}
			if err.Path != "" {
				name += "." + err.Path
			}
			err.Path = name
			return list, at, err
		}
		at = node.End
	}
	if group != 0 {
		return list, at, &Error{at, "", fmt.Sprintf("the group %d does not end", group)}
	}
	return list, at, nil
}

func tagError(b []byte, n int) string {
	_, size := protowire.ConsumeVarint(b)
	switch {
	case size < 0:
		return "a tag is cut off or too long"
	case protowire.ParseError(n).Error() == "proto: invalid field number":
		return "a field number that is out of range"
	}
	return "there is no such wire type"
}

// value reads what lies behind a tag.
func (w *walker) value(
	node *Node, wire protowire.Type, end int, field *dynamic.Field, depth int,
) *Error {
	b := w.bytes[node.Tag:end]
	node.End = end
	switch wire {
	case protowire.VarintType:
		v, n := protowire.ConsumeVarint(b)
		node.Wire = "varint"
		if n < 0 {
			return &Error{node.Tag, "", "a varint is cut off or longer than 10 bytes"}
		}
		node.End = node.Tag + n
		node.Text = varintText(v, field)
	case protowire.Fixed64Type, protowire.Fixed32Type:
		size := 4
		node.Wire = "fixed32"
		if wire == protowire.Fixed64Type {
			size, node.Wire = 8, "fixed64"
		}
		if len(b) < size {
			return &Error{node.Tag, "", fmt.Sprintf("%d bytes are left of %d", len(b), size)}
		}
		node.End = node.Tag + size
		node.Text = fixedText(b[:size], field)
	case protowire.BytesType:
		node.Wire = "bytes"
		length, n := protowire.ConsumeVarint(b)
		if n < 0 {
			return &Error{node.Tag, "", "a length is cut off or longer than 10 bytes"}
		}
		node.Value = node.Tag + n
		if length > uint64(len(b)-n) {
			return &Error{node.Tag, "", fmt.Sprintf("a length of %d, and %d bytes are left", length,
				len(b)-n)}
		}
		node.End = node.Value + int(length)
		return w.bytesValue(node, field, depth)
	case protowire.StartGroupType:
		node.Wire = "group"
		fields, at, err := w.message(node.Tag, end, messageOf(field), node.Number, depth+1)
		node.Fields, node.End = fields, at
		node.Text = "group"
		return err
	}
	return matches(node, wire, field)
}

// matches notes a wire type that the schema does not have for the field: the value
// is then an unknown field.
func matches(node *Node, wire protowire.Type, field *dynamic.Field) *Error {
	if field != nil && wireOf(field) != wire {
		node.Note = fmt.Sprintf("the schema has %s here, so this is an unknown field",
			typeName(field))
	}
	return nil
}

// messageOf is the type of the message in a field, nil if there is none.
func messageOf(field *dynamic.Field) *dynamic.Type {
	if field == nil {
		return nil
	}
	return field.Message
}

func join(a, b string) string {
	if a == "" {
		return b
	}
	return a + "; " + b
}
