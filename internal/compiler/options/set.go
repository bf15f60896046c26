package options

import (
	"google.golang.org/protobuf/encoding/protowire"
)

// node is a field that is set in the options of a declaration, or in a message of theirs.
type node struct {
	// whole holds the elements of the field that were set as a whole, without tags. It is nil once
	// they were taken apart into in.
	whole [][]byte
	in    map[int32]*node // fields of the message that is set, by their numbers
	// elements counts what statements set.
	elements int32
	checked  bool // required fields were checked
}

// at returns the node of a field of a message, a new one if need be.
func (n *node) at(number int32) *node {
	of := n.in[number]
	if of == nil {
		if n.in == nil {
			n.in = map[int32]*node{}
		}
		of = &node{}
		n.in[number] = of
	}
	return of
}

// open takes apart what was set as a whole, each byte once for each step of the longest name of an
// option.
func (n *node) open() {
	whole := n.whole
	n.whole = nil
	for _, encoded := range whole {
		for len(encoded) > 0 {
			number, typ, tag := protowire.ConsumeTag(encoded)
			size := protowire.ConsumeFieldValue(number, typ, encoded[max(tag, 0):])
			if tag < 0 || size < 0 {
				return // not written by us
			}
			value := encoded[tag : tag+size]
			encoded = encoded[tag+size:]
			switch typ {
			case protowire.BytesType:
				value, _ = protowire.ConsumeBytes(value)
			case protowire.StartGroupType:
				value, _ = protowire.ConsumeGroup(number, value)
			default:
				value = nil
			}
			child := n.at(int32(number))
			child.whole = append(child.whole, value)
		}
	}
}

// items makes fields of the items of a message set, whose numbers are in them.
func (n *node) items() {
	n.open()
	items := n.in[itemNumber]
	if items == nil {
		return
	}
	delete(n.in, itemNumber)
	for _, item := range items.whole {
		var number uint64
		var content []byte
		for len(item) > 0 {
			field, typ, tag := protowire.ConsumeTag(item)
			value := item[max(tag, 0):]
			size := protowire.ConsumeFieldValue(field, typ, value)
			if tag < 0 || size < 0 {
				return // not written by us
			}
			switch field {
			case itemTypeID:
				number, _ = protowire.ConsumeVarint(value)
			case itemContent:
				content, _ = protowire.ConsumeBytes(value)
			}
			item = value[size:]
		}
		child := n.at(int32(number))
		child.whole = append(child.whole, content)
	}
}

// find returns what is set at the end of a path, nil if nothing is.
func (n *node) find(path []*field) *node {
	for _, f := range path {
		if n.open(); n.in[f.wireNumber()] == nil {
			return nil
		}
		n = n.in[f.wireNumber()]
	}
	return n
}

// wireNumber is the number that an element of a field gets in an encoding, see appendTag.
func (f *field) wireNumber() int32 { return int32(uint32(f.number) << 3 >> 3) }

// put notes an element of the field at the end of a path, which is content if it is a message, and
// returns how many there were before.
func (n *node) put(path []*field, content []byte) (index int32) {
	for _, f := range path {
		n.open()
		n = n.at(f.wireNumber())
	}
	n.whole = append(n.whole, content)
	n.elements++
	return n.elements - 1
}
