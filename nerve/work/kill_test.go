package work_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/seglog"
	"github.com/octopus-framework/octopus/nerve/work"
)

// killDir is the environment variable that makes the test binary the worker of TestKill.
const killDir = "NERVE_WORK_KILL_DIR"

const (
	killJobs    = 5000
	killStuck   = 6
	killUnsaved = 64
	killWorkers = 8
)

// isStuck tells which jobs do not end in the first process; fails, which ones fail at first.
func isStuck(id nerve.ID) bool { return id%800 == 3 && id < 800*killStuck }
func fails(id nerve.ID) bool   { return id%50 == 7 }

// killedWorker handles the queue of TestKill. It prints "s ID ATTEMPT" before each job and "d ID"
// after it. Nothing is saved because time passes: the bounds of package work are tested.
func killedWorker(dir string) error {
	log, err := seglog.Open(dir, seglog.Options{NoSpare: true})
	if err != nil {
		return err
	}
	q := nerve.New(log, nerve.Options{SaveInterval: time.Hour})
	c, err := q.Consumer("worker", nerve.ConsumerOptions{})
	if err != nil {
		return err
	}
	first := os.Getenv(killDir+"_FIRST") != ""
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	g, err := work.New(c, func(ctx context.Context, d *work.Delivery) error {
		fmt.Println("s", d.ID, d.Attempt)
		if first && isStuck(d.ID) {
			<-ctx.Done()
			return ctx.Err()
		}
		if fails(d.ID) && d.Attempt <= 2 {
			return errors.New("once more")
		}
		fmt.Println("d", d.ID)
		return nil
	}, work.Options{Workers: killWorkers, MaxUnsaved: killUnsaved, Discard: true,
		Backoff: func(int) time.Duration { return time.Millisecond }})
	if err != nil {
		return err
	}
	if !first {
		go func() {
			for c.Pointer() < killJobs {
				time.Sleep(time.Millisecond)
			}
			stop()
		}()
	}
	return errors.Join(g.Run(ctx), q.Close())
}

// startKilled starts a worker and calls each with its lines until each returns false; then it is
// killed.
func startKilled(t *testing.T, dir string, first bool, each func(line string) bool) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestKill$")
	cmd.Env = append(os.Environ(), killDir+"="+dir)
	if first {
		cmd.Env = append(cmd.Env, killDir+"_FIRST=1")
	}
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	killed := false
	for lines.Scan() {
		if !each(lines.Text()) && !killed {
			killed = true
			_ = cmd.Process.Kill()
		}
	}
	if err := cmd.Wait(); err != nil && !killed {
		t.Fatal(err)
	}
}

// TestKill kills a worker with SIGKILL when 4,994 of 5,000 jobs are done and six are in its hands,
// and lets another one end the work: what is done or tried twice is at most what was in hands and
// what MaxUnsaved allows, and attempts go on where they were.
func TestKill(t *testing.T) {
	if dir := os.Getenv(killDir); dir != "" {
		if err := killedWorker(dir); err != nil {
			t.Fatal(err)
		}
		return
	}
	dir := t.TempDir()
	log, err := seglog.Open(dir, seglog.Options{NoSpare: true})
	if err != nil {
		t.Fatal(err)
	}
	q := nerve.New(log, nerve.Options{})
	appendMany(t, q, killJobs, func(i int) string { return fmt.Sprint(i) })
	if err := q.Close(); err != nil {
		t.Fatal(err)
	}
	type start struct {
		id      nerve.ID
		attempt int
	}
	started, done := map[start]int{}, map[nerve.ID]int{}
	note := func(line string) {
		var s start
		if text, ok := strings.CutPrefix(line, "s "); ok {
			if n, _ := fmt.Sscan(text, &s.id, &s.attempt); n == 2 {
				started[s]++
			}
		}
		if text, ok := strings.CutPrefix(line, "d "); ok {
			if n, _ := fmt.Sscan(text, &s.id); n == 1 {
				done[s.id]++
			}
		}
	}
	startKilled(t, dir, true, func(line string) bool {
		note(line)
		return len(done) < killJobs-killStuck
	})
	if len(done) != killJobs-killStuck {
		t.Fatalf("%d jobs were done", len(done))
	}
	startKilled(t, dir, false, func(line string) bool { note(line); return true })
	twice, tried := 0, 0
	for id := nerve.ID(1); id <= killJobs; id++ {
		if done[id] == 0 {
			t.Fatalf("job %d was not done", id)
		}
		twice += done[id] - 1
	}
	for s, n := range started {
		if s.attempt > 3 || s.attempt > 2 && !fails(s.id) && !isStuck(s.id) {
			t.Errorf("attempt %d of job %d", s.attempt, s.id)
		}
		tried += n - 1
	}
	t.Logf("%d jobs were done twice, %d attempts made twice", twice, tried)
	if most := killUnsaved + killWorkers; twice > most || tried > most {
		t.Errorf("want at most %d", most)
	}
}
