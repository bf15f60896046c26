//go:build !purego && !race && (amd64 || arm64 || 386 || ppc64le || wasm)

package rt_test

import (
	"strconv"
	"strings"
	"testing"

	jsonrt "github.com/octopus-framework/octopus/gremlin/json/rt"
	"github.com/octopus-framework/octopus/gremlin/rt"
	"github.com/octopus-framework/octopus/gremlin/wkt"
)

// TestAllocations counts what reading and writing allocate besides what the message keeps. Where
// there is no unsafe code, on big-endian machines too, reading also copies the text, once for each
// level of Any.
func TestAllocations(t *testing.T) {
	m := &wkt.Type{Name: "a name", Oneofs: []string{"x"}, Edition: "2023", Syntax: 2}
	buf := make([]byte, 0, 1000)
	text, _ := m.MarshalJSON()
	var r wkt.TypeReader
	_ = r.Unmarshal(m.Marshal())
	object := []byte(`{"b":1,"a":[true,"\n",{"x":null,"long":"` + strings.Repeat("é", 200) +
		`"}],"\t":{}}`)
	mask, bytes := []byte(`"aB,cD.eF"`), []byte(`"AAECAwQ="`)
	nested := []byte(
		`{"@type":"x/google.protobuf.Any","value":{"@type":"x/google.protobuf.\u0053truct","value":{"a":1}}}`)
	long := &wkt.Struct{Fields: map[string]wkt.Value{}} // its text is 300 KB
	for i := range 5000 {
		long.Fields[strconv.Itoa(
			i)] = wkt.Value{Kind: &wkt.Value_StringValue{StringValue: strings.Repeat("x", 50)}}
	}
	known := jsonrt.Options{Types: &rt.Types{Messages: []rt.Type{(*wkt.Any)(nil),
		(*wkt.Struct)(nil)}}}
	for name, c := range map[string]struct {
		want float64
		f    func()
	}{
		"MarshalJSON":       {1, func() { _, _ = m.MarshalJSON() }},
		"... of a long map": {1, func() { _, _ = long.MarshalJSON() }},
		"... with indent": {1, func() {
			_, _ = jsonrt.Marshal(long, jsonrt.Options{Indent: "  "})
		}},
		"AppendJSON":        {0, func() { buf, _ = m.AppendJSON(buf[:0], jsonrt.Options{}) }},
		"Reader.AppendJSON": {0, func() { buf, _ = r.AppendJSON(buf[:0], jsonrt.Options{}) }},
		// a chunk of strings, a list
		"UnmarshalJSON": {2, func() { _ = m.UnmarshalJSON(text) }},
		"JSONToWire": {0, func() {
			buf, _ = wkt.Type_JSONToWire(buf[:0], text, jsonrt.Options{})
		}},
		"... of maps": {0, func() {
			buf, _ = wkt.Struct_JSONToWire(buf[:0], object, jsonrt.Options{})
		}},
		"... of paths": {0, func() {
			buf, _ = wkt.FieldMask_JSONToWire(buf[:0], mask, jsonrt.Options{})
		}},
		"... of Anys": {0, func() { buf, _ = wkt.Any_JSONToWire(buf[:0], nested, known) }},
		"... of bytes": {0, func() {
			buf, _ = wkt.BytesValue_JSONToWire(buf[:0], bytes, jsonrt.Options{})
		}},
	} {
		if got := testing.AllocsPerRun(200, c.f); got > c.want {
			t.Errorf("%s allocates %v times, want %v", name, got, c.want)
		}
	}
}
