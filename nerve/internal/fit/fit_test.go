package fit

import (
	"testing"

	"github.com/octopus-framework/octopus/nerve"
)

// progressOf makes one of n single records.
func progressOf(n nerve.ID) nerve.Progress {
	return nerve.MakeProgress(func(yield func(nerve.Span) bool) {
		for id := nerve.ID(2); id <= 2*n && yield(nerve.Span{First: id, Last: id}); id += 2 {
		}
	})
}

// TestProgress leaves out the longest ones, and does not change what it was given.
func TestProgress(t *testing.T) {
	list := []nerve.Pointer{{Name: "a", Progress: progressOf(10)}, {Name: "b",
		Progress: progressOf(1000)}, {Name: "c"}, {Name: "d", Progress: progressOf(500)}}
	total := 0
	for _, p := range list {
		total += p.Progress.Size()
	}
	if got := Progress(list, total); &got[0] != &list[0] {
		t.Error("it copies what fits")
	}
	for limit, kept := range map[int]string{total - 1: "ad", total - 1500: "ad", 100: "a", 3: ""} {
		names, size := "", 0
		for i, p := range Progress(list, limit) {
			if size += p.Progress.Size(); p.Name != list[i].Name {
				t.Errorf("%d is %s", i, p.Name)
			}
			if p.Progress != (nerve.Progress{}) {
				names += p.Name
			}
		}
		if names != kept || size > limit {
			t.Errorf("%d bytes of %s in %d, want %s", size, names, limit, kept)
		}
	}
	if list[1].Progress == (nerve.Progress{}) {
		t.Error("the list was changed")
	}
}
