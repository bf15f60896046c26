package main

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestQueueCountsOnce lets the program die at many places, by itself and killed, and compares the
// results with those of one run without a stop.
func TestQueueCountsOnce(t *testing.T) {
	const n = 250_000
	program := filepath.Join(t.TempDir(), "deposits")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	run := func(dir string, args ...string) *exec.Cmd {
		return exec.Command(program, append([]string{"-n", fmt.Sprint(n), "-queue", dir},
			args...)...)
	}
	whole, broken := t.TempDir(), t.TempDir()
	if out, err := run(whole).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for i := range 6 { // while it produces and while it consumes
		cmd := run(broken)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(50+i*120) * time.Millisecond)
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // an error unless it was done before
	}
	for _, stop := range []int{1, 99_999, 100_001, 150_000, 249_999} {
		out, err := run(broken, "-stop-after", fmt.Sprint(stop)).CombinedOutput()
		if err != nil && !strings.Contains(string(out), errStopped.Error()) {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	if out, err := run(broken).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, name := range []string{"by-user", "by-country"} {
		var want, got result
		if err := errors.Join(want.load(filepath.Join(whole, name+".json")),
			got.load(filepath.Join(broken, name+".json"))); err != nil {
			t.Fatal(err)
		}
		if want.Events != n || fmt.Sprint(got.Sums) != fmt.Sprint(want.Sums) ||
			got.Events != want.Events || got.Last != want.Last {
			t.Errorf("%s: %d events up to %d, want %d up to %d, or the sums differ", name,
				got.Events, got.Last, want.Events, want.Last)
		}
	}
}
