package nerve_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/memlog"
)

// process is a log as one of several processes has it: closing it leaves it to the
// others, and its renewals can be held up.
type process struct {
	*memlog.Log
	mu      sync.Mutex
	stopped bool // as by SIGSTOP: nothing is renewed or saved
	renewed chan struct{}
}

func (p *process) Close() error { return nil }

func (p *process) stop(stopped bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stopped = stopped
}

var errStopped = errors.New("the process is stopped")

func (p *process) Renew(ctx context.Context, c nerve.Claim) (nerve.Claim, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped {
		return c, errStopped
	}
	c, err := p.Log.Renew(ctx, c)
	select {
	case p.renewed <- struct{}{}:
	default:
	}
	return c, err
}

func (p *process) SavePointers(ctx context.Context, list []nerve.Pointer) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped {
		return errStopped
	}
	return p.Log.SavePointers(ctx, list)
}

// shared is a log of two processes whose clock is moved by hand.
func shared(t *testing.T) (mine, theirs *process, ahead *atomic.Int64) {
	t.Helper()
	ahead = new(atomic.Int64)
	start := time.Now()
	log := memlog.New(memlog.Options{
		Lease: 30 * time.Millisecond,
		Now:   func() time.Time { return start.Add(time.Duration(ahead.Load())) },
	})
	var b nerve.Batch
	for range 10 {
		b.Append([]byte("x"))
	}
	if _, err := log.Append(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
	return &process{Log: log, renewed: make(chan struct{})}, &process{Log: log}, ahead
}

// TestClaimIsRenewed lets the lease of a consumer pass often, a part at a time.
func TestClaimIsRenewed(t *testing.T) {
	log, _, ahead := shared(t)
	q := nerve.New(log, nerve.Options{})
	defer q.Close()
	c, err := q.Consumer("a", nerve.ConsumerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for range 10 {
		<-log.renewed
		ahead.Add(int64(20 * time.Millisecond)) // the clock stands still until here
		<-log.renewed
		<-log.renewed
		var taken *nerve.OpenError
		if _, err := log.Claim(t.Context(), "a"); !errors.As(err, &taken) {
			t.Fatalf("the name of a live consumer is given away: %v", err)
		}
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := log.Claim(t.Context(), "a"); err != nil {
		t.Fatalf("a name that was given up: %v", err)
	}
}

// TestConsumerLosesItsName stops a process for longer than its lease: another one
// takes over, and the first notices, saves nothing, and delivers nothing more.
func TestConsumerLosesItsName(t *testing.T) {
	mine, theirs, ahead := shared(t)
	ctx := t.Context()
	q := nerve.New(mine, nerve.Options{SaveInterval: time.Hour})
	defer q.Close()
	open := func(name string) *nerve.Consumer {
		t.Helper()
		c, err := q.Consumer(name, nerve.ConsumerOptions{MaxUnacked: 100})
		if err != nil {
			t.Fatal(err)
		}
		var b nerve.Batch
		if err := c.Next(ctx, &b); err != nil || c.AckThrough(4) != nil {
			t.Fatal(err)
		}
		return c
	}
	lost, kept := open("a"), open("b")
	waits := make(chan error, 1)
	go func() { waits <- lost.Next(context.Background(), new(nerve.Batch)) }()
	mine.stop(true)
	ahead.Add(int64(time.Second))

	other := nerve.New(theirs, nerve.Options{})
	defer other.Close()
	c, err := other.Consumer("a", nerve.ConsumerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if c.Pointer() != 0 {
		t.Fatalf("the pointer is %d, and nothing was saved", c.Pointer())
	}
	mine.stop(false)

	fenced := func(what string, err error) {
		t.Helper()
		var e *nerve.FencedError
		if !errors.As(err, &e) || e.What != "consumer" || e.Name != "a" {
			t.Errorf("%s = %v, want a FencedError", what, err)
		}
	}
	fenced("Next that waits", <-waits) // the renewal told
	fenced("Next", lost.Next(ctx, new(nerve.Batch)))
	fenced("Ack", lost.Ack(5))
	fenced("Seek", lost.Seek(nerve.StartOldest()))
	fenced("SetMeta", lost.SetMeta(nil))
	// The others of the same queue are not harmed.
	if err := kept.Save(ctx); err != nil {
		t.Errorf("Save of another consumer = %v", err)
	}
	fenced("Close", lost.Close())
	pointers, err := mine.Pointers(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pointers {
		if want := map[string]nerve.ID{"a": 0, "b": 4}[p.Name]; p.ID != want {
			t.Errorf("the pointer of %s is %d, want %d", p.Name, p.ID, want)
		}
	}
}

// TestSaveTellsOfLostNames notices by a save instead of a renewal, and saves what
// is not lost in the same call.
func TestSaveTellsOfLostNames(t *testing.T) {
	mine, theirs, ahead := shared(t)
	ctx := t.Context()
	q := nerve.New(mine, nerve.Options{SaveInterval: time.Millisecond})
	var list []*nerve.Consumer
	for _, name := range []string{"a", "b", "c"} {
		c, err := q.Consumer(name, nerve.ConsumerOptions{})
		if err != nil || c.Next(ctx, new(nerve.Batch)) != nil {
			t.Fatal(err)
		}
		list = append(list, c)
	}
	mine.stop(true)
	ahead.Add(int64(time.Second))
	if _, err := theirs.Claim(ctx, "b"); err != nil {
		t.Fatal(err)
	}
	for _, c := range list {
		if err := c.AckThrough(7); err != nil {
			t.Fatal(err)
		}
	}
	mine.stop(false)
	err := q.Close()
	var fenced *nerve.FencedError
	if !errors.As(err, &fenced) || fenced.Name != "b" {
		t.Fatalf("Close = %v", err)
	}
	pointers, err := mine.Pointers(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pointers {
		if want := map[string]nerve.ID{"a": 7, "b": 0, "c": 7}[p.Name]; p.ID != want {
			t.Errorf("the pointer of %s is %d, want %d", p.Name, p.ID, want)
		}
	}
}

// hungLog answers when the context ends.
type hungLog struct{ nerve.Log }

func (l hungLog) Append(ctx context.Context, b *nerve.Batch) (nerve.ID, error) {
	<-ctx.Done()
	return 0, &nerve.OutcomeError{Key: b.Key, Cause: context.Cause(ctx)}
}

func (l hungLog) Pointers(ctx context.Context) ([]nerve.Pointer, error) {
	<-ctx.Done()
	return nil, context.Cause(ctx)
}

// TestCallTimeout ends calls to a server that hangs, and each one anew.
func TestCallTimeout(t *testing.T) {
	log := hungLog{memlog.New(memlog.Options{})}
	q := nerve.New(log, nerve.Options{CallTimeout: 5 * time.Millisecond})
	defer q.Close()
	keyed := &nerve.Batch{Key: nerve.Key{Producer: 1, Seq: 1}}
	keyed.Append(nil)
	for range 3 {
		_, appendErr := q.Append(context.Background(), nil)
		_, keyedErr := q.AppendBatch(context.Background(), keyed)
		_, openErr := q.Consumer("a", nerve.ConsumerOptions{})
		_, statsErr := q.Stats()
		for what, err := range map[string]error{
			"Append": appendErr, "with a key": keyedErr, "Consumer": openErr, "Stats": statsErr,
		} {
			var late *nerve.TimeoutError
			if !errors.As(err, &late) || !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s = %v, want a TimeoutError", what, err)
			}
		}
		for what, err := range map[string]error{"Append": appendErr, "with a key": keyedErr} {
			var unknown *nerve.OutcomeError
			if !errors.As(err, &unknown) {
				t.Errorf("%s = %v, want an OutcomeError", what, err)
			}
		}
	}
}
