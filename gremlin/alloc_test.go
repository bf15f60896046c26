//go:build !purego && (amd64 || arm64)

package gremlin_test

import (
	"testing"

	"github.com/octopus-framework/octopus/gremlin/wkt"
)

// TestReadingDoesNotAllocate covers index, scalars, a nested message and a list of messages.
func TestReadingDoesNotAllocate(t *testing.T) {
	b := newAPI().Marshal()
	var r wkt.ApiReader
	sum := 0
	if n := testing.AllocsPerRun(100, func() {
		if err := r.Unmarshal(b); err != nil {
			t.Fatal(err)
		}
		sum += readAPI(&r)
	}); n != 0 {
		t.Errorf("%v allocations to read a message", n)
	}
	if sum != 101*len("shop.v1.Depositsshop/v1/deposits.protoGetList1") {
		t.Errorf("read %d bytes", sum)
	}
	if n := testing.AllocsPerRun(100, func() {
		if err := r.Validate(); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations to validate a message", n)
	}
}
