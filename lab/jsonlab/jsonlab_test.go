package jsonlab

import (
	"testing"

	"github.com/octopus-framework/octopus/lab/worker"
)

// Every implementation must do every operation on every workload right, twice in a row, as it will be timed.
func TestImplementationsAgree(t *testing.T) {
	if !SonicCompiles() {
		t.Log("sonic is encoding/json on this machine")
	}
	done := map[string]int{}
	for _, w := range Workloads() {
		want, err := Reference(w.Type, w.Data[0])
		if err != nil {
			t.Fatal(err)
		}
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
		if done[m[0]] < 3*17 && m[0] != "jsoniter-fastest" {
			t.Errorf("%s did only %d operations", m[0], done[m[0]])
		}
	}
}
