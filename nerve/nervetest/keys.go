package nervetest

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/octopus-framework/octopus/nerve"
)

// keyed is a batch of records from..to with a key.
func keyed(producer, seq uint64, from, to nerve.ID) *nerve.Batch {
	b := batchOf(from, to)
	b.Key = nerve.Key{Producer: producer, Seq: seq}
	return b
}

// wantAppend appends b and checks where it is.
func wantAppend(t *testing.T, log nerve.Log, b *nerve.Batch, first nerve.ID) {
	t.Helper()
	id, err := log.Append(testContext(t), b)
	if err != nil || id != first || b.First != first {
		t.Fatalf("Append of %v = %d, %v, the batch begins with %d; want %d",
			b.Key, id, err, b.First, first)
	}
}

func wantLast(t *testing.T, log nerve.Log, key nerve.Key, first, last nerve.ID) {
	t.Helper()
	a, err := log.(nerve.Repeatable).LastAppended(testContext(t), key.Producer)
	if err != nil || a.Key != key || a.First != first || a.Last != last {
		t.Fatalf("LastAppended = %+v, %v; want %v at %d to %d", a, err, key, first, last)
	}
}

// repeatedAppendReturnsSameID stores the batch of a key once.
func repeatedAppendReturnsSameID(t *testing.T, e *env) {
	const producer = 1<<63 + 7
	wantAppend(t, e.log, keyed(producer, 1, 1, 3), 1)
	for range 3 {
		b := keyed(producer, 1, 1, 3)
		wantAppend(t, e.log, b, 1)
		if b.Last() != 3 {
			t.Fatalf("the repeated batch ends with %d", b.Last())
		}
	}
	wantBounds(t, e.log, 1, 3)
	fill(t, e.log, 5, 2)
	wantAppend(t, e.log, keyed(producer, 1, 1, 3), 1)
	wantAppend(t, e.log, keyed(producer, 2, 6, 6), 6)
	wantAppend(t, e.log, keyed(producer, 1, 1, 3), 1)
	wantAppend(t, e.log, keyed(producer, 2, 6, 6), 6)
	wantBounds(t, e.log, 1, 6)
	expect(t, e.log, 1, 6)
	wantLast(t, e.log, nerve.Key{Producer: producer, Seq: 2}, 6, 6)
	// A sequence may have gaps.
	wantAppend(t, e.log, keyed(producer, 1<<63+5, 7, 8), 7)
	wantAppend(t, e.log, keyed(producer, 1<<63+5, 7, 8), 7)
	wantLast(t, e.log, nerve.Key{Producer: producer, Seq: 1<<63 + 5}, 7, 8)
	expect(t, e.log, 1, 8)
	if a, err := e.log.(nerve.Repeatable).LastAppended(testContext(t), 5); err != nil ||
		a != (nerve.Appended{}) {
		t.Fatalf("LastAppended of a stranger = %+v, %v", a, err)
	}
}

// keysAreChecked refuses what cannot be a repetition or a new append.
func keysAreChecked(t *testing.T, e *env) {
	wantAppend(t, e.log, keyed(9, 10, 1, 3), 1)
	for _, b := range []*nerve.Batch{
		keyed(0, 1, 4, 4), keyed(9, 0, 4, 4), // half a key
		keyed(9, 10, 4, 4), // another number of records
		keyed(9, 9, 4, 4),  // before the first one
	} {
		_, err := e.log.Append(testContext(t), b)
		if e := wantError[*nerve.KeyError](t, err); e.Key != b.Key {
			t.Fatalf("%+v", e)
		}
	}
	wantBounds(t, e.log, 1, 3)
	// An empty batch appends nothing, with a key too.
	empty := &nerve.Batch{Key: nerve.Key{Producer: 9, Seq: 11}}
	if id, err := e.log.Append(testContext(t), empty); err != nil || id != 4 {
		t.Fatalf("empty batch: %d, %v", id, err)
	}
	wantAppend(t, e.log, keyed(9, 11, 4, 5), 4)
	expect(t, e.log, 1, 5)
}

// keysWithoutMemory refuses keys in logs that do not remember them.
func keysWithoutMemory(t *testing.T, e *env) {
	_, err := e.log.Append(testContext(t), keyed(1, 1, 1, 1))
	wantError[*nerve.KeyError](t, err)
	wantBounds(t, e.log, 1, 0)
}

// repeatAfterReopen remembers the newest keys over a close.
func repeatAfterReopen(t *testing.T, e *env) {
	if !e.can.Persistent {
		t.Skip("the store is not persistent")
	}
	firsts := map[nerve.Key]nerve.ID{}
	last := nerve.ID(0)
	for seq := range uint64(nerve.RememberedAppends) {
		for _, producer := range []uint64{3, 1 << 60} {
			b := keyed(producer, seq+1, last+1, last+nerve.ID(seq)+1)
			wantAppend(t, e.log, b, last+1)
			firsts[b.Key] = b.First
			last = b.Last()
		}
		fill(t, e.log, last+1, 1)
		last++
		e.close(t)
		e.open(t)
		for key, first := range firsts {
			wantAppend(t, e.log, keyed(key.Producer, key.Seq, first, first+nerve.ID(key.Seq)-1),
				first)
		}
		wantBounds(t, e.log, 1, last)
	}
	expect(t, e.log, 1, last)
}

// repeatTooOldIsTyped never takes an old key for a new one.
func repeatTooOldIsTyped(t *testing.T, e *env) {
	const many = 40
	for i := range nerve.ID(many) {
		wantAppend(t, e.log, keyed(77, uint64(i+1), i+1, i+1), i+1)
	}
	for i := nerve.ID(many); i > 0; i-- {
		id, err := e.log.Append(testContext(t), keyed(77, uint64(i), i, i))
		switch {
		case err == nil && id == i:
		case many-i < nerve.RememberedAppends:
			t.Fatalf("append %d of %d repeated = %d, %v", i, many, id, err)
		default:
			if e := wantError[*nerve.KeyError](t, err); e.Last != many {
				t.Fatalf("%+v", e)
			}
		}
	}
	wantBounds(t, e.log, 1, many)
	expect(t, e.log, 1, many)
}

// keysOfTwoProducersDoNotMix tells producers apart that count alike.
func keysOfTwoProducersDoNotMix(t *testing.T, e *env) {
	producers := []uint64{1, 2, 1 << 32, 1<<64 - 1}
	for seq := range nerve.ID(nerve.RememberedAppends) {
		for i, producer := range producers {
			id := seq*nerve.ID(len(producers)) + nerve.ID(i) + 1
			wantAppend(t, e.log, keyed(producer, uint64(seq+1), id, id), id)
		}
	}
	for seq := range nerve.ID(nerve.RememberedAppends) {
		for i, producer := range producers {
			id := seq*nerve.ID(len(producers)) + nerve.ID(i) + 1
			wantAppend(t, e.log, keyed(producer, uint64(seq+1), id, id), id)
		}
	}
	expect(t, e.log, 1, nerve.ID(len(producers)*nerve.RememberedAppends))
}

// forgetfulLog stores an append and says that nobody knows.
type forgetfulLog struct {
	nerve.Log
	times atomic.Int32 // how many more times it does so
	asked atomic.Int32
}

func (l *forgetfulLog) DedupWindow() nerve.DedupWindow {
	return l.Log.(nerve.Deduplicator).DedupWindow()
}

func (l *forgetfulLog) Append(ctx context.Context, b *nerve.Batch) (nerve.ID, error) {
	l.asked.Add(1)
	first, err := l.Log.Append(ctx, b)
	if err == nil && l.times.Add(-1) >= 0 {
		return 0, &nerve.OutcomeError{Key: b.Key, Cause: context.DeadlineExceeded}
	}
	return first, err
}

// queueRepeatsAppends finds out what became of an append with a key, and says
// of one without that nobody knows.
func queueRepeatsAppends(t *testing.T, e *env) {
	log := &forgetfulLog{Log: e.log}
	e.log = log
	q := e.queue(t, nerve.Options{})
	ctx := testContext(t)
	log.times.Store(2)
	if id, err := q.AppendBatch(ctx, keyed(5, 1, 1, 2)); err != nil || id != 1 {
		t.Fatalf("AppendBatch = %d, %v", id, err)
	}
	if n := log.asked.Load(); n != 3 {
		t.Fatalf("the log was asked %d times, want 3", n)
	}
	log.times.Store(1)
	if id, err := q.AppendBatch(context.Background(), keyed(5, 2, 3, 3)); err != nil || id != 3 {
		t.Fatalf("AppendBatch in the caller's goroutine = %d, %v", id, err)
	}
	log.times.Store(1)
	_, err := q.Append(ctx, []byte(content(4)))
	wantError[*nerve.OutcomeError](t, err)
	cur, err := q.Read(ctx, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer cur.Close()
	var b nerve.Batch
	for next := nerve.ID(1); next <= 4; next = b.Last() + 1 {
		if err := cur.Next(ctx, &b); err != nil {
			t.Fatal(err)
		}
		for rec := range b.All() {
			if string(rec.Data) != content(rec.ID) {
				t.Fatalf("record %d is %q", rec.ID, rec.Data)
			}
		}
	}
	if _, last := q.Bounds(); last != 4 {
		t.Fatalf("the last record is %d, want 4", last)
	}
}

// queueKeysStayApart commits batches with keys one by one beside others.
func queueKeysStayApart(t *testing.T, e *env) {
	q := e.queue(t, nerve.Options{})
	ctx := testContext(t)
	var handles []nerve.Handle
	for i := range nerve.ID(60) {
		b := batchOf(i+1, i+1)
		if i%3 > 0 {
			b.Key = nerve.Key{Producer: uint64(i % 3), Seq: uint64(i)}
		}
		h, err := q.AppendBatchAsync(ctx, b)
		if err != nil {
			t.Fatal(err)
		}
		handles = append(handles, h)
	}
	for i, h := range handles {
		if id, err := h.Wait(ctx); err != nil || id != nerve.ID(i+1) {
			t.Fatalf("Wait = %d, %v; want %d", id, err, i+1)
		}
	}
	for i := nerve.ID(60 - 3); i < 60; i++ {
		if i%3 == 0 {
			continue
		}
		b := keyed(uint64(i%3), uint64(i), i+1, i+1)
		if id, err := q.AppendBatch(ctx, b); err != nil || id != i+1 {
			t.Fatalf("repeated append = %d, %v; want %d", id, err, i+1)
		}
	}
	if _, last := q.Bounds(); last != 60 {
		t.Fatalf("the last record is %d, want 60", last)
	}
}
