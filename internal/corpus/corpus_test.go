package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// unpack writes the files of an archive to a folder.
func unpack(t *testing.T, archive string) string {
	t.Helper()
	dir := t.TempDir()
	for _, f := range txtar.Parse([]byte(archive)).Files {
		name := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestCheckerFindsWhatIsWrongInBodiesAndUses(t *testing.T) {
	dir := unpack(t, `
-- base/base.go --
package base

type T struct{ N int }

func wrong() int { return "text" }
-- base/elsewhere_plan9.go --
package base

type T int
-- fine/fine.go --
package fine

import "example.com/m/base"

func F(t base.T) int { return t.N }
-- misuse/misuse.go --
package misuse

import "example.com/m/base"

var x string = base.T{}.N
`)
	n, err := newChecker(map[string]string{"example.com/m": dir}).all("example.com/m")
	if n != 3 || err == nil {
		t.Fatalf("checked %d packages: %v", n, err)
	}
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != 2 || !strings.Contains(lines[0], "base.go:5") ||
		!strings.Contains(lines[1], "misuse.go:5") {
		t.Errorf("found\n%v", err)
	}
}

func TestInspect(t *testing.T) {
	dir := unpack(t,
		"-- good.go --\npackage p\n\nvar x int\n-- sub/bad.go --\npackage  p\n-- other.txt --\nx\n")
	lines, err := inspect(dir)
	if lines != 4 || err == nil || !strings.Contains(err.Error(), "bad.go") ||
		strings.Contains(err.Error(), "good.go") {
		t.Errorf("%d lines: %v", lines, err)
	}
}

func TestWithImportersFollowsImports(t *testing.T) {
	dir := unpack(t, `
-- a.proto --
syntax = "proto3";
-- b/b.proto --
syntax = "proto3";
import public "a.proto";
-- c.proto --
syntax = "proto3";
  import   "b/b.proto";
-- d.proto --
syntax = "proto3";
// import "a.proto";
`)
	gone, err := withImporters(dir, []string{"a.proto"})
	if slices.Sort(gone); err != nil ||
		!slices.Equal(gone, []string{"a.proto", "b/b.proto", "c.proto"}) {
		t.Errorf("gone are %v, %v", gone, err)
	}
}

func TestCopyProtosKeepsAndSkips(t *testing.T) {
	from := unpack(t,
		"-- a.proto --\nnew\n-- b.txt --\nx\n-- skip/c.proto --\nx\n-- in/d.proto --\nd\n")
	to := unpack(t, "-- a.proto --\nold\n")
	if err := copyProtos(to, os.DirFS(from), "skip"); err != nil {
		t.Fatal(err)
	}
	if data, _ := os.ReadFile(filepath.Join(to, "a.proto")); string(data) != "old\n" {
		t.Errorf("a file that was there is now %q", data)
	}
	if data, _ := os.ReadFile(filepath.Join(to, "in", "d.proto")); string(data) != "d\n" {
		t.Errorf("d.proto is %q", data)
	}
	for _, name := range []string{"b.txt", "skip"} {
		if _, err := os.Stat(filepath.Join(to, name)); err == nil {
			t.Errorf("%s was copied", name)
		}
	}
}

func TestCompileLeavesOutWhatIsKnown(t *testing.T) {
	dir := unpack(t,
		"-- a.proto --\nsyntax = \"proto3\";\nmessage A { int32 x = 1; }\n-- b.proto --\nthis is not proto\n-- c.proto --\nimport \"b.proto\";\n")
	c, refused, err := compile(t.Context(), dir, "", []string{"b.proto"})
	if err != nil || c.Diagnostics.Errors() > 0 || !slices.Equal(c.Files, []string{"a.proto"}) {
		t.Fatalf("%v, %v", err, c)
	}
	if slices.Sort(refused); !slices.Equal(refused, []string{"b.proto", "c.proto"}) {
		t.Errorf("left out are %v", refused)
	}
}

func TestRunMeasured(t *testing.T) {
	peak, err := runMeasured(exec.Command("sh", "-c", "sleep 0.2; exit 3"))
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 3 {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat("/proc/self/status"); err == nil && (peak < 100<<10 || peak > 64<<20) {
		t.Errorf("sh took %d bytes", peak)
	}
}
