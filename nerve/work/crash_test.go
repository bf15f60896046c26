package work_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/seglog"
	"github.com/octopus-framework/octopus/nerve/work"
)

// crashDir is the environment variable that makes the test binary the worker of TestCrash.
const crashDir = "NERVE_WORK_CRASH_DIR"

func open(dir, name string) (*nerve.Queue, error) {
	log, err := seglog.Open(filepath.Join(dir, name),
		seglog.Options{NoSpare: true, SegmentSize: 1 << 20})
	if err != nil {
		return nil, err
	}
	return nerve.New(log, nerve.Options{}), nil
}

// crashingWorker handles the queue of TestCrash until it is empty. One record takes the process
// down.
func crashingWorker(dir string) error {
	q, err := open(dir, "queue")
	if err != nil {
		return err
	}
	dead, err := open(dir, "dead")
	if err != nil {
		return err
	}
	c, err := q.Consumer("worker", nerve.ConsumerOptions{})
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(context.Background())
	_, last := q.Bounds()
	g, err := work.New(c, func(_ context.Context, d *work.Delivery) error {
		if string(d.Data) == "poison" {
			os.Exit(9)
		}
		return nil
	}, work.Options{Workers: 4, MaxAttempts: 3, DeadLetters: dead, Observer: until{c, last, stop}})
	if err != nil {
		return err
	}
	return errors.Join(g.Run(ctx), q.Close(), dead.Close())
}

// until stops a run when all records up to last are acknowledged but the one that is being handled.
type until struct {
	c    *nerve.Consumer
	last nerve.ID
	stop context.CancelFunc
}

func (u until) Attempted(d *work.Delivery, _ time.Duration, _ error) {
	if d.ID == u.last {
		u.stop()
	}
}
func (u until) GivenUp(*work.Delivery, error) {}

// TestCrash starts a process again and again that one record takes down: it becomes a dead letter,
// and everything else is handled.
func TestCrash(t *testing.T) {
	if dir := os.Getenv(crashDir); dir != "" {
		if err := crashingWorker(dir); err != nil {
			t.Fatal(err)
		}
		return
	}
	dir := t.TempDir()
	q, err := open(dir, "queue")
	if err != nil {
		t.Fatal(err)
	}
	appendAll(t, q, "a", "b", "poison", "c", "d", "e", "f", "g")
	if err := q.Close(); err != nil {
		t.Fatal(err)
	}
	crashes := 0
	for ; ; crashes++ {
		cmd := exec.Command(os.Args[0], "-test.run=^TestCrash$", "-test.v")
		cmd.Env = append(os.Environ(), crashDir+"="+dir)
		out, err := cmd.CombinedOutput()
		if err == nil {
			break
		}
		if cmd.ProcessState.ExitCode() != 9 || crashes > 10 {
			t.Fatalf("after %d crashes: %v\n%s", crashes, err, out)
		}
	}
	if crashes < 3 {
		t.Errorf("the record was given up after %d crashes, want at least 3", crashes)
	}
	dead, err := open(dir, "dead")
	if err != nil {
		t.Fatal(err)
	}
	defer dead.Close()
	list := letters(t, dead)
	if len(list) != 1 || string(list[0].Data) != "poison" ||
		!strings.Contains(list[0].Reason, "while this record was handled, at attempt 3") {
		t.Errorf("the dead letters are %v", list)
	}
}
