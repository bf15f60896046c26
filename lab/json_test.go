package main

import "testing"

func TestDiffering(t *testing.T) {
	got := differing(`{"a":1,"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbb":2}`, `{"a":1,"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbb":3,"c":4}`)
	if want := `got ...bbbbbbbbbbbbbbbbbb":2}..., want ...bbbbbbbbbbbbbbbbbb":3,"c":4}...`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := differing("", "{}"); got != "got ......, want ...{}..." {
		t.Error(got)
	}
}
