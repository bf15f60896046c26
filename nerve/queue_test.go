package nerve_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/memlog"
)

// failingLog fails what it is told to.
type failingLog struct {
	nerve.Log
	mu           sync.Mutex
	append, save error
}

func (l *failingLog) set(append, save error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.append, l.save = append, save
}

func (l *failingLog) Append(ctx context.Context, b *nerve.Batch) (nerve.ID, error) {
	l.mu.Lock()
	err := l.append
	l.mu.Unlock()
	if err != nil {
		return 0, err
	}
	return l.Log.Append(ctx, b)
}

func (l *failingLog) SavePointers(ctx context.Context, p []nerve.Pointer) error {
	l.mu.Lock()
	err := l.save
	l.mu.Unlock()
	if err != nil {
		return err
	}
	return l.Log.SavePointers(ctx, p)
}

// commits is an Observer that counts.
type commits struct {
	mu              sync.Mutex
	good, bad, recs int
}

func (c *commits) Commit(records, _ int, _ time.Duration, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		c.bad++
		return
	}
	c.good++
	c.recs += records
}

// TestFailedCommit gives the error of a commit to all whose records were in it, and
// goes on when the cause is gone.
func TestFailedCommit(t *testing.T) {
	// one that can end: no caller commits by itself
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	full := errors.New("the disk is full")
	log, seen := &failingLog{Log: memlog.New(memlog.Options{})}, new(commits)
	q := nerve.New(log, nerve.Options{Linger: 20 * time.Millisecond, Observer: seen})
	defer q.Close()
	log.set(full, nil)
	var handles []nerve.Handle
	for range 5 {
		h, err := q.AppendAsync(ctx, []byte("x"))
		if err != nil {
			t.Fatal(err)
		}
		handles = append(handles, h)
	}
	for i, h := range handles {
		<-h.Done()
		if id, err := h.Wait(ctx); id != 0 || !errors.Is(err, full) {
			t.Fatalf("handle %d: %d, %v", i, id, err)
		}
	}
	log.set(nil, nil)
	if id, err := q.Append(ctx, []byte("y")); id != 1 || err != nil {
		t.Fatalf("Append after a failed commit = %d, %v", id, err)
	}
	s, err := q.Stats()
	if err != nil || s.InFlight != 0 || s.Commits != 1 || s.CommitErrors == 0 || s.Records != 1 {
		t.Fatalf("%+v, %v", s, err)
	}
	q.Close()
	if seen.good != 1 || seen.bad != int(s.CommitErrors) || seen.recs != 1 {
		t.Fatalf("the observer saw %d commits of %d records and %d that failed, Stats says %+v",
			seen.good, seen.recs, seen.bad, s)
	}
}

// TestLinger waits for company.
func TestLinger(t *testing.T) {
	ctx := context.Background()
	q := nerve.New(memlog.New(memlog.Options{}), nerve.Options{Linger: 50 * time.Millisecond})
	defer q.Close()
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() {
			if _, err := q.Append(ctx, []byte("x")); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if s, err := q.Stats(); err != nil || s.Records != 10 || s.Commits >= 10 {
		t.Fatalf("%+v, %v", s, err)
	}
}

// TestPointersThatCannotBeSaved are told to the logger, and to who closes or saves.
func TestPointersThatCannotBeSaved(t *testing.T) {
	ctx := context.Background()
	full := errors.New("the disk is full")
	log := &failingLog{Log: memlog.New(memlog.Options{})}
	var text lockedBuffer
	q := nerve.New(log, nerve.Options{SaveInterval: time.Millisecond,
		Logger: slog.New(slog.NewTextHandler(&text, nil))})
	defer q.Close()
	if _, err := q.Append(ctx, []byte("x")); err != nil {
		t.Fatal(err)
	}
	log.set(nil, full)
	if _, err := q.Consumer("c", nerve.ConsumerOptions{}); !errors.Is(err, full) {
		t.Fatalf("Consumer = %v, though its start cannot be kept", err)
	}
	log.set(nil, nil)
	c, err := q.Consumer("c", nerve.ConsumerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := q.Consumer("c", nerve.ConsumerOptions{}); err == nil ||
		!strings.Contains(err.Error(), `"c" is already open`) {
		t.Fatalf("a second consumer of the name: %v", err)
	}
	var b nerve.Batch
	if err := c.Next(ctx, &b); err != nil {
		t.Fatal(err)
	}
	log.set(nil, full)
	if err := c.Ack(1); err != nil {
		t.Fatal(err)
	}
	if err := c.Save(ctx); !errors.Is(err, full) {
		t.Fatalf("Save = %v", err)
	}
	for deadline := time.Now().Add(2 * time.Minute); !strings.Contains(text.String(),
		full.Error()); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the logger was not told")
		}
	}
	time.Sleep(20 * time.Millisecond) // as many intervals
	if n := strings.Count(text.String(), "\n"); n != 1 {
		t.Fatalf("a disk that stays full is told %d times:\n%s", n, text.String())
	}
	if err := c.Close(); !errors.Is(err, full) || !strings.Contains(err.Error(), "consumer c") {
		t.Fatalf("Close = %v", err)
	}
	log.set(nil, nil)
	again, err := q.Consumer("c", nerve.ConsumerOptions{})
	if err != nil || again.Name() != "c" || again.Pointer() != 0 {
		t.Fatalf("%v, pointer %d", err, again.Pointer())
	}
	if err := again.Next(ctx, &b); err != nil || b.First != 1 {
		t.Fatalf("Next = %v, record %d; want 1, whose ack was not saved", err, b.First)
	}
}

// TestFullWindowIsToldOnce waits for acks again and again, as a consumer with slow
// workers does all the time.
func TestFullWindowIsToldOnce(t *testing.T) {
	ctx := context.Background()
	var text lockedBuffer
	q := nerve.New(memlog.New(memlog.Options{}),
		nerve.Options{Logger: slog.New(slog.NewTextHandler(&text, nil))})
	defer q.Close()
	c, err := q.Consumer("c", nerve.ConsumerOptions{MaxUnacked: 1})
	if err != nil {
		t.Fatal(err)
	}
	var b nerve.Batch
	for id := nerve.ID(1); id <= 5; id++ {
		if _, err := q.Append(ctx, []byte("x")); err != nil {
			t.Fatal(err)
		}
		if err := c.Next(ctx, &b); err != nil || b.First != id {
			t.Fatalf("Next = %v, record %d; want %d", err, b.First, id)
		}
		short, cancel := context.WithTimeout(ctx, time.Millisecond)
		if err := c.Next(short, &b); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("Next over the window = %v", err)
		}
		cancel()
		if err := c.Ack(id); err != nil {
			t.Fatal(err)
		}
	}
	if n := strings.Count(text.String(), "waits for acks"); n != 1 {
		t.Fatalf("told %d times:\n%s", n, text.String())
	}
}

// TestRecordsEnd ends loops by context and by Close.
func TestRecordsEnd(t *testing.T) {
	q := nerve.New(memlog.New(memlog.Options{}), nerve.Options{})
	defer q.Close()
	c, err := q.Consumer("c", nerve.ConsumerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	last := func(ctx context.Context) (n int, last error) {
		for _, err := range c.Records(ctx) {
			n, last = n+1, err
		}
		return n, last
	}
	enough := errors.New("enough")
	ctx, cancel := context.WithCancelCause(context.Background())
	time.AfterFunc(10*time.Millisecond, func() { cancel(enough) })
	if n, err := last(ctx); n != 1 || !errors.Is(err, enough) {
		t.Fatalf("%d yields, the last %v", n, err)
	}
	time.AfterFunc(10*time.Millisecond, func() { c.Close() })
	if n, err := last(context.Background()); n != 1 || !errors.Is(err, nerve.ErrClosed) {
		t.Fatalf("%d yields, the last %v", n, err)
	}
	closed := map[string]error{
		"Seek": c.Seek(nerve.StartOldest()), "Ack": c.Ack(0), "AckThrough": c.AckThrough(0),
		"Close": c.Close(),
		"Next":  c.Next(context.Background(), new(nerve.Batch)),
	}
	for what, err := range closed {
		if !errors.Is(err, nerve.ErrClosed) {
			t.Errorf("%s after Close = %v", what, err)
		}
	}
}

// TestTooLargeThroughTheQueue refuses what the log would, before it takes memory.
func TestTooLargeThroughTheQueue(t *testing.T) {
	q := nerve.New(memlog.New(memlog.Options{Limits: nerve.Limits{Record: 10, Batch: 30}}),
		nerve.Options{})
	defer q.Close()
	var long, many nerve.Batch
	long.Append(make([]byte, 11))
	for range 3 {
		many.AppendFunc(func(dst []byte) []byte { return append(dst, "0123456789"...) })
	}
	cancelable, cancel := context.WithCancel(context.Background())
	defer cancel()
	for _, ctx := range []context.Context{context.Background(), cancelable} {
		_, record := q.Append(ctx, make([]byte, 11))
		_, batch := q.AppendBatch(ctx, &many)
		_, inBatch := q.AppendBatch(ctx, &long)
		for err, what := range map[error]string{record: "record", batch: "batch",
			inBatch: "record"} {
			var large *nerve.TooLargeError
			if !errors.As(err, &large) || large.What != what {
				t.Errorf("a %s that is too large: %v", what, err)
			}
		}
	}
	if s, err := q.Stats(); err != nil || s.InFlight != 0 || s.Last != 0 {
		t.Fatalf("%+v, %v", s, err)
	}
	if _, err := q.Append(cancelable, make([]byte, 10)); err != nil {
		t.Fatal(err)
	}
}

// lockedBuffer is a buffer that a logger writes to while it is read.
type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}
