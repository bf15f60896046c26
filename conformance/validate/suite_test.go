package validate

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/octopus-framework/octopus/internal/oracle"
)

// version is that of protovalidate, its conformance suite and the .proto files of both. It is no
// requirement of this module: what the runner needs is its own business.
const version = "v1.2.2"

// cases is how many the suite has.
const cases = 2872

// TestDescriptors runs the suite against package gremlincel: messages are known by their
// descriptors alone. Nothing is known to fail.
func TestDescriptors(t *testing.T) {
	bin := t.TempDir()
	build(t, ".", bin, "./descriptors")
	run(t, bin, "", filepath.Join(bin, "descriptors"))
}

// module returns the folder with the sources of a module of the suite.
func module(t *testing.T, path, version string) string {
	t.Helper()
	out, err := exec.Command("go", "mod", "download", "-json", path+"@"+version).Output()
	var module struct{ Dir string }
	if err := errors.Join(err, json.Unmarshal(out, &module)); err != nil {
		oracle.Skip(t, "modules", "the suite, "+path+", cannot be downloaded: "+err.Error())
	}
	return module.Dir
}

func build(t *testing.T, dir, bin string, packages ...string) {
	t.Helper()
	cmd := exec.Command("go", append([]string{"build", "-o", bin + "/"}, packages...)...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// runner builds the runner of the suite.
func runner(t *testing.T, bin string) {
	t.Helper()
	tools := module(t, "github.com/bufbuild/protovalidate/tools", version)
	build(t, tools, bin, "./protovalidate-conformance")
}

var suiteLine = regexp.MustCompile(`(?m)^--- \w+: (\w+)\S* \(failed: \d+, skipped: (\d+), ` +
	`passed: (\d+),`)

// run runs the suite against a testee. Messages of violations must be the same to the letter, and
// errors of compiling and running are not mistaken for each other. Known is a file with the cases
// that are known to fail; the runner fails for one that passes.
func run(t *testing.T, bin, known string, testee ...string) {
	t.Helper()
	runner(t, bin)
	args := []string{"-v", "--strict_message", "--strict_error", "--timeout", "120s"}
	if known != "" {
		args = append(args, "--expected_failures", known)
	}
	cmd := exec.CommandContext(t.Context(), filepath.Join(bin, "protovalidate-conformance"),
		append(args, testee...)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, onlyFailures(string(out)))
	}
	passed, failing := map[string]int{}, 0
	all := 0
	for _, m := range suiteLine.FindAllStringSubmatch(string(out), -1) {
		n, _ := strconv.Atoi(m[3])
		passed[m[1]] += n
		all += n
		n, _ = strconv.Atoi(m[2])
		failing += n
	}
	t.Logf("%d of %d cases pass: %v", all, cases, passed)
	if all+failing != cases {
		t.Errorf("%d cases were tried, not %d", all+failing, cases)
	}
}

// onlyFailures leaves out what the runner says of cases that pass.
func onlyFailures(out string) string {
	var b strings.Builder
	for line := range strings.Lines(out) {
		if !strings.Contains(line, "--- PASS: ") {
			b.WriteString(line)
		}
	}
	return b.String()[:min(b.Len(), 20000)]
}
