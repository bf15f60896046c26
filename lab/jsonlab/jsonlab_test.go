package jsonlab

import (
	"cmp"
	"encoding/json"
	"testing"

	"github.com/octopus-framework/octopus/lab/jsonlab/internal/plain"
	"github.com/octopus-framework/octopus/lab/worker"
)

// Every implementation must do every operation on every workload right, twice in a row, as it will be timed.
func TestImplementationsAgree(t *testing.T) {
	if !SonicCompiles() {
		t.Log("sonic is encoding/json on this machine")
	}
	done := map[string]int{}
	for _, w := range Workloads() {
		want := Reference(w.Type, w.Data[0])
		for _, impl := range Impls() {
			for name, op := range impl.Types[w.Type] {
				var p worker.Probe
				func() {
					defer func() {
						if err := recover(); err != nil {
							t.Errorf("%s, %s, %s: %v", w.Name, name, impl.Name, err)
						}
					}()
					if n := op(worker.Input{Data: w.Data})(3, &p); n != 3 {
						t.Errorf("%s, %s, %s: did %d of 3", w.Name, name, impl.Name, n)
					}
				}()
				for _, got := range p.Out {
					if string(got) != string(want) {
						t.Errorf("%s, %s, %s:\ngot  %s\nwant %s", w.Name, name, impl.Name, got, want)
						break
					}
				}
				done[impl.Name]++
			}
		}
	}
	for _, m := range modules {
		if least := map[string]int{"jsoniter-fastest": 30, "gremlin-six-digits": 3, "gremlin-reader": 2 * 18, "gremlin-two-steps": 18}[m[0]]; done[m[0]] < cmp.Or(least, 3*17) {
			t.Errorf("%s did only %d operations", m[0], done[m[0]])
		}
	}
}

// The comparison must see what an implementation gets wrong, whichever direction it is.
func TestWrongIsSeen(t *testing.T) {
	w := Workloads()[4]
	if w.Type != "Ints5" {
		t.Fatal(w.Type)
	}
	f := types[2].forms
	good := encodingJSON[plain.Ints5]
	shows := func(op worker.Op) bool {
		var p worker.Probe
		op(worker.Input{Data: w.Data})(1, &p)
		return string(p.Out[0]) == string(Reference(w.Type, w.Data[0]))
	}
	for name, spoil := range map[string]func(c *codec[plain.Ints5]){
		"": func(*codec[plain.Ints5]) {},
		Encode: func(c *codec[plain.Ints5]) {
			c.encode = func(m *plain.Ints5) []byte { m.B++; return must(json.Marshal(m)) }
		},
		Append: func(c *codec[plain.Ints5]) {
			c.append = func(buf []byte, _ *plain.Ints5) []byte { return append(buf, "{}"...) }
		},
		Decode: func(c *codec[plain.Ints5]) {
			c.decode = func(text []byte, m *plain.Ints5) { must(0, json.Unmarshal(text, m)); m.E = 0 }
		},
	} {
		all := ops(f, func() codec[plain.Ints5] { c := good(); spoil(&c); return c })
		for op, do := range all {
			// What decodes wrongly cannot encode the workload either.
			if want := op != name && name != Decode; shows(do) != want && !(name == Encode && op == Decode) {
				t.Errorf("%q spoilt: %s is right: %v", name, op, !want)
			}
		}
	}
}
