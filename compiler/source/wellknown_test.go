package source

import (
	"strings"
	"testing"
)

func TestWellKnown(t *testing.T) {
	paths := WellKnown()
	if len(paths) != 14 {
		t.Errorf("%d files: %v", len(paths), paths)
	}
	for _, p := range append(paths, "google/protobuf/compiler/plugin.proto") {
		if !IsWellKnown(p) {
			t.Errorf("%s is not well-known", p)
		}
		f, err := FromFS(nil).Open(p)
		if err != nil || !f.BuiltIn() || !strings.Contains(f.Text, "\npackage ") {
			t.Errorf("%s: %v, %+v", p, err, f)
		}
	}
}
