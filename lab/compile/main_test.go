package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestStage copies the files that are wanted with what they import, and nothing else.
func TestStage(t *testing.T) {
	from, to := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		"google/cloud/a/a.proto":           "import \"google/api/b.proto\";\nimport public \"google/type/c.proto\";\n",
		"google/api/b.proto":               "import \"google/protobuf/any.proto\";\n",
		"google/type/c.proto":              "// import \"google/api/d.proto\";\n",
		"google/api/d.proto":               "",
		"google/cloud/b/b.proto":           "",
		"google/protobuf/any.proto":        "",
		"google/cloud/a/README.md":         "",
		"google/cloud/a/again/again.proto": "import \"google/cloud/a/a.proto\";\n",
	} {
		name = filepath.Join(from, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	files, size, err := stage(from, to, "google/cloud/a")
	want := []string{"google/api/b.proto", "google/cloud/a/a.proto", "google/cloud/a/again/again.proto", "google/type/c.proto"}
	if err != nil || !slices.Equal(files, want) || size == 0 {
		t.Errorf("%v, %d, %v", files, size, err)
	}
	for _, name := range files {
		if _, err := os.Stat(filepath.Join(to, name)); err != nil {
			t.Error(err)
		}
	}
}

func TestMedian(t *testing.T) {
	if got := median([]float64{3, 1, 2}); got != 2 {
		t.Errorf("%v", got)
	}
	if got := median[int64](nil); got != 0 {
		t.Errorf("%v of nothing", got)
	}
}
