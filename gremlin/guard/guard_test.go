package guard_test

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/octopus-framework/octopus/gremlin/guard"
)

// child runs a test in a process with the guard in a mode.
func child(t *testing.T, test, mode string) (string, error) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^"+test+"$", "-test.v")
	cmd.Env = append(os.Environ(), "GREMLIN_GUARD="+mode, "GUARD_CHILD=1")
	out, err := cmd.CombinedOutput()
	if errors.Is(err, syscall.ENOEXEC) {
		t.Skip("an emulator runs this program, and the machine cannot start it by itself")
	}
	return string(out), err
}

// TestGuard uses memory that was released.
func TestGuard(t *testing.T) {
	if os.Getenv("GUARD_CHILD") != "" {
		if !guard.On {
			t.Log("off")
			return
		}
		for range 1000 {
			guard.Release(guard.Copy(make([]byte, 1<<20)))
		}
		guard.Release(guard.Copy(nil))
		b := guard.Copy([]byte("kept too long"))
		if string(b) != "kept too long" {
			t.Fatalf("the copy is %q", b)
		}
		guard.Release(b)
		t.Logf("reads as %q", b)
		return
	}
	for mode, want := range map[string]string{
		"1": `reads as "RELEASEDRELEA"`, "0": "off", "": "off",
	} {
		if out, err := child(t, "TestGuard", mode); err != nil || !strings.Contains(out, want) {
			t.Errorf("%q: %v\n%s", mode, err, out)
		}
	}
	out, err := child(t, "TestGuard", "pages")
	if err == nil || !strings.Contains(out, "unexpected fault address") &&
		!strings.Contains(out, "SIGSEGV") && !strings.Contains(out, "RELEASED") {
		t.Errorf("pages: %v\n%s", err, out)
	}
}
