package config

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/octopus-framework/octopus/internal/compiler/backend/all"
)

// TestBufCache looks for dependencies where buf keeps them: under the digest that the lock file
// says, with lock files of each version.
func TestBufCache(t *testing.T) {
	home := t.TempDir()
	for _, name := range []string{"BUF_CACHE_DIR", "XDG_CACHE_HOME", "LOCALAPPDATA"} {
		t.Setenv(name, "")
	}
	t.Setenv("HOME", home)
	want := filepath.Join(home, ".cache", "buf")
	for _, step := range []struct{ name, value, want string }{
		{"HOME", home, want},
		{"XDG_CACHE_HOME", "x", filepath.Join("x", "buf")},
		{"BUF_CACHE_DIR", home, home},
	} {
		t.Setenv(step.name, step.value)
		if got := bufCache(); got != step.want && filepath.Separator == '/' {
			t.Errorf("with %s=%s: %s, want %s", step.name, step.value, got, step.want)
		}
	}
	module := func(digest, name, commit string, whole bool) string {
		dir := filepath.Join(home, "v3", "modules", digest, filepath.FromSlash(name), commit)
		if err := os.MkdirAll(filepath.Join(dir, "files"), 0o777); err != nil {
			t.Fatal(err)
		}
		if whole { // buf writes it last
			if err := os.WriteFile(filepath.Join(dir, "module.yaml"), nil, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		return filepath.Join(dir, "files")
	}
	five := module("b5", "buf.build/acme/five", "05", true)
	four := module("shake256", "buf.build/acme/four", "04", true)
	module("b5", "buf.build/acme/half", "06", false)
	module("..", "buf.build/acme/outside", "07", true)

	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("buf.yaml", "version: v2\ndeps: [buf.build/acme/five]")
	for lock, hint := range map[string]string{
		"version: v2\ndeps:\n" +
			"  - {name: buf.build/acme/five, commit: 0-5, digest: 'b5:00'}\n" +
			"  - {name: buf.build/acme/four, commit: '04', digest: 'shake256:00'}": "",
		"version: v1\ndeps:\n" +
			"  - {remote: buf.build, owner: acme, repository: five, commit: '05', digest: 'shake256:00'}\n" +
			"  - {remote: buf.build, owner: acme, repository: four, commit: '04'}": "",
		"deps:\n  - {name: buf.build/acme/five, commit: '05'}\n" +
			"  - {name: buf.build/acme/four, commit: '04'}\n" +
			"  - {name: buf.build/acme/half, commit: '06', digest: 'b5:00'}\n" +
			"  - {name: buf.build/acme/outside, commit: '07', digest: '..:00'}\n" +
			"  - {name: ../../.., commit: ''}": "buf.lock has buf.build/acme/half:06 and" +
			" buf.build/acme/outside:07 and ../../..:, which buf's module cache has not:" +
			` "buf build" downloads it`,
	} {
		write("buf.lock", lock)
		c, _, found := Load(filepath.Join(dir, "buf.yaml"), all.Backends())
		if len(found) != 0 || !slices.Equal(c.Imports, []string{five, four}) ||
			c.ImportHint != hint {
			t.Errorf("%s\ngives %q, %q, %v", lock, c.Imports, c.ImportHint, found)
		}
	}
}

// TestFindPrefersGremlin finds a gremlin.yaml further up before a buf.yaml.
func TestFindPrefersGremlin(t *testing.T) {
	dir := t.TempDir()
	inner := filepath.Join(dir, "a", "b")
	if err := os.MkdirAll(inner, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{filepath.Join(dir, "a", "buf.yaml"),
		filepath.Join(dir, "a", "buf.work.yaml"), filepath.Join(dir, "gremlin.yaml")} {
		if err := os.WriteFile(name, nil, 0o666); err != nil {
			t.Fatal(err)
		}
		if got := Find(inner); got != name {
			t.Errorf("found %s, want %s", got, name)
		}
	}
}
