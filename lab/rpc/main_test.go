package main

import (
	"testing"
	"time"

	"github.com/octopus-framework/octopus/lab/workload"
)

// TestCompare runs every workload and shape for a moment: all peers take what all others send.
func TestCompare(t *testing.T) {
	all, err := workload.Find(workload.Made(), workloads)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range append(all, blob()) {
		for _, s := range settings[2:] {
			rows, err := compare(w, s, 1, time.Millisecond)
			if err != nil {
				t.Fatalf("%s, %v: %v", w.Name, s, err)
			}
			for _, r := range rows {
				if r.CPU < 0 || r.P50 <= 0 || r.P99 < r.P50 || r.Allocs <= 0 {
					t.Errorf("%+v", r)
				}
			}
			if len(rows) != len(peers) {
				t.Errorf("%s: %d rows", w.Name, len(rows))
			}
		}
		rows, err := compare(w, settings[0], 1, time.Millisecond)
		if err != nil || len(rows) != len(peers) {
			t.Errorf("%s: %d rows, %v", w.Name, len(rows), err)
		}
	}
}

// TestDecodes sends malformed bytes: every peer but the floor looks at what arrives.
func TestDecodes(t *testing.T) {
	for _, p := range peers {
		bytes := []byte("\x0a\xff")
		buffers, err := rawCodec{}.Marshal(&bytes)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.codec.Unmarshal(buffers, p.target(known["Submit"])); (err == nil) != (p.name == "raw") {
			t.Errorf("%s: %v", p.name, err)
		}
	}
}
