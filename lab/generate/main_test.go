package main

import (
	"go/format"
	"os"
	"testing"
)

// TestFresh compares the loops and small programs that are checked in with those that would be written. What the plugins
// write is not looked at: they are not at hand.
func TestFresh(t *testing.T) {
	t.Chdir("..")
	fds, _, err := describe()
	if err != nil {
		t.Fatal(err)
	}
	own, err := ownCode(fds)
	if err != nil {
		t.Fatal(err)
	}
	if len(own) < 20 {
		t.Fatalf("only %d files", len(own))
	}
	for path, text := range own {
		want, err := format.Source([]byte(text))
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != string(want) {
			t.Errorf("%s is not fresh (%v): run make lab-generate", path, err)
		}
	}
}
