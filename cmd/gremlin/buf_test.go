package main

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/octopus-framework/octopus/internal/compiler/config"
	"github.com/octopus-framework/octopus/internal/compiler/driver"
	"github.com/octopus-framework/octopus/internal/oracle"
)

// TestBufFiles compares the files that are compiled where there is a buf.yaml with those that buf
// lists.
func TestBufFiles(t *testing.T) {
	buf, err := filepath.Abs(filepath.Join("..", "..", ".tools", "bin", "buf"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(buf); err != nil {
		oracle.Skip(t, "buf", "not on this machine; make tools installs one in .tools")
	}
	t.Setenv("BUF_CACHE_DIR", t.TempDir())
	for name, files := range map[string]map[string]string{
		"v1": {"buf.yaml": "version: v1\nbuild: {excludes: [a/b, c]}",
			"a/a.proto": "", "a/b/x.proto": "", "a/bc/b.proto": "", "c/x.proto": "", "d.proto": ""},
		"v1beta1": {"buf.yaml": "version: v1beta1\nbuild: {roots: [a, b], excludes: [a/x, b/x/y]}",
			"a/a.proto": "", "a/x/x.proto": "", "b/x/b.proto": "", "b/x/y/x.proto": "",
			"c.proto": ""},
		"v2": {"buf.yaml": "version: v2", "a/a.proto": "", "b.proto": "", "c.txt": ""},
		"v2 modules": {"buf.yaml": "version: v2\nmodules: [{path: a, excludes: [a/x]}," +
			" {path: b, includes: [b/y, b/z], excludes: [b/y/x]}]",
			"a/a.proto": "", "a/x/x.proto": "", "b/b.proto": "", "b/y/y.proto": "",
			"b/y/x/x.proto": "", "b/z/z.proto": ""},
		"v2 one folder": {"buf.yaml": "version: v2\nmodules: [{path: a, includes: [a/x]}," +
			" {path: a, excludes: [a/x]}]", "a/a.proto": "", "a/x/x.proto": ""},
		"work": {"buf.work.yaml": "version: v1\ndirectories: [a, b]",
			"a/a.proto": "", "b/buf.yaml": "version: v1\nbuild: {excludes: [x]}", "b/b.proto": "",
			"b/x/x.proto": "", "c/x.proto": ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			for file, text := range files {
				if text == "" {
					text = `syntax = "proto3";`
				}
				if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			listed, err := exec.CommandContext(t.Context(), buf, "ls-files",
				"--format=import").CombinedOutput()
			if err != nil {
				t.Fatalf("%v: %s", err, listed)
			}
			cfg, _, found := config.Load(config.Find("."), backends)
			if len(found) != 0 {
				t.Fatal(found)
			}
			c := driver.Compile(t.Context(), driver.Input{Roots: cfg.Roots, Views: cfg.Views,
				Config: cfg}, nil)
			if c.Diagnostics.Errors() != 0 {
				t.Error(c.Diagnostics)
			}
			want := slices.Sorted(slices.Values(strings.Fields(string(listed))))
			if !slices.Equal(c.Files, want) {
				t.Errorf("of %v we compile\n%v\nbuf lists\n%v",
					slices.Sorted(maps.Keys(files)), c.Files, want)
			}
		})
	}
}
