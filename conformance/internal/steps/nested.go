package main

import (
	"bytes"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/octopus-framework/octopus/conformance/internal/gen/ed"
	"github.com/octopus-framework/octopus/conformance/internal/gen/p3"
	"github.com/octopus-framework/octopus/gremlin"
	"github.com/octopus-framework/octopus/gremlin/json"
)

// The same bytes lie below few levels of messages and below many.
const (
	few   = 100
	many  = 4000
	label = 256 << 10

	// giveUp is so many levels that a Reader has opened the 16 MiB for which it decodes a Message
	// instead.
	giveUp = 400
)

// nested is encoding and decoding below levels of messages of several kinds.
func nested() (all []work) {
	kinds := []struct {
		name   string
		levels int // levels of messages that wrap makes
		wrap   func(*p3.Tree) *p3.Tree
	}{
		{"messages", 1, func(x *p3.Tree) *p3.Tree { return &p3.Tree{Left: x} }},
		{"lists", 1, func(x *p3.Tree) *p3.Tree { return &p3.Tree{Children: []p3.Tree{*x}} }},
		{"maps", 2, func(x *p3.Tree) *p3.Tree {
			return &p3.Tree{Named: map[string]p3.Tree{"k": *x}}
		}},
		{"oneofs", 1, func(x *p3.Tree) *p3.Tree { return &p3.Tree{Either: &p3.Tree_A{A: x}} }},
	}
	type operation struct {
		name string
		do   func(m *p3.Tree, b []byte) error
	}
	buf := make([]byte, 0, 4*label)
	operations := []operation{
		{"Marshal", func(m *p3.Tree, _ []byte) error { m.Marshal(); return nil }},
		{"MarshalAppend", func(m *p3.Tree, _ []byte) error { m.MarshalAppend(buf); return nil }},
		{"MarshalStable", func(m *p3.Tree, _ []byte) error {
			gremlin.MarshalStable(buf, m)
			return nil
		}},
		{"Unmarshal", func(_ *p3.Tree, b []byte) error { return new(p3.Tree).Unmarshal(b) }},
		{"UnmarshalWithin", func(_ *p3.Tree, b []byte) error {
			return gremlin.UnmarshalWithin(b, new(p3.Tree), 1<<30)
		}},
		{"CheckEncoding", func(_ *p3.Tree, b []byte) error {
			var r p3.TreeReader
			if err := r.Unmarshal(b); err != nil {
				return err
			}
			return r.CheckEncoding()
		}},
	}
	for _, k := range kinds {
		for _, o := range operations {
			prepare := func(levels int) (func() error, error) {
				m := &p3.Tree{Label: strings.Repeat("a", label)}
				for range levels / k.levels {
					m = k.wrap(m)
				}
				b := m.Marshal()
				return func() error { return o.do(m, b) }, nil
			}
			all = append(all, work{"nested/" + k.name + "/" + o.name, [2]int{few, many}, prepare})
		}
	}
	return all
}

// opened is writing Readers as JSON whose messages cost all their bytes to open: groups, whose ends
// are looked for, and messages that came in pieces, which are put together.
func opened() []work {
	field := func(number protowire.Number, size int) []byte {
		return protowire.AppendVarint(protowire.AppendTag(nil, number, protowire.BytesType),
			uint64(size))
	}
	pieces := func(levels int) (func() error, error) {
		heads := [][]byte{append(field(1, label), strings.Repeat("a", label)...)}
		for size := len(heads[0]); len(heads) <= levels; {
			head := append(field(2, 0), field(2, size)...) // an empty piece before the other
			heads, size = append(heads, head), size+len(head)
		}
		slices.Reverse(heads)
		return appendJSON(new(p3.TreeReader), slices.Concat(heads...))
	}
	groups := func(levels int) (func() error, error) {
		start := protowire.AppendTag(nil, 3, protowire.StartGroupType)
		end := protowire.AppendTag(nil, 3, protowire.EndGroupType)
		b := bytes.Repeat(start, levels)
		b = append(b, bytes.Repeat([]byte{0x7d, 1, 2, 3, 4}, label/5)...)
		return appendJSON(new(ed.InnerReader), append(b, bytes.Repeat(end, levels)...))
	}
	return []work{
		{"opened/pieces", [2]int{giveUp, many}, pieces},
		{"opened/groups", [2]int{giveUp, many}, groups},
	}
}

// reader is a Reader with JSON.
type reader interface {
	Unmarshal([]byte) error
	AppendJSON([]byte, json.Options) ([]byte, error)
}

func appendJSON(r reader, b []byte) (func() error, error) {
	err := r.Unmarshal(b)
	return func() error {
		_, err := r.AppendJSON(nil, json.Options{})
		return err
	}, err
}
