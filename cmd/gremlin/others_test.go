package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/octopus-framework/octopus/internal/cli/exitcode"
)

// maxSize bounds what the command weighs for amd64 without symbols, in bytes: it is on the way of
// everybody who generates code.
const maxSize = 14_000_000

// TestOthers builds the commands as a release does: gremlin is small, and runs gremlin-migrate with
// its arguments, output and exit codes, or says how to get it.
func TestOthers(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds commands")
	}
	dir := t.TempDir()
	build := func(name string) string {
		t.Helper()
		out := filepath.Join(dir, name)
		c := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", out, "../"+name)
		if text, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		return out
	}
	gremlin := build("gremlin")
	info, err := os.Stat(gremlin)
	if err != nil {
		t.Fatal(err)
	}
	if info.Size() > maxSize && runtime.GOARCH == "amd64" {
		t.Errorf("gremlin has %d bytes, more than %d", info.Size(), maxSize)
	}
	module := t.TempDir()
	if err := os.WriteFile(filepath.Join(module, "go.mod"), []byte("module example.com/m\n"),
		0o666); err != nil {
		t.Fatal(err)
	}
	check := func(want string, code int, args ...string) {
		t.Helper()
		c := exec.Command(gremlin, args...)
		c.Env = append(os.Environ(), "PATH=", "NO_COLOR=1")
		c.Dir = module
		var out bytes.Buffer
		c.Stdout, c.Stderr = &out, &out
		err := c.Run()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), want) || c.ProcessState.ExitCode() != code {
			t.Errorf("%q: exit code %d, want %d:\n%s\nwant %s", args, c.ProcessState.ExitCode(), code,
				&out, want)
		}
	}
	check("go install github.com/octopus-framework/octopus/cmd/gremlin-migrate@", exitcode.Usage,
		"migrate", "status")
	build("gremlin-migrate")
	check("Migrate replaces the generated code of a Go module", exitcode.OK, "migrate", "--help")
	check(`did you mean "status"?`, exitcode.Usage, "migrate", "statsu")
	check("error: ", exitcode.Failed, "migrate", "plan")
	check(`{"severity":"error"`, exitcode.Usage, "--error-format=json", "migrate", "plan", "-C",
		"none")
}
