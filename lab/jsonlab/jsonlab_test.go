package jsonlab

import (
	"testing"

	"github.com/octopus-framework/octopus/lab/jsonlab/kit"
)

// Workers have no protojson: what they read is written by our own code. It must be the same.
func TestTextIsThatOfProtojson(t *testing.T) {
	for _, w := range Workloads() {
		sent := w.Type
		if sent == "Known" {
			sent = "Wide" // of which it knows two fields
		}
		got, want := string(kit.Text(w.Type, w.Data[0])), string(text(sent, w.Data[0]))
		// Maps have no order in common.
		if got != want && string(kit.Show([]byte(got))) != string(kit.Show([]byte(want))) || len(got) != len(want) {
			t.Errorf("%s:\ngot  %s\nwant %s", w.Name, got, want)
		}
	}
}
