package main

import (
	"cmp"
	"testing"

	"github.com/octopus-framework/octopus/lab/internal/bench"
	"github.com/octopus-framework/octopus/lab/jsonlab"
)

// TestPeersOfJSONAgree checks every implementation on every workload with every operation.
func TestPeersOfJSONAgree(t *testing.T) {
	workloads := jsonlab.Workloads()
	l, err := bench.Of(jsonWorkers, jsonOrder, workloads)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if len(l.Impls) != len(jsonOrder) {
		t.Errorf("%d implementations, but %d have a place in reports", len(l.Impls), len(jsonOrder))
	}
	least := map[string]int{"jsoniter-fastest": 30, "gremlin-six-digits": 3, "gremlin-reader": 2 * 18, "gremlin-two-steps": 18}
	for _, i := range l.Impls {
		p, err := l.Start(i)
		if err != nil {
			t.Fatal(err)
		}
		done := 0
		for _, w := range workloads {
			for _, op := range i.Types[w.Type] {
				difference, err := checkJSON(p, w, nil, i.Name, op)
				if err != nil {
					t.Fatal(err)
				}
				if difference != "" {
					t.Errorf("%s, %s, %s: %s", w.Name, op, i.Name, difference)
				}
				done++
			}
		}
		if done < cmp.Or(least[i.Name], 3*17) {
			t.Errorf("%s did only %d operations", i.Name, done)
		}
		if err := p.Close(); err != nil {
			t.Errorf("%s: %v", i.Name, err)
		}
	}
}

func TestDiffering(t *testing.T) {
	got := differing(`{"a":1,"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbb":2}`, `{"a":1,"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbb":3,"c":4}`)
	if want := `got ...bbbbbbbbbbbbbbbbbb":2}..., want ...bbbbbbbbbbbbbbbbbb":3,"c":4}...`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := differing("", "{}"); got != "got ......, want ...{}..." {
		t.Error(got)
	}
}
