package main

import (
	"bytes"
	"testing"
)

// TestTour runs the example.
func TestTour(t *testing.T) {
	const want = `Place over gRPC: order 1
Place with JSON, as curl does: {"id":"2"}
Import: 1000 orders, the last is 1002
List: 1002 orders of 629450 cents
Watch: ada wants a loom
Watch: grace wants a moth
Watch: bulk wants a nail
observed: 2011 messages over gRPC, 34734 bytes, 0 failures
`
	var out bytes.Buffer
	if err := run(t.Context(), &out, "", t.TempDir()); err != nil {
		t.Fatal(err)
	}
	if out.String() != want {
		t.Errorf("it says\n%s", &out)
	}
}
