//go:build !purego && !race

package json_test

import (
	"testing"

	"github.com/octopus-framework/octopus/gremlin/json"
	"github.com/octopus-framework/octopus/gremlin/wkt"
)

// TestAllocations counts what reading and writing allocate besides what the message keeps.
func TestAllocations(t *testing.T) {
	m := &wkt.Type{Name: "a name", Oneofs: []string{"x"}, Edition: "2023", Syntax: 2}
	buf := make([]byte, 0, 1000)
	text, _ := m.MarshalJSON()
	var r wkt.TypeReader
	_ = r.Unmarshal(m.Marshal())
	for name, c := range map[string]struct {
		want float64
		f    func()
	}{
		"MarshalJSON":       {1, func() { _, _ = m.MarshalJSON() }},
		"AppendJSON":        {0, func() { buf, _ = m.AppendJSON(buf[:0], json.Options{}) }},
		"Reader.AppendJSON": {0, func() { buf, _ = r.AppendJSON(buf[:0], json.Options{}) }},
		"UnmarshalJSON":     {2, func() { _ = m.UnmarshalJSON(text) }}, // a chunk of strings, a list
		"JSONToWire":        {0, func() { buf, _ = wkt.Type_JSONToWire(buf[:0], text, json.Options{}) }},
	} {
		if got := testing.AllocsPerRun(200, c.f); got > c.want {
			t.Errorf("%s allocates %v times, want %v", name, got, c.want)
		}
	}
}
