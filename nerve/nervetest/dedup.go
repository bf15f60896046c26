package nervetest

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/octopus-framework/octopus/nerve"
)

// idOf is the id of an append that is number n of a test.
func idOf(n nerve.ID) nerve.DedupID { return nerve.DedupIDOf([]byte(fmt.Sprint(n))) }

// once is a batch of records from..to with the id of from.
func once(from, to nerve.ID) *nerve.Batch {
	b := batchOf(from, to)
	b.Once(idOf(from))
	return b
}

// wantOnce appends records first..last with their id and checks where they are,
// and whether they were there before.
func wantOnce(t *testing.T, log nerve.Log, first, last nerve.ID, repeated bool) {
	t.Helper()
	b := once(first, last)
	id, err := log.Append(testContext(t), b)
	if err != nil || id != first || b.First != first {
		t.Fatalf("Append = %d, %v, the batch begins with %d; want %d", id, err, b.First, first)
	}
	wantPart(t, b.Parts()[0], first, last, repeated)
}

func wantPart(t *testing.T, p nerve.Part, first, last nerve.ID, repeated bool) {
	t.Helper()
	if p.Stored.First != first || p.Stored.Last != last || p.Repeated != repeated {
		t.Fatalf("the part is %+v; want %d to %d, repeated %t", p, first, last, repeated)
	}
}

// onceStoresOnce stores the append of an id once, whatever came between.
func onceStoresOnce(t *testing.T, e *env) {
	wantOnce(t, e.log, 1, 3, false)
	wantOnce(t, e.log, 1, 3, true)
	fill(t, e.log, 5, 2)
	wantOnce(t, e.log, 6, 6, false)
	for range 3 {
		wantOnce(t, e.log, 1, 3, true)
		wantOnce(t, e.log, 6, 6, true)
	}
	wantBounds(t, e.log, 1, 6)
	// What the first one had counts, not what it is repeated with.
	b := batchOf(100, 104)
	b.Once(idOf(1))
	if id, err := e.log.Append(testContext(t), b); err != nil || id != 1 {
		t.Fatalf("Append = %d, %v; want 1", id, err)
	}
	wantPart(t, b.Parts()[0], 1, 3, true)
	wantBounds(t, e.log, 1, 6)
	fill(t, e.log, 7, 1)
	expect(t, e.log, 1, 7)
}

// onceBesideOthers stores of a batch what is new: parts with ids that are known,
// parts that come twice in it, and records without an id.
func onceBesideOthers(t *testing.T, e *env) {
	fill(t, e.log, 2, 2)
	wantOnce(t, e.log, 3, 4, false)
	b := new(nerve.Batch)
	add := func(from, to, of nerve.ID) {
		some := batchOf(from, to)
		if of > 0 {
			some.Once(idOf(of))
		}
		b.AppendBatch(some)
	}
	add(5, 6, 0)
	add(3, 4, 3) // known
	add(7, 7, 7)
	add(7, 7, 7) // twice
	add(8, 8, 0)
	add(9, 11, 9)
	id, err := e.log.Append(testContext(t), b)
	if err != nil || id != 5 || b.First != 5 {
		t.Fatalf("Append = %d, %v; want 5", id, err)
	}
	for i, want := range []struct {
		first, last nerve.ID
		repeated    bool
	}{{3, 4, true}, {7, 7, false}, {7, 7, true}, {9, 11, false}} {
		wantPart(t, b.Parts()[i], want.first, want.last, want.repeated)
	}
	wantBounds(t, e.log, 1, 11)
	wantOnce(t, e.log, 9, 11, true)
	wantOnce(t, e.log, 7, 7, true)
	expect(t, e.log, 1, 11)
	// A batch of which nothing is new, and one that begins with what is known.
	b = once(3, 4)
	b.AppendBatch(once(9, 11))
	if id, err := e.log.Append(testContext(t), b); err != nil || id != 3 {
		t.Fatalf("Append = %d, %v; want 3", id, err)
	}
	wantPart(t, b.Parts()[1], 9, 11, true)
	b.AppendBatch(batchOf(12, 13))
	if id, err := e.log.Append(testContext(t), b); err != nil || id != 3 {
		t.Fatalf("Append = %d, %v; want 3", id, err)
	}
	wantBounds(t, e.log, 1, 13)
	expect(t, e.log, 1, 13)
}

// onceIsChecked refuses what is no id.
func onceIsChecked(t *testing.T, e *env) {
	zero := batchOf(1, 1)
	zero.Once(nerve.DedupID{})
	both := once(1, 1)
	both.Key = nerve.Key{Producer: 1, Seq: 1}
	for _, b := range []*nerve.Batch{zero, both} {
		_, err := e.log.Append(testContext(t), b)
		wantError[*nerve.KeyError](t, err)
	}
	many := new(nerve.Batch)
	for i := range nerve.ID(nerve.MaxParts + 1) {
		many.Append(nil)
		many.Once(idOf(i + 1))
	}
	_, err := e.log.Append(testContext(t), many)
	if e := wantError[*nerve.TooLargeError](t, err); e.What != "ids" || e.Limit != nerve.MaxParts {
		t.Fatalf("%+v", e)
	}
	wantBounds(t, e.log, 1, 0)
	wantOnce(t, e.log, 1, 2, false)
	expect(t, e.log, 1, 2)
}

// onceAfterReopen remembers ids over a close.
func onceAfterReopen(t *testing.T, e *env) {
	if !e.can.Persistent {
		t.Skip("the store is not persistent")
	}
	last := nerve.ID(0)
	for round := range nerve.ID(5) {
		wantOnce(t, e.log, last+1, last+round+1, false)
		last += round + 1
		fill(t, e.log, last+1, 1)
		last++
		e.close(t)
		e.open(t)
		at := nerve.ID(1)
		for before := range round + 1 {
			wantOnce(t, e.log, at, at+before, true)
			at += before + 2
		}
		wantBounds(t, e.log, 1, last)
	}
	expect(t, e.log, 1, last)
}

// onceIsBounded remembers as many ids as the log says, and not many more.
func onceIsBounded(t *testing.T, e *env) {
	n := nerve.ID(e.log.(nerve.Deduplicator).DedupWindow().IDs)
	if n > 1000 {
		t.Fatalf("the log remembers %d ids; open it with a smaller window for the suite", n)
	}
	for id := nerve.ID(1); id <= 5*n; id++ {
		wantOnce(t, e.log, id, id, false)
	}
	if e.can.Persistent {
		e.close(t)
		e.open(t)
	}
	for id := 4*n + 1; id <= 5*n; id++ {
		wantOnce(t, e.log, id, id, true)
	}
	b := once(1, 1)
	if id, err := e.log.Append(testContext(t), b); err != nil || id != 5*n+1 {
		t.Fatalf("the id of %d appends ago is remembered: %d, %v", 5*n, id, err)
	}
	wantBounds(t, e.log, 1, 5*n+1)
}

// onceAges forgets ids after a time, and stores what comes with them then.
func onceAges(t *testing.T, e *env) {
	if e.can.Age == nil {
		t.Skip("ids do not age in this test")
	}
	wantOnce(t, e.log, 1, 1, false)
	wantOnce(t, e.log, 1, 1, true)
	e.can.Age(t)
	b := once(1, 1)
	for range 2 {
		if id, err := e.log.Append(testContext(t), b); err != nil || id != 2 {
			t.Fatalf("Append = %d, %v; want 2", id, err)
		}
	}
	wantBounds(t, e.log, 1, 2)
}

// onceOfTwoLogs recognises what another process appended.
func onceOfTwoLogs(t *testing.T, e *env) {
	if !e.can.Shared {
		t.Skip("one process at a time")
	}
	other := e.other(t)
	last := nerve.ID(0)
	for range 3 {
		for _, pair := range [][2]nerve.Log{{e.log, other}, {other, e.log}} {
			wantOnce(t, pair[0], last+1, last+2, false)
			wantOnce(t, pair[1], last+1, last+2, true)
			wantOnce(t, pair[0], last+1, last+2, true)
			last += 2
		}
	}
	expect(t, e.log, 1, last)
	expect(t, other, 1, last)
}

// gatedLog lets one append after the other pass.
type gatedLog struct {
	nerve.Log
	entered, pass chan struct{}
}

func (l *gatedLog) DedupWindow() nerve.DedupWindow {
	return l.Log.(nerve.Deduplicator).DedupWindow()
}

func (l *gatedLog) Append(ctx context.Context, b *nerve.Batch) (nerve.ID, error) {
	l.entered <- struct{}{}
	<-l.pass
	return l.Log.Append(ctx, b)
}

// queueOnceWaits gives an append whose first one is under way the outcome of
// that, and commits appends with ids together.
func queueOnceWaits(t *testing.T, e *env) {
	gate := &gatedLog{Log: e.log, entered: make(chan struct{}, 10), pass: make(chan struct{})}
	e.log = gate
	q := e.queue(t, nerve.Options{})
	ctx := testContext(t)
	first, err := q.AppendBatchAsync(ctx, once(1, 2))
	if err != nil {
		t.Fatal(err)
	}
	<-gate.entered
	var handles []nerve.Handle // all of the second commit
	accept := func(b *nerve.Batch) {
		h, err := q.AppendBatchAsync(ctx, b)
		if err != nil {
			t.Fatal(err)
		}
		handles = append(handles, h)
	}
	accept(once(1, 2))
	accept(batchOf(3, 3))
	accept(once(4, 4))
	accept(once(4, 4))
	accept(batchOf(5, 6))
	close(gate.pass)
	if id, err := first.Wait(ctx); err != nil || id != 1 {
		t.Fatalf("the first is %d, %v", id, err)
	}
	for i, want := range []nerve.ID{1, 3, 4, 4, 5} {
		id, err := handles[i].Wait(ctx)
		if err != nil || id != want {
			t.Fatalf("append %d is %d, %v; want %d", i, id, err, want)
		}
		if parts := handles[i].Parts(); len(parts) > 0 {
			wantPart(t, parts[0], want, want+nerve.ID(parts[0].End-1), i == 0 || i == 3)
		}
		if handles[i].UnixNano() == 0 {
			t.Fatalf("append %d has no time", i)
		}
	}
	<-gate.entered
	if n := len(gate.entered); n != 0 {
		t.Fatalf("%d commits more than two", n)
	}
	if id, err := q.AppendOnce(context.Background(), idOf(4), []byte("x")); err != nil || id != 4 {
		t.Fatalf("AppendOnce = %d, %v; want 4", id, err)
	}
	if _, last := q.Bounds(); last != 6 {
		t.Fatalf("the log ends at %d, want 6", last)
	}
}

// queueOnceAtOnce sends each of many appends from several senders at once.
func queueOnceAtOnce(t *testing.T, e *env) {
	q := e.queue(t, nerve.Options{})
	const appends, senders = 20, 4
	var mu sync.Mutex
	at := map[nerve.ID]int{}
	ids := make(map[nerve.ID]nerve.ID)
	var all sync.WaitGroup
	for range senders {
		all.Go(func() {
			for n := nerve.ID(1); n <= appends; n++ {
				id, err := q.AppendOnce(testContext(t), idOf(n), []byte(content(n)))
				mu.Lock()
				if before := ids[n]; err != nil || before > 0 && before != id {
					t.Errorf("append %d is %d, %v; it was %d", n, id, err, before)
				}
				ids[n] = id
				at[id]++
				mu.Unlock()
			}
		})
	}
	all.Wait()
	if _, last := q.Bounds(); last != appends || len(at) != appends {
		t.Fatalf("%d records of %d appends", last, appends)
	}
}

// queueRepeatsOnce finds out what became of appends with ids whose outcome nobody
// knew, and says so of those without beside them.
func queueRepeatsOnce(t *testing.T, e *env) {
	forgetful := &forgetfulLog{Log: e.log}
	gate := &gatedLog{Log: forgetful, entered: make(chan struct{}, 10), pass: make(chan struct{})}
	e.log = gate
	q := e.queue(t, nerve.Options{})
	ctx := testContext(t)
	var handles []nerve.Handle
	for _, b := range []*nerve.Batch{once(1, 1), once(2, 3), batchOf(4, 4), once(5, 6)} {
		h, err := q.AppendBatchAsync(ctx, b)
		if err != nil {
			t.Fatal(err)
		}
		if handles = append(handles, h); len(handles) == 1 {
			<-gate.entered // the others are one commit
		}
	}
	gate.pass <- struct{}{}
	if id, err := handles[0].Wait(ctx); err != nil || id != 1 {
		t.Fatalf("the first is %d, %v", id, err)
	}
	forgetful.times.Store(2)
	close(gate.pass)
	for i, want := range []nerve.ID{1, 2, 0, 5} {
		id, err := handles[i].Wait(ctx)
		if want == 0 {
			wantError[*nerve.OutcomeError](t, err)
			continue
		}
		if err != nil || id != want {
			t.Fatalf("append %d is %d, %v; want %d", i, id, err, want)
		}
	}
	forgetful.times.Store(1)
	id, err := q.AppendOnce(context.Background(), idOf(7), []byte(content(7)))
	if err != nil || id != 7 {
		t.Fatalf("AppendOnce = %d, %v; want 7", id, err)
	}
	if _, last := q.Bounds(); last != 7 {
		t.Fatalf("the log ends at %d, want 7", last)
	}
}

// plainLog hides what a log can do beyond the contract.
type plainLog struct{ nerve.Log }

// queueRefusesOnce does not append with an id what would be stored twice.
func queueRefusesOnce(t *testing.T, e *env) {
	e.log = plainLog{e.log}
	q := e.queue(t, nerve.Options{})
	_, err := q.AppendOnce(testContext(t), idOf(1), []byte("x"))
	wantError[*nerve.KeyError](t, err)
	_, err = q.AppendBatchAsync(testContext(t), once(1, 1))
	wantError[*nerve.KeyError](t, err)
	if _, last := q.Bounds(); last != 0 {
		t.Fatalf("the log ends at %d", last)
	}
}
