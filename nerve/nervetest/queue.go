package nervetest

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/octopus-framework/octopus/nerve"
)

// queue wraps the log of e, which the queue then owns.
func (e *env) queue(t *testing.T, options nerve.Options) *nerve.Queue {
	t.Helper()
	q := nerve.New(e.log, options)
	e.log = nil
	t.Cleanup(func() { q.Close() })
	return q
}

// reopenQueue closes q and opens the store again. A store that is not
// persistent skips the rest of the test.
func (e *env) reopenQueue(t *testing.T, q *nerve.Queue) *nerve.Queue {
	t.Helper()
	return e.reopenQueueAfter(t, q, func() {})
}

// reopenQueueAfter is reopenQueue with a look at the closed queue.
func (e *env) reopenQueueAfter(t *testing.T, q *nerve.Queue, check func()) *nerve.Queue {
	t.Helper()
	if err := q.Close(); err != nil {
		t.Fatalf("Close: %v", err)
	}
	check()
	if !e.can.Persistent {
		t.Skip("the store is not persistent")
	}
	e.open(t)
	return e.queue(t, nerve.Options{})
}

func fillQueue(t *testing.T, q *nerve.Queue, from, to nerve.ID) {
	t.Helper()
	if id, err := q.AppendBatch(testContext(t), batchOf(from, to)); err != nil || id != from {
		t.Fatalf("AppendBatch = %d, %v; want %d", id, err, from)
	}
}

func consumer(t *testing.T, q *nerve.Queue, name string,
	options nerve.ConsumerOptions) *nerve.Consumer {
	t.Helper()
	c, err := q.Consumer(name, options)
	if err != nil {
		t.Fatalf("Consumer(%q): %v", name, err)
	}
	return c
}

// take reads records from..to one by one and checks them.
func take(t *testing.T, c *nerve.Consumer, from, to nerve.ID, each func(nerve.ID)) {
	t.Helper()
	next := from
	for rec, err := range c.Records(testContext(t)) {
		if err != nil {
			t.Fatalf("at %d: %v", next, err)
		}
		if rec.ID != next || string(rec.Data) != content(next) {
			t.Fatalf("got record %d %q, want %d %q", rec.ID, rec.Data, next, content(next))
		}
		if each != nil {
			each(rec.ID)
		}
		if next++; next > to {
			return
		}
	}
}

func queueGroupsAppends(t *testing.T, e *env) {
	q := e.queue(t, nerve.Options{})
	const writers, each = 64, 30
	ctx := testContext(t)
	var all sync.WaitGroup
	var mu sync.Mutex
	byID := make(map[nerve.ID]string)
	for w := range writers {
		all.Add(1)
		go func() {
			defer all.Done()
			var before nerve.ID
			for i := range each {
				data := content(nerve.ID(w*each + i))
				id, err := q.Append(ctx, []byte(data))
				if err != nil || id <= before {
					t.Errorf("Append = %d, %v after %d", id, err, before)
					return
				}
				before = id
				mu.Lock()
				byID[id] = data
				mu.Unlock()
			}
		}()
	}
	all.Wait()
	if len(byID) != writers*each {
		t.Fatalf("%d ids for %d records", len(byID), writers*each)
	}
	cur, err := q.Read(testContext(t), 1)
	if err != nil {
		t.Fatal(err)
	}
	defer cur.Close()
	var b nerve.Batch
	for next := nerve.ID(1); next <= writers*each; {
		if err := cur.Next(ctx, &b); err != nil {
			t.Fatal(err)
		}
		for rec := range b.All() {
			if string(rec.Data) != byID[rec.ID] || rec.ID != next {
				t.Fatalf("record %d is %q, its writer was told %q", rec.ID, rec.Data, byID[rec.ID])
			}
			next++
		}
	}
	stats, err := q.Stats()
	if err != nil || stats.Records != writers*each || stats.Commits == 0 ||
		stats.Commits > stats.Records {
		t.Fatalf("Stats = %+v, %v", stats, err)
	}
}

func queueBatchesStayWhole(t *testing.T, e *env) {
	q := e.queue(t, nerve.Options{GroupBytes: 200})
	ctx := testContext(t)
	var handles []nerve.Handle
	want := nerve.ID(1)
	var starts []nerve.ID
	for i := range nerve.ID(50) {
		h, err := q.AppendBatchAsync(ctx, batchOf(want, want+i%13))
		if err != nil {
			t.Fatal(err)
		}
		handles, starts = append(handles, h), append(starts, want)
		want += i%13 + 1
	}
	for i, h := range handles {
		if id, err := h.Wait(ctx); err != nil || id != starts[i] {
			t.Fatalf("handle %d: %d, %v; want %d", i, id, err, starts[i])
		}
	}
	c := consumer(t, q, "all", nerve.ConsumerOptions{})
	take(t, c, 1, want-1, nil)
}

func queueBackPressure(t *testing.T, e *env) {
	slow := &slowLog{Log: e.log, gate: make(chan struct{})}
	e.log = slow
	q := e.queue(t, nerve.Options{InFlightBytes: 1000, GroupBytes: 300})
	accepted := 0
	for {
		ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
		_, err := q.AppendAsync(ctx, make([]byte, 96))
		cancel()
		if err != nil {
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Fatal(err)
			}
			break
		}
		if accepted++; accepted > 10 {
			t.Fatalf("%d records of 100 packed bytes accepted over a limit of 1000", accepted)
		}
	}
	if accepted != 10 {
		t.Fatalf("%d records accepted, want 10", accepted)
	}
	if stats, err := q.Stats(); err != nil || stats.InFlight != 1000 {
		t.Fatalf("%d bytes in flight, %v", stats.InFlight, err)
	}
	close(slow.gate)
	// A record larger than the whole budget still passes, alone.
	if _, err := q.Append(testContext(t), make([]byte, 2000)); err != nil {
		t.Fatal(err)
	}
	if _, last := q.Bounds(); last != 11 {
		t.Fatalf("last is %d, want 11", last)
	}
}

// slowLog holds appends until its gate opens.
type slowLog struct {
	nerve.Log
	gate chan struct{}
}

func (l *slowLog) Append(ctx context.Context, b *nerve.Batch) (nerve.ID, error) {
	<-l.gate
	return l.Log.Append(ctx, b)
}

// turnLog tells of appends that begin, holds them until its gate opens, and
// notices when two run at a time.
type turnLog struct {
	slowLog
	running atomic.Int32
	overlap atomic.Bool
	begun   chan struct{}
}

func (l *turnLog) Append(ctx context.Context, b *nerve.Batch) (nerve.ID, error) {
	if l.running.Add(1) > 1 {
		l.overlap.Store(true)
	}
	defer l.running.Add(-1)
	select {
	case l.begun <- struct{}{}:
	default:
	}
	return l.slowLog.Append(ctx, b)
}

// queueCallersCommit checks appends that cannot be canceled, which callers may
// commit by themselves: beside others, and while the queue is being closed.
func queueCallersCommit(t *testing.T, e *env) {
	ctx, free := testContext(t), context.Background()
	log := &turnLog{slowLog: slowLog{Log: e.log, gate: make(chan struct{})},
		begun: make(chan struct{}, 1)}
	e.log = log
	q := e.queue(t, nerve.Options{})
	type answer struct {
		id  nerve.ID
		err error
	}
	answers := make(chan answer, 2)
	b := batchOf(1, 3)
	go func() {
		id, err := q.AppendBatch(free, b)
		answers <- answer{id, err}
	}()
	<-log.begun
	var handles []nerve.Handle
	for id := nerve.ID(4); id <= 10; id++ {
		h, err := q.AppendAsync(ctx, []byte(content(id)))
		if err != nil {
			t.Fatal(err)
		}
		handles = append(handles, h)
	}
	if _, last := q.Bounds(); last != 0 {
		t.Fatalf("%d is readable before it is durable", last)
	}
	close(log.gate)
	if a := <-answers; a.id != 1 || a.err != nil || b.First != 0 || b.Len() != 3 {
		t.Fatalf("AppendBatch = %d, %v; the batch begins with %d", a.id, a.err, b.First)
	}
	for i, h := range handles {
		if id, err := h.Wait(ctx); id != nerve.ID(4+i) || err != nil {
			t.Fatalf("Wait = %d, %v; want %d", id, err, 4+i)
		}
	}

	var all sync.WaitGroup
	for g := range 8 {
		all.Go(func() {
			mine := free
			if g%2 == 0 {
				mine = ctx
			}
			before := nerve.ID(10)
			for range 50 {
				id, err := q.Append(mine, []byte{byte(g)})
				if err != nil || id <= before {
					t.Errorf("Append = %d after %d, %v", id, before, err)
					return
				}
				before = id
			}
		})
	}
	all.Wait()
	if stats, err := q.Stats(); err != nil || stats.Last != 410 || stats.Records != 410 ||
		stats.InFlight != 0 {
		t.Fatalf("%+v, %v", stats, err)
	}

	log.gate = make(chan struct{})
	select {
	case <-log.begun:
	default:
	}
	go func() {
		id, err := q.Append(free, []byte("last"))
		answers <- answer{id, err}
	}()
	<-log.begun
	closed := make(chan error)
	go func() { closed <- q.Close() }()
	select {
	case err := <-closed:
		t.Fatalf("Close during a commit = %v", err)
	case <-time.After(20 * time.Millisecond):
	}
	close(log.gate)
	if a := <-answers; a.id != 411 || a.err != nil {
		t.Fatalf("Append during Close = %d, %v", a.id, a.err)
	}
	if err := <-closed; err != nil {
		t.Fatal(err)
	}
	if _, err := q.Append(free, nil); !errors.Is(err, nerve.ErrClosed) {
		t.Fatalf("Append after Close = %v", err)
	}
	if log.overlap.Load() {
		t.Fatal("two appends at a time")
	}
}

func queueCloseCommits(t *testing.T, e *env) {
	q := e.queue(t, nerve.Options{})
	var handles []nerve.Handle
	for id := nerve.ID(1); id <= 100; id++ {
		h, err := q.AppendAsync(testContext(t), []byte(content(id)))
		if err != nil {
			t.Fatal(err)
		}
		handles = append(handles, h)
	}
	again := e.reopenQueueAfter(t, q, func() {
		for i, h := range handles {
			if id, err := h.Wait(testContext(t)); err != nil || id != nerve.ID(i+1) {
				t.Fatalf("handle %d: %d, %v", i, id, err)
			}
		}
		if _, err := q.Append(testContext(t), nil); !errors.Is(err, nerve.ErrClosed) {
			t.Fatalf("Append after Close = %v", err)
		}
	})
	take(t, consumer(t, again, "all", nerve.ConsumerOptions{}), 1, 100, nil)
}

func consumerResumesAfterPointer(t *testing.T, e *env) {
	q := e.queue(t, nerve.Options{})
	fillQueue(t, q, 1, 40)
	c := consumer(t, q, "billing", nerve.ConsumerOptions{})
	take(t, c, 1, 17, func(id nerve.ID) {
		if err := c.Ack(id); err != nil {
			t.Fatal(err)
		}
	})
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	c = consumer(t, q, "billing", nerve.ConsumerOptions{})
	take(t, c, 18, 30, nil)
	if err := c.AckThrough(25); err != nil {
		t.Fatal(err)
	}
	q = e.reopenQueue(t, q)
	c = consumer(t, q, "billing", nerve.ConsumerOptions{})
	take(t, c, 26, 40, nil)
}

func consumerAcksOutOfOrder(t *testing.T, e *env) {
	q := e.queue(t, nerve.Options{})
	const last = 1000
	fillQueue(t, q, 1, last)
	c := consumer(t, q, "workers", nerve.ConsumerOptions{})
	var order []nerve.ID
	take(t, c, 1, last, func(id nerve.ID) { order = append(order, id) })
	// A fixed shuffle that leaves gaps of all sizes.
	slices.SortFunc(order, func(a, b nerve.ID) int { return int(a*7919%1009) - int(b*7919%1009) })
	acked := make([]bool, last+2)
	want := nerve.ID(0)
	for _, id := range order {
		if err := c.Ack(id); err != nil {
			t.Fatal(err)
		}
		acked[id] = true
		for acked[want+1] {
			want++
		}
		if c.Pointer() != want {
			t.Fatalf("after ack of %d the pointer is %d, want %d", id, c.Pointer(), want)
		}
	}
	if err := c.Ack(5); err != nil {
		t.Fatalf("second ack: %v", err)
	}
	wantError[*nerve.AckError](t, c.Ack(last+1))
}

func consumerStarts(t *testing.T, e *env) {
	q := e.queue(t, nerve.Options{})
	fillQueue(t, q, 1, 10)
	time.Sleep(2 * time.Millisecond)
	middle := time.Now()
	time.Sleep(2 * time.Millisecond)
	fillQueue(t, q, 11, 20)
	latest := consumer(t, q, "latest", nerve.ConsumerOptions{Start: nerve.StartLatest()})
	fillQueue(t, q, 21, 30)
	take(t, latest, 21, 30, nil)
	take(t, consumer(t, q, "oldest", nerve.ConsumerOptions{}), 1, 30, nil)
	take(t, consumer(t, q, "time", nerve.ConsumerOptions{Start: nerve.StartTime(middle)}), 11, 30,
		nil)
	c := consumer(t, q, "id", nerve.ConsumerOptions{Start: nerve.StartAfter(7)})
	take(t, c, 8, 30, nil)
	if err := c.Seek(nerve.StartAfter(3)); err != nil {
		t.Fatal(err)
	}
	take(t, c, 4, 12, nil)
	_, err := q.Consumer("beyond", nerve.ConsumerOptions{Start: nerve.StartAfter(31)})
	wantError[*nerve.FutureError](t, err)
}

func consumerWindow(t *testing.T, e *env) {
	q := e.queue(t, nerve.Options{})
	for id := nerve.ID(1); id <= 10; id++ {
		fillQueue(t, q, id, id)
	}
	c := consumer(t, q, "window", nerve.ConsumerOptions{MaxUnacked: 3})
	take(t, c, 1, 3, nil)
	short, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if err := c.Next(short, new(nerve.Batch)); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("Next with three unacknowledged = %v", err)
	}
	go func() { _ = c.Ack(1) }()
	take(t, c, 4, 4, nil)
}

func consumerEarlyBreak(t *testing.T, e *env) {
	q := e.queue(t, nerve.Options{})
	fillQueue(t, q, 1, 20)
	c := consumer(t, q, "c", nerve.ConsumerOptions{})
	take(t, c, 1, 5, nil)
	wantError[*nerve.AckError](t, c.Ack(6))
	take(t, c, 6, 6, nil)
	take(t, c, 7, 20, nil)
}

func consumerErrors(t *testing.T, e *env) {
	q := e.queue(t, nerve.Options{})
	fillQueue(t, q, 1, 20)
	_, err := q.Consumer("no good", nerve.ConsumerOptions{})
	wantError[*nerve.NameError](t, err)
	c := consumer(t, q, "c", nerve.ConsumerOptions{})
	_, err = q.Consumer("c", nerve.ConsumerOptions{})
	wantError[*nerve.OpenError](t, err)
	if _, err := q.Trim(testContext(t), 11); err != nil {
		t.Fatal(err)
	}
	err = c.Next(testContext(t), new(nerve.Batch))
	if e := wantError[*nerve.TrimmedError](t, err); e.First != 11 {
		t.Fatalf("%+v", e)
	}
	if err := c.Seek(nerve.StartOldest()); err != nil {
		t.Fatal(err)
	}
	take(t, c, 11, 20, nil)
	done := make(chan error)
	go func() { done <- c.Next(context.Background(), new(nerve.Batch)) }()
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; !errors.Is(err, nerve.ErrClosed) {
		t.Fatalf("Next of a closed consumer = %v", err)
	}
	if err := c.Ack(12); !errors.Is(err, nerve.ErrClosed) {
		t.Fatalf("Ack of a closed consumer = %v", err)
	}
}

func consumersAreIndependent(t *testing.T, e *env) {
	q := e.queue(t, nerve.Options{SaveInterval: time.Millisecond})
	const last = 2000
	ctx := testContext(t)
	var all sync.WaitGroup
	for _, name := range []string{"a", "b", "c", "d"} {
		c := consumer(t, q, name, nerve.ConsumerOptions{})
		all.Add(1)
		go func() {
			defer all.Done()
			next := nerve.ID(1)
			for rec, err := range c.Records(ctx) {
				if err != nil || rec.ID != next || string(rec.Data) != content(next) {
					t.Errorf("%s: got %d %q, %v; want %d", name, rec.ID, rec.Data, err, next)
					return
				}
				if err := c.Ack(rec.ID); err != nil {
					t.Error(err)
					return
				}
				if next++; next > last {
					return
				}
			}
		}()
	}
	for id := nerve.ID(1); id <= last; id += 50 {
		fillQueue(t, q, id, id+49)
	}
	all.Wait()
	stats, err := q.Stats()
	if err != nil || len(stats.Consumers) != 4 {
		t.Fatalf("Stats = %+v, %v", stats, err)
	}
	for _, c := range stats.Consumers {
		if c.Pointer != last || c.Lag != 0 || !c.Open {
			t.Errorf("%+v", c)
		}
	}
}

// consumersWaitInOneQueue opens a name that is open in the same queue when it is
// closed there, and gives up when the queue is closed.
func consumersWaitInOneQueue(t *testing.T, e *env) {
	fill(t, e.log, 5, 5)
	q := e.queue(t, nerve.Options{})
	first := consumer(t, q, "a", nerve.ConsumerOptions{})
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			c, err := q.Consumer("a", nerve.ConsumerOptions{Wait: nerve.WaitForever})
			if err == nil {
				err = c.Close()
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	all.Wait()
	consumer(t, q, "a", nerve.ConsumerOptions{})
	ended := make(chan error)
	go func() {
		_, err := q.Consumer("a", nerve.ConsumerOptions{Wait: nerve.WaitForever})
		ended <- err
	}()
	if err := q.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; !errors.Is(err, nerve.ErrClosed) {
		t.Fatalf("a consumer that waits when the queue is closed: %v", err)
	}
}
