package golang

import (
	"go/build"
	"go/types"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestPlatforms compares the names of files that are left out with go/build, and the lists with
// what the go command builds for.
func TestPlatforms(t *testing.T) {
	none := build.Context{GOOS: "none", GOARCH: "none",
		OpenFile: func(string) (io.ReadCloser, error) {
			return io.NopCloser(strings.NewReader("package none\n")), nil
		}}
	words := slices.Concat([]string{"", "x", "test", "unix", "Linux", "none", "a.b"}, systems,
		processors)
	for _, first := range words {
		for _, second := range words {
			for _, pattern := range []string{"A", "A_B", "x_A", "x_A_B", "x_A_B_test", "A_test"} {
				name := strings.NewReplacer("A", first, "B", second).Replace(pattern)
				if name == "" || name[0] == '_' || name[0] == '.' {
					continue
				}
				ok, err := none.MatchFile("", name+".go")
				stem, _, _ := strings.Cut(name, ".")
				if err != nil || namesPlatform(stem) == ok {
					t.Fatalf("%s: named for a platform: %v; go/build takes it: %v, %v", name,
						namesPlatform(stem), ok, err)
				}
			}
		}
	}
	list, err := exec.Command("go", "tool", "dist", "list").Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(list)) {
		system, processor, _ := strings.Cut(strings.TrimSpace(line), "/")
		if !slices.Contains(systems, system) || !slices.Contains(processors, processor) {
			t.Errorf("%s is not in the lists", line)
		}
	}
}

// TestPredeclared compares the list with go/types.
func TestPredeclared(t *testing.T) {
	if names := types.Universe.Names(); !slices.Equal(names, predeclared) {
		t.Fatalf("Go has %q", names)
	}
}
