package kit_test

import (
	"encoding/json"
	"testing"

	"github.com/octopus-framework/octopus/lab/jsonlab"
	"github.com/octopus-framework/octopus/lab/jsonlab/impl/standard"
	"github.com/octopus-framework/octopus/lab/jsonlab/internal/plain"
	"github.com/octopus-framework/octopus/lab/jsonlab/kit"
	"github.com/octopus-framework/octopus/lab/worker"
)

// The comparison must see what an implementation gets wrong, whichever direction it is.
func TestWrongIsSeen(t *testing.T) {
	w := jsonlab.Workloads()[4]
	if w.Type != "Ints5" {
		t.Fatal(w.Type)
	}
	shows := func(op worker.Op) bool {
		var p worker.Probe
		op(worker.Input{Data: w.Data})(1, &p)
		return string(p.Out[0]) == string(jsonlab.Reference(w.Type, w.Data[0]))
	}
	for name, spoil := range map[string]func(c *kit.Codec[plain.Ints5]){
		"": func(*kit.Codec[plain.Ints5]) {},
		kit.Encode: func(c *kit.Codec[plain.Ints5]) {
			c.Encode = func(m *plain.Ints5) []byte { m.B++; return kit.Must(json.Marshal(m)) }
		},
		kit.Append: func(c *kit.Codec[plain.Ints5]) {
			c.Append = func(buf []byte, _ *plain.Ints5) []byte { return append(buf, "{}"...) }
		},
		kit.Decode: func(c *kit.Codec[plain.Ints5]) {
			c.Decode = func(text []byte, m *plain.Ints5) { kit.Must(0, json.Unmarshal(text, m)); m.E = 0 }
		},
	} {
		all := kit.Loops("Ints5", func() kit.Codec[plain.Ints5] { c := standard.Codec[plain.Ints5](); spoil(&c); return c })
		if len(all) != 3 {
			t.Errorf("%d operations", len(all))
		}
		for op, do := range all {
			// What decodes wrongly cannot encode the workload either.
			if want := op != name && name != kit.Decode; shows(do) != want && !(name == kit.Encode && op == kit.Decode) {
				t.Errorf("%q spoilt: %s is right: %v", name, op, !want)
			}
		}
	}
}
