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

// cases is how many the suite has, standardCases how many of them are about standard rules.
const (
	cases         = 2872
	standardCases = 1932
)

// TestDescriptors runs the suite against package gremlincel: messages are known by their
// descriptors alone. Nothing is known to fail.
func TestDescriptors(t *testing.T) {
	bin := t.TempDir()
	build(t, ".", bin, "./descriptors")
	run(t, bin, cases, filepath.Join(bin, "descriptors"))
	// With the expressions of ours for standard rules, as with the validate.proto of the compiler.
	run(t, bin, cases, filepath.Join(bin, "descriptors"), "without-options")
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

// run runs n cases of the suite. Messages of violations must be the same to the letter, and errors
// of compiling and running are not mistaken for each other. The arguments are more flags of the
// runner and the testee; where a flag names a file with cases that are known to fail, the runner
// fails for one that passes.
func run(t *testing.T, bin string, n int, args ...string) {
	t.Helper()
	runner(t, bin)
	args = append([]string{"-v", "--strict_message", "--strict_error", "--timeout", "120s"},
		args...)
	cmd := exec.CommandContext(t.Context(), filepath.Join(bin, "protovalidate-conformance"),
		args...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, onlyFailures(string(out)))
	}
	passed, all, known := map[string]int{}, 0, 0
	for _, m := range suiteLine.FindAllStringSubmatch(string(out), -1) {
		some, _ := strconv.Atoi(m[3])
		passed[m[1]] += some
		all += some
		some, _ = strconv.Atoi(m[2])
		known += some
	}
	t.Logf("%d cases pass, %d are known to fail: %v", all, known, passed)
	if all+known != n {
		t.Errorf("%d cases were tried, not %d", all+known, n)
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
