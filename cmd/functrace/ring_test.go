//go:build unix

package main

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/octopus-framework/octopus/internal/trace/report"
)

const ringCalls = 300_000

// TestRingOfKilled: a program with a flight recorder makes a snapshot when it gets the signal that
// it was told, and leaves its last calls when it is killed, also those that were open since its
// start.
func TestRingOfKilled(t *testing.T) {
	dir := tree(t, map[string]string{"go.mod": goMod("ex.test/r"), "main.go": `package main

import "os"

func work() {
	for i := 0; i < 300000; i++ {
		inner()
	}
	last()
	os.Stdout.WriteString("ready\n")
	select {}
}

func inner() {}

func last() {}

func main() { work() }
`})
	t.Chdir(dir)
	var out, errs bytes.Buffer
	if code := run([]string{"build", "-o", "app", "."}, &out, &errs); code != 0 {
		t.Fatal(errs.String())
	}
	path := filepath.Join(dir, "r.functrace")
	cmd := exec.Command("./app")
	const maxBytes = 1 << 20
	cmd.Env = append(os.Environ(), "FUNCTRACE="+path, "FUNCTRACE_MAX_BYTES=1048576",
		"FUNCTRACE_OPTIONS=ring,signal=USR1")
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cmd.Stdout, cmd.Stderr = w, w
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	timer := time.AfterFunc(2*time.Minute, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	lines := bufio.NewReader(r)
	if line, err := lines.ReadString('\n'); line != "ready\n" {
		t.Fatalf("the program wrote %q, %v", line, err)
	}
	if err := cmd.Process.Signal(syscall.SIGUSR1); err != nil {
		t.Fatal(err)
	}
	line, err := lines.ReadString('\n')
	if err != nil {
		t.Fatalf("after the signal the program wrote %q, %v", line, err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	snapshot := strings.TrimSuffix(strings.TrimPrefix(line, "functrace: "), "\n")
	checkRing(t, snapshot, "signal USR1", maxBytes)
	checkRing(t, path, "", maxBytes)
}

// checkRing reads what is left of the program in TestRingOfKilled.
func checkRing(t *testing.T, path, reason string, maxBytes int64) {
	t.Helper()
	if info, err := os.Stat(path); err != nil || info.Size() > maxBytes+maxBytes/4 {
		t.Fatalf("%s: %v, %v", path, info, err)
	}
	procs, err := report.ReadFiles(path)
	if err != nil {
		t.Fatal(err)
	}
	if p := procs[0]; p.Reason != reason || p.Complete || len(p.Damage) > 0 {
		t.Errorf("%s: reason %q, complete %v, damage %v", path, p.Reason, p.Complete, p.Damage)
	}
	calls := make(map[string]int)
	var ends string
	procs[0].Walk(func(_ *report.Goroutine, c *report.Call, depth int) {
		calls[c.Func.Name]++
		if c.Func.Name != "main.inner" {
			ends += strings.Repeat(" ", depth) + c.Func.Name + " " + c.Outcome.String() + "\n"
		}
	})
	const want = "main.main did not finish\n main.work did not finish\n  main.last returned\n"
	if ends != want {
		t.Errorf("%s holds\n%swant\n%s", path, ends, want)
	}
	if n := calls["main.inner"]; n < 1000 || n >= ringCalls {
		t.Errorf("%s holds %d calls of inner; the last of %d are wanted", path, n, ringCalls)
	}
}
