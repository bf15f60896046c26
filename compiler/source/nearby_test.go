package source

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestNearbyIsBounded looks for files in a folder with more than may be looked at: what lies near
// is found, however much there is in a folder that comes first.
func TestNearbyIsBounded(t *testing.T) {
	t.Chdir(t.TempDir())
	for i := range 100 {
		write(t, fmt.Sprintf("a/deep/%03d/x.proto", i), "")
	}
	write(t, "z/near.proto", "")
	write(t, ".hidden/h.proto", "")
	found, looked := nearby([]string{"z", ".", "missing", "./z"}, 50)
	if looked != 50 || !slices.Contains(found, "z/near.proto") {
		t.Errorf("looked at %d: %q", looked, found)
	}
	found, looked = nearby([]string{"z", "."}, 1000)
	if len(found) != 101 || looked != 1+3+1+100+100 {
		t.Errorf("looked at %d, found %d", looked, len(found))
	}
}

// TestNoFarFetchedRoot: a file whose folders spell its package is not what a shorter name asks for.
func TestNoFarFetchedRoot(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "common/google/iam/v1/options.proto",
		"syntax = \"proto3\";\npackage google.iam.v1;\n")
	for name, want := range map[string]string{
		"options.proto":                 "",
		"v1/options.proto":              "",
		"google/iam/v1/options.proto":   "common",
		"common/google/iam/v1/no.proto": "",
	} {
		roots, _ := New(".").RootsFor([]string{name})
		if got := fmt.Sprint(roots); got != fmt.Sprintf("[%s]", want) {
			t.Errorf("%s: %v, want %q", name, got, want)
		}
	}
	write(t, "protos/shop/item.proto", "package shop;")
	if roots, _ := New(".").RootsFor([]string{"item.proto"}); fmt.Sprint(roots) !=
		"[protos/shop]" && fmt.Sprint(roots) != "[. protos/shop]" {
		t.Errorf("item.proto: %v", roots)
	}
}
