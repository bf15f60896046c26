package vet_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// tool builds the command that go vet runs.
func tool(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "gremlin")
	if out, err := exec.Command("go", "build", "-o", path,
		"../../../cmd/gremlin-vet").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return path
}

var (
	finding = regexp.MustCompile(`(?m)^(?:vet: )?(\S+\.go):(\d+):\d+: (.*)$`)
	want    = regexp.MustCompile(`"([^"]+)"`)
)

// TestPlanted runs go vet with all analyzers over twenty small programs with a fault each, and one
// that does all of it right. What they are to find is in comments of these programs.
func TestPlanted(t *testing.T) {
	files, err := filepath.Glob("testdata/planted/*/*.go")
	if err != nil || len(files) != 24 {
		t.Fatalf("%d programs, %v", len(files), err)
	}
	cmd := exec.Command("go", "vet", "-vettool="+tool(t), "./testdata/planted/...")
	out, err := cmd.CombinedOutput()
	if err == nil {
		t.Errorf("go vet found nothing")
	}
	found := map[string][]string{} // by file and line
	for _, m := range finding.FindAllStringSubmatch(string(out), -1) {
		at := filepath.Base(m[1]) + ":" + m[2]
		found[at] = append(found[at], m[3])
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		expected := 0
		n := 0
		for line := range strings.Lines(string(text)) {
			n++
			_, comment, _ := strings.Cut(line, "// want ")
			at := filepath.Base(file) + ":" + strconv.Itoa(n)
			for _, w := range want.FindAllStringSubmatch(comment, -1) {
				expected++
				if len(found[at]) == 0 || !strings.Contains(found[at][0], w[1]) {
					t.Errorf("%s: %q is not found: %v", at, w[1], found[at])
					continue
				}
				found[at] = found[at][1:]
			}
			if len(found[at]) != 0 {
				t.Errorf("%s: found too: %v", at, found[at])
			}
		}
		if right := strings.HasSuffix(file, "right.go"); (expected == 0) != right {
			t.Errorf("%s expects %d findings", file, expected)
		}
	}
	if t.Failed() {
		t.Logf("%s", out)
	}
}
