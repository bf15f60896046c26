//go:build !purego && !race

package rules_test

import (
	"testing"

	"github.com/octopus-framework/octopus/conformance/rules/every"
)

// TestReadersDoNotAllocate validates a Reader without maps and lists whose values must differ.
// Without package unsafe each string that is looked at is a copy.
func TestReadersDoNotAllocate(t *testing.T) {
	m := valid()
	m.Times, m.Maps = nil, nil
	m.Lists.Unique, m.Lists.UniqueBytes, m.Lists.Mask, m.Lists.Same = nil, nil, nil, nil
	var r every.EveryReader
	if err := r.Unmarshal(m.Marshal()); err != nil {
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(50, func() {
		if err := r.Validate(); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
