package rt_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/octopus-framework/octopus/gremlin/descriptor"
	"github.com/octopus-framework/octopus/gremlin/rt"
	"github.com/octopus-framework/octopus/gremlin/wkt"
)

// nest wraps v into depth lists, with a string of pad bytes before and behind it at each level.
func nest(v *wkt.Value, depth int, pad string) *wkt.Value {
	for range depth {
		l := &wkt.ListValue{}
		if pad != "" {
			l.Values = append(l.Values, wkt.Value{Kind: &wkt.Value_StringValue{StringValue: pad}})
		}
		l.Values = append(l.Values, *v)
		if pad != "" {
			l.Values = append(l.Values, wkt.Value{Kind: &wkt.Value_StringValue{StringValue: pad}})
		}
		v = &wkt.Value{Kind: &wkt.Value_ListValue{ListValue: l}}
	}
	return v
}

func text(n int) *wkt.Value {
	return &wkt.Value{Kind: &wkt.Value_StringValue{StringValue: strings.Repeat("x", n)}}
}

// nestTypes is nest for a type whose messages are taken to be long: two bytes are kept for the
// length.
func nestTypes(size, depth int, pad string) *descriptor.DescriptorProto {
	name := strings.Repeat("x", size)
	m := &descriptor.DescriptorProto{Name: &name}
	for range depth {
		outer := &descriptor.DescriptorProto{NestedType: []descriptor.DescriptorProto{*m}}
		if pad != "" {
			outer.Name, outer.ReservedName = &pad, []string{pad}
		}
		m = outer
	}
	return m
}

// TestLateLengths writes messages whose lengths have one to four bytes, moved at once or left for
// the end, one in the other and one beside the other, of types for whose lengths one byte is kept
// and two.
func TestLateLengths(t *testing.T) {
	for _, size := range []int{0, 100, 120, 125, 128, 4000, 4090, 4096, 5000, 16380, 16384, 1 << 17,
		1<<21 - 20, 1 << 21} {
		for _, depth := range []int{0, 1, 2, 3, 10} {
			for _, pad := range []int{0, 1, 127, 5000} {
				if size*depth > 1<<22 {
					continue
				}
				padding := strings.Repeat("p", pad)
				v := nest(text(size), depth, padding)
				list, backList := &wkt.ListValue{Values: []wkt.Value{*v, *text(7), *v}},
					new(wkt.ListValue)
				m := nestTypes(size, depth, padding)
				file :=
					&descriptor.FileDescriptorProto{MessageType: []descriptor.DescriptorProto{*m,
						{}, *m}}
				backFile := new(descriptor.FileDescriptorProto)
				for _, c := range []struct {
					m, back rt.Message
					equal   func() bool
				}{
					{list, backList, func() bool { return backList.Equal(list) }},
					{file, backFile, func() bool { return backFile.Equal(file) }},
				} {
					if err := written(c.m, c.back, c.equal); err != nil {
						t.Fatalf("%T, size %d, depth %d, pad %d: %v", c.m, size, depth, pad, err)
					}
				}
			}
		}
	}
}

// written tells what is wrong with the encoding of m, behind a prefix and in a slice of exactly its
// size.
func written(m, back rt.Message, equal func() bool) error {
	b := m.MarshalAppend([]byte("prefix"))
	if string(b[:6]) != "prefix" || len(b)-6 != m.Size() {
		return fmt.Errorf("%d bytes, Size says %d", len(b)-6, m.Size())
	}
	exact := make([]byte, 0, m.Size())
	if got := m.MarshalAppend(exact); string(got) != string(b[6:]) || cap(got) != cap(exact) {
		return fmt.Errorf("room for %d bytes became room for %d", cap(exact), cap(got))
	}
	if err := back.Unmarshal(b[6:]); err != nil {
		return err
	}
	if !equal() {
		return errors.New("another message came back")
	}
	return nil
}

// TestMarshalFlat compares Marshal of a message without structure, whose buffer is not cleared from
// some size on, with MarshalAppend.
func TestMarshalFlat(t *testing.T) {
	for _, size := range []int{0, 1, 2000, 2043, 2044, 2045, 2046, 5000, 1 << 20} {
		m := &wkt.BytesValue{Value: []byte(text(size).GetStringValue())}
		got, want := m.Marshal(), m.MarshalAppend(nil)
		if string(got) != string(want) || cap(got) != len(got) {
			t.Errorf("%d bytes: %d bytes with room for %d, want %d", size, len(got), cap(got),
				len(want))
		}
	}
}

// TestMarshalNested compares Marshal of messages with structure, which are large by turns and in a
// row, with MarshalAppend.
func TestMarshalNested(t *testing.T) {
	for i, size := range []int{10, 3 << 20, 10, 3 << 20, 4 << 20, 2 << 20, 1 << 19, 0, 1 << 20} {
		m := nest(text(size), 3, "pad")
		got, want := m.Marshal(), m.MarshalAppend(nil)
		if string(got) != string(want) {
			t.Errorf("message %d: %d bytes, want %d, or other ones", i, len(got), len(want))
		}
		if spare := cap(got) - len(got); spare > len(got)/2 {
			t.Errorf("message %d has %d bytes and room for %d more", i, len(got), spare)
		}
	}
	large := nest(text(3<<20), 3, "pad")
	room := make([]byte, 0, 2*large.Size())
	writing := testing.AllocsPerRun(20, func() { large.MarshalAppend(room) })
	// One more, two for scratch that the pool has lost, thirty for bytes that grow. A mean would
	// have the latter by chance: under the race detector the pool loses a fourth of what it gets.
	least := testing.AllocsPerRun(1, func() { large.Marshal() })
	for range 20 {
		least = min(least, testing.AllocsPerRun(1, func() { large.Marshal() }))
	}
	if least > writing+3 {
		t.Errorf("a large message is marshalled in %v allocations, appended in %v", least, writing)
	}
}
