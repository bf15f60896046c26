//go:build unix

package rt

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// TestFullDisk runs this test binary again where files may not grow, and on a file system that is
// full: the program ends as ever, and the recording has what there was room for.
func TestFullDisk(t *testing.T) {
	if dir := os.Getenv("FUNCTRACE_TEST_FULL"); dir != "" {
		recordUntilFull(t, dir, os.Getenv("FUNCTRACE_TEST_RING") != "")
		return
	}
	if err := exec.Command(os.Args[0], "-test.run=^$").Run(); errors.Is(err, syscall.ENOEXEC) {
		t.Skip("an emulated machine does not start its own programs")
	}
	for _, ring := range []string{"", "1"} {
		t.Run("limit"+ring, func(t *testing.T) { runFull(t, "ulimit -f 1024;", t.TempDir(), ring) })
		t.Run("disk"+ring, func(t *testing.T) {
			dir := t.TempDir()
			mount := exec.Command("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", dir)
			if out, err := mount.CombinedOutput(); err != nil {
				t.Skipf("a small file system needs root and mount: %s", out)
			}
			defer func() { _ = exec.Command("umount", dir).Run() }()
			runFull(t, "", dir, ring)
		})
	}
}

func recordUntilFull(t *testing.T, dir string, ring bool) {
	if err := Start(Options{Path: filepath.Join(dir, "x"), Ring: ring}); err != nil {
		t.Fatal(err)
	}
	for range 300_000 {
		leaf(1)
	}
	if _, err := Snapshot("full"); err != nil {
		if left, _ := filepath.Glob(filepath.Join(dir, "*.snapshot")); len(left) > 0 {
			t.Errorf("%v, and %s is there", err, left)
		}
	}
	// A ring that cannot grow goes on in the room that it has.
	stats, err := Stop()
	if err != nil || stats.Bytes > 1<<20 || ring != (stats.Dropped == 0) {
		t.Error(stats, err)
	}
}

// runFull runs TestFullDisk with its recording in a folder.
func runFull(t *testing.T, before, dir, ring string) {
	t.Helper()
	shell := fmt.Sprintf(`%s exec "%s" -test.run '^TestFullDisk$' -test.count=1`, before,
		os.Args[0])
	cmd := exec.Command("sh", "-c", shell)
	cmd.Env = append(os.Environ(), "FUNCTRACE_TEST_FULL="+dir, "FUNCTRACE_TEST_RING="+ring)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
