package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

const childEnv = "QUEUE_EXAMPLE_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childEnv); dir != "" {
		var stop int
		_, _ = fmt.Sscan(os.Getenv(childEnv+"_STOP"), &stop)
		if err := run(context.Background(), os.Stdout, dir, 50_000, stop); errors.Is(err,
			errStopped) {
			os.Exit(0)
		}
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// TestResume stops the program at several points, and checks the totals of the
// run that is let through.
func TestResume(t *testing.T) {
	dir := t.TempDir()
	for _, stop := range []int{1, 9_999, 10_001, 25_000, 49_999} {
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), childEnv+"="+dir,
			fmt.Sprintf("%s_STOP=%d", childEnv, stop))
		if out, err := child.CombinedOutput(); err != nil {
			t.Fatalf("stop after %d: %v\n%s", stop, err, out)
		}
	}
	for range 2 {
		var out bytes.Buffer
		if err := run(context.Background(), &out, dir, 50_000, 0); err != nil {
			t.Fatal(err)
		}
		if want := fmt.Sprintf("50000 events, sum %d",
			50_000*50_001/2); !strings.Contains(out.String(), want) {
			t.Fatalf("got %q, want %q", out.String(), want)
		}
	}
}
