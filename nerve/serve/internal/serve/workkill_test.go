package serve_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/lease"
	"github.com/octopus-framework/octopus/nerve/remote"
	"github.com/octopus-framework/octopus/nerve/serve/internal/core"
	"github.com/octopus-framework/octopus/nerve/serve/internal/serve"
	"github.com/octopus-framework/octopus/nerve/work"
	"github.com/octopus-framework/octopus/nerve/work/deadletter"
)

// What a worker of TestWorkersKilled is told.
const (
	workerEnv  = "NERVE_TEST_WORKER"  // its name; makes the test binary one
	historyEnv = "NERVE_TEST_HISTORY" // file of the history
	tokenEnv   = "NERVE_TEST_TOKEN"
	leaseEnv   = "NERVE_TEST_LEASE" // duration of its leases
)

// playWorker works until it dies.
func playWorker(name string) error {
	if name == groupOf {
		return playGroup()
	}
	file, err := os.OpenFile(os.Getenv(historyEnv), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	duration, err := time.ParseDuration(os.Getenv(leaseEnv))
	if err != nil {
		return err
	}
	ctx := context.Background()
	log, err := remote.Open(ctx, "nerve://"+os.Getenv(serverEnv)+"/jobs",
		remote.Options{Token: os.Getenv(tokenEnv)})
	if err != nil {
		return err
	}
	w, err := log.Join(ctx, "all", remote.WorkOptions{Name: name, Duration: duration})
	if err != nil {
		return err
	}
	calls := 0
	// record writes a call into the history, makes it, and writes what came of it.
	record := func(what string, call func() (string, error)) error {
		calls++
		if _, err := fmt.Fprintf(file, "call %s %d %s\n", name, calls, what); err != nil {
			return err
		}
		out, err := call()
		if err != nil {
			return err
		}
		verb, _, _ := strings.Cut(what, " ")
		_, err = fmt.Fprintf(file, "back %s %d %s %s\n", name, calls, verb, out)
		return err
	}
	for {
		var held []lease.Lease
		if err := record("take", func() (string, error) {
			var err error
			held, err = w.Take(ctx, 1+rand.IntN(4))
			var out []string
			for _, l := range held {
				out = append(out, fmt.Sprintf("%d:%x", l.ID, l.Fence))
			}
			return strings.Join(out, " "), err
		}); err != nil {
			return err
		}
		for _, l := range held {
			verbs := []string{"ack"}
			switch rand.IntN(8) {
			case 0:
				verbs = []string{"fail"}
			case 1:
				verbs = []string{"extend", "ack", "ack"} // the second one is late
			case 2:
				verbs = []string{"release"}
			}
			for _, verb := range verbs {
				time.Sleep(time.Duration(rand.IntN(3)) * time.Millisecond)
				if err := record(fmt.Sprintf("%s %d %x", verb, l.ID, l.Fence),
					func() (string, error) { return settle(w, verb, l) }); err != nil {
					return err
				}
			}
		}
	}
}

// groupOf is the name of a worker that handles the queue with a group, and dies of some records.
const groupOf = "group"

// playGroup handles records until it dies, which it does by those that are poison.
func playGroup() error {
	ctx := context.Background()
	open := func(queue string) (*remote.Log, error) {
		return remote.Open(ctx, "nerve://"+os.Getenv(serverEnv)+"/"+queue,
			remote.Options{Token: os.Getenv(tokenEnv)})
	}
	jobs, err := open("jobs")
	if err != nil {
		return err
	}
	dead, err := open("dead")
	if err != nil {
		return err
	}
	w, err := jobs.Join(ctx, "all", remote.WorkOptions{})
	if err != nil {
		return err
	}
	g, err := work.NewShared(w, "all", func(_ context.Context, d *work.Delivery) error {
		switch {
		case string(d.Data) == "poison":
			os.Exit(9)
		case d.Attempt == 1 && d.ID%10 == 0:
			return errors.New("once more")
		}
		return nil
	}, work.Options{Workers: 3, MaxAttempts: poisonAttempts,
		DeadLetters: nerve.New(dead, nerve.Options{}),
		Backoff:     func(int) time.Duration { return time.Millisecond }})
	if err != nil {
		return err
	}
	return g.Run(ctx)
}

// settle asks for something and says in a word what came of it.
func settle(w lease.Worker, verb string, l lease.Lease) (string, error) {
	ctx := context.Background()
	var err error
	switch verb {
	case "ack":
		err = w.Ack(ctx, l)
	case "fail":
		err = w.Fail(ctx, l, 0)
	case "extend":
		err = w.Extend(ctx, l)
	case "release":
		err = w.Release(ctx, l)
	}
	var late *nerve.LeaseError
	if errors.As(err, &late) {
		return outcomeLate, nil
	}
	return outcomeOK, err
}

// crew are workers in processes of their own, who write a history.
type crew struct {
	t       *testing.T
	r       *running
	history string
	workers map[string]*exec.Cmd
	came    int
}

// hire starts a worker with leases of a duration. Those of less than an hour may end at any time.
func (c *crew) hire(duration time.Duration) string {
	c.t.Helper()
	name := fmt.Sprint("w", c.came)
	c.came++
	if duration < time.Hour {
		c.note("short " + name)
	}
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), workerEnv+"="+name, historyEnv+"="+c.history,
		serverEnv+"="+c.r.Addr().String(), tokenEnv+"="+c.r.tokens["all"],
		leaseEnv+"="+duration.String())
	child.Stdout, child.Stderr = os.Stderr, os.Stderr
	if err := child.Start(); err != nil {
		c.t.Fatal(err)
	}
	c.workers[name] = child
	return name
}

func (c *crew) note(line string) {
	c.t.Helper()
	file, err := os.OpenFile(c.history, os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o600)
	must(c.t, err)
	_, err = fmt.Fprintln(file, line)
	must(c.t, errors.Join(err, file.Close()))
}

// kill kills a worker.
func (c *crew) kill(name string) {
	c.t.Helper()
	c.note("kill " + name)
	must(c.t, c.workers[name].Process.Kill())
	_ = c.workers[name].Wait() // that it was killed
	delete(c.workers, name)
}

func (c *crew) signal(name string, s syscall.Signal) {
	c.t.Helper()
	must(c.t, c.workers[name].Process.Signal(s))
}

// done waits until so many records are acknowledged.
func (c *crew) done(n int) {
	c.t.Helper()
	end := time.Now().Add(hangTime)
	for {
		text, err := os.ReadFile(c.history)
		must(c.t, err)
		if strings.Count(string(text), " ack ok\n") >= n {
			return
		}
		if time.Now().After(end) {
			c.t.Fatalf("%v:\n%s", errHangs, text)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// TestWorkersKilled has processes work under one name while some of them are killed, and one with
// short leases is stopped for a while. For each record what all of them did and were told has an
// order in which it was with one of them at a time, and was done once.
func TestWorkersKilled(t *testing.T) {
	const records, kills = 600, 4
	dir := t.TempDir()
	r := start(t, dir, core.Options{Create: true}, serve.Options{})
	ctx := workContext(t)
	log, err := remote.Open(ctx, "nerve://"+r.Addr().String()+"/jobs",
		remote.Options{Token: r.tokens["all"], Create: true})
	must(t, err)
	defer log.Close()
	var batch nerve.Batch
	for i := range records {
		batch.Append(fmt.Append(nil, i))
	}
	_, err = log.Append(ctx, &batch)
	must(t, err)

	c := &crew{t: t, r: r, history: filepath.Join(dir, "history"), workers: map[string]*exec.Cmd{}}
	c.note("short nobody")
	defer func() {
		for name := range c.workers {
			c.kill(name)
		}
	}()
	short := c.hire(20 * time.Millisecond)
	var long []string
	for range 3 {
		long = append(long, c.hire(time.Hour))
	}
	for i := range kills {
		c.done((i + 1) * records / (kills + 2))
		c.signal(short, syscall.SIGSTOP)
		c.kill(long[0])
		long = append(long[1:], c.hire(time.Hour))
		time.Sleep(50 * time.Millisecond) // the leases of the one that is stopped end
		c.signal(short, syscall.SIGCONT)
	}
	for { // the last answer to a worker that was killed may be in no history
		list, err := log.Pointers(ctx)
		must(t, err)
		if len(list) == 1 && list[0].ID == records {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}

	text, err := os.ReadFile(c.history)
	must(t, err)
	h, err := readHistory(string(text))
	must(t, err)
	if id, ok := h.check(); !ok {
		t.Errorf("record %d: %+v", id, h.operations[id])
	}
	for id := nerve.ID(1); id <= records; id++ {
		if h.acked[id] != 1 && !h.maybe[id] {
			t.Errorf("record %d was acknowledged %d times", id, h.acked[id])
		}
	}
	if h.late == 0 || h.kills != kills {
		t.Errorf("%d calls were late, %d workers killed", h.late, h.kills)
	}
	t.Logf("%d calls were late", h.late)
}

// poisonAttempts is how often a record may be tried in TestWorkGroups.
const poisonAttempts = 3

// TestWorkGroups handles a queue with groups in two processes, which one record takes down: a new
// process comes for each that died, the record becomes a dead letter, and all others are done.
func TestWorkGroups(t *testing.T) {
	const records = 200
	dir := t.TempDir()
	r := start(t, dir, core.Options{Create: true}, serve.Options{})
	ctx := workContext(t)
	open := func(queue string) *remote.Log {
		log, err := remote.Open(ctx, "nerve://"+r.Addr().String()+"/"+queue,
			remote.Options{Token: r.tokens["all"], Create: true})
		must(t, err)
		t.Cleanup(func() { _ = log.Close() })
		return log
	}
	jobs, dead := open("jobs"), open("dead")
	var batch nerve.Batch
	for i := range records {
		text := fmt.Sprint(i)
		if i == records/2 {
			text = "poison"
		}
		batch.Append([]byte(text))
	}
	_, err := jobs.Append(ctx, &batch)
	must(t, err)
	begin := func(died chan<- int) *exec.Cmd {
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), workerEnv+"="+groupOf, serverEnv+"="+r.Addr().String(),
			tokenEnv+"="+r.tokens["all"])
		must(t, child.Start())
		go func() {
			_ = child.Wait() // how it ended is in its state
			died <- child.ProcessState.ExitCode()
		}()
		return child
	}
	died := make(chan int, 2*poisonAttempts+2)
	children := []*exec.Cmd{begin(died), begin(died)}
	defer func() {
		for _, child := range children {
			_ = child.Process.Kill()
		}
	}()
	for n := 0; n < poisonAttempts; n++ {
		select {
		case code := <-died:
			if code != 9 {
				t.Fatalf("a process ended with %d", code)
			}
			children = append(children, begin(died))
		case <-ctx.Done():
			t.Fatal(errHangs)
		}
	}
	for {
		list, err := jobs.Pointers(ctx)
		must(t, err)
		if len(list) == 1 && list[0].ID == records {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	if len(died) > 0 {
		t.Errorf("a process died of a record that had no attempts left")
	}
	c, err := nerve.New(dead, nerve.Options{}).Consumer("reader", nerve.ConsumerOptions{})
	must(t, err)
	for letter, err := range nerve.Typed[deadletter.DeadLetterReader](ctx, c) {
		must(t, err)
		if letter.Value.GetId() != records/2+1 || letter.Value.GetAttempts() != poisonAttempts {
			t.Errorf("the dead letter is %+v", letter.Value)
		}
		break
	}
	if _, last := dead.Bounds(); last != 1 {
		t.Errorf("%d dead letters", last)
	}
}

// TestWorkersServerKilled kills the server under its workers: they join the next one by themselves,
// and every record is done.
func TestWorkersServerKilled(t *testing.T) {
	const records, kills = 400, 3
	k := &killed{t: t, dir: t.TempDir()}
	k.start()
	defer func() { _ = k.child.Process.Kill() }()
	ctx := workContext(t)
	open := func() *remote.Log {
		log, err := remote.Open(ctx, "nerve://127.0.0.1/jobs", remote.Options{
			Create: true, MaxBackoff: 20 * time.Millisecond, Wait: time.Minute,
			Dial: func(network, _ string) (net.Conn, error) {
				return net.Dial(network, k.address.Load().(string))
			}})
		must(t, err)
		t.Cleanup(func() { _ = log.Close() })
		return log
	}
	first := open()
	var batch nerve.Batch
	for i := range records {
		batch.Append(fmt.Append(nil, i))
	}
	_, err := first.Append(ctx, &batch)
	must(t, err)
	life, stop := context.WithCancel(ctx)
	defer stop()
	done := make(chan nerve.ID, records*(kills+1))
	var all sync.WaitGroup
	for range 3 {
		w := mustJoin(t, open(), "all", remote.WorkOptions{})
		all.Go(func() {
			for {
				leases, err := w.Take(life, 3)
				if err != nil {
					if !errors.Is(err, context.Canceled) {
						t.Error(err)
						stop()
					}
					return
				}
				for _, l := range leases {
					err := w.Ack(ctx, l)
					var late *nerve.LeaseError
					switch {
					case err == nil:
						done <- l.ID
						time.Sleep(time.Millisecond)
					case !errors.As(err, &late):
						t.Error(err)
					}
				}
			}
		})
	}
	seen := map[nerve.ID]bool{}
	for n := range kills {
		for len(seen) < (n+1)*records/(kills+1) {
			select {
			case id := <-done:
				seen[id] = true
			case <-life.Done():
				t.Fatal(errHangs)
			}
		}
		must(t, k.child.Process.Kill())
		_ = k.child.Wait() // that it was killed
		k.start()
	}
	for len(seen) < records {
		select {
		case id := <-done:
			seen[id] = true
		case <-life.Done():
			t.Fatalf("%d records were done: %v", len(seen), errHangs)
		}
	}
	stop()
	all.Wait()
}
