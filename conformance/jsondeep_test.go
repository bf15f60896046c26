package conformance

import (
	"bytes"
	"slices"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/octopus-framework/octopus/conformance/internal/gen/ed"
	"github.com/octopus-framework/octopus/conformance/internal/gen/p3"
	"github.com/octopus-framework/octopus/gremlin/json"
)

// TestDeepReaderJSON writes a Reader whose messages are groups or came in pieces, so deep that it
// gives up and decodes a Message, and compares with that. How many steps it takes is counted by
// TestStepsAreLinear.
func TestDeepReaderJSON(t *testing.T) {
	const levels = 4000
	field := func(number protowire.Number, size int) []byte {
		return protowire.AppendVarint(protowire.AppendTag(nil, number, protowire.BytesType),
			uint64(size))
	}
	label := bytes.Repeat([]byte("a"), 1<<20)
	heads := [][]byte{append(field(1, len(label)), label...)}
	for size := len(heads[0]); len(heads) <= levels; {
		head := append(field(2, 0), field(2, size)...) // an empty piece before the other
		heads, size = append(heads, head), size+len(head)
	}
	slices.Reverse(heads)
	pieces := slices.Concat(heads...)
	start, end := protowire.AppendTag(nil, 3, protowire.StartGroupType),
		protowire.AppendTag(nil, 3, protowire.EndGroupType)
	groups := append(bytes.Repeat(start, levels), bytes.Repeat([]byte{0x7d, 1, 2, 3, 4}, 1<<18)...)
	groups = append(groups, bytes.Repeat(end, levels)...)
	for what, c := range map[string]struct {
		b []byte
		r interface {
			Unmarshal([]byte) error
			AppendJSON([]byte, json.Options) ([]byte, error)
		}
		m json.Message
	}{
		"pieces": {pieces, new(p3.TreeReader), new(p3.Tree)},
		"groups": {groups, new(ed.InnerReader), new(ed.Inner)},
	} {
		if err := c.r.Unmarshal(c.b); err != nil {
			t.Fatal(err)
		}
		got, err := c.r.AppendJSON([]byte("x"), json.Options{})
		if err != nil {
			t.Fatal(what, err)
		}
		if err := c.m.Unmarshal(c.b); err != nil {
			t.Fatal(err)
		}
		want, err := json.Append([]byte("x"), c.m, json.Options{})
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: Reader and Message are not written alike: %v", what, err)
		}
	}
}
