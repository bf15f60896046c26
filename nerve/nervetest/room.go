package nervetest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/octopus-framework/octopus/nerve"
)

// roomBytes is the bound of the logs in these tests.
const roomBytes = 256 << 10

// large is a record of which a log of these tests takes some thirty.
func large(n byte) []byte {
	record := make([]byte, 8<<10)
	record[0] = n
	return record
}

// fullIsTyped fills a bounded log, and trims it.
func fullIsTyped(t *testing.T, e *env) {
	log := e.can.Bounded(t, roomBytes)
	defer log.Close()
	var b nerve.Batch
	b.Append(large(0))
	stored := 0
	for ; stored < 100; stored++ {
		if _, err := log.Append(testContext(t), &b); err != nil {
			if full := wantError[*nerve.FullError](t, err); full.Limit != roomBytes ||
				full.Size <= roomBytes {
				t.Fatalf("%+v", full)
			}
			break
		}
	}
	if stored < 20 || stored == 100 {
		t.Fatalf("the log took %d records", stored)
	}
	wantBounds(t, log, 1, nerve.ID(stored))
	if _, err := log.Trim(testContext(t), nerve.ID(stored)+1); err != nil {
		t.Fatal(err)
	}
	for range 20 {
		if _, err := log.Append(testContext(t), &b); err != nil {
			t.Fatalf("after a trim: %v", err)
		}
	}
}

// queueWaitsForRoom appends more than fits to a queue that waits, while another
// goroutine trims.
func queueWaitsForRoom(t *testing.T, e *env) {
	const records = 200
	q := nerve.New(e.can.Bounded(t, roomBytes), nerve.Options{WaitForRoom: true})
	failed := make(chan error, 1)
	go func() {
		for i := range records {
			if _, err := q.Append(testContext(t), large(byte(i))); err != nil {
				failed <- err
				return
			}
		}
		failed <- nil
	}()
	cursor, err := q.Read(testContext(t), 1)
	if err != nil {
		t.Fatal(err)
	}
	var b nerve.Batch
	for n := 0; n < records; {
		if err := cursor.Next(testContext(t), &b); err != nil {
			t.Fatal(err)
		}
		for r := range b.All() {
			if r.Data[0] != byte(n) {
				t.Fatalf("record %d is %d", n, r.Data[0])
			}
			n++
		}
		if _, err := q.Trim(testContext(t), b.Last()+1); err != nil {
			t.Fatal(err)
		}
	}
	if err := <-failed; err != nil {
		t.Fatal(err)
	}
	if err := cursor.Close(); err != nil {
		t.Fatal(err)
	}
	// Close ends appends that wait: they were not stored.
	ended := make(chan error, 1)
	go func() {
		for {
			if _, err := q.Append(context.Background(), large(1)); err != nil {
				ended <- err
				return
			}
		}
	}()
	for {
		stats, err := q.Stats()
		if err != nil {
			t.Fatal(err)
		}
		if stats.InFlight > 0 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if err := q.Close(); err != nil {
		t.Fatal(err)
	}
	full := (*nerve.FullError)(nil)
	if err := <-ended; !errors.As(err, &full) && !errors.Is(err, nerve.ErrClosed) {
		t.Fatalf("an append that waited for room: %v", err)
	}
}

// queueGetByID reads records by their ids, in no order.
func queueGetByID(t *testing.T, e *env) {
	fill(t, e.log, 30, 7)
	if _, err := e.log.Trim(testContext(t), 5); err != nil {
		t.Fatal(err)
	}
	q := nerve.New(e.log, nerve.Options{})
	for _, id := range []nerve.ID{30, 5, 7, 8, 29, 15, 14} {
		r, err := q.Get(testContext(t), id)
		if err != nil || r.ID != id || string(r.Data) != content(id) || r.UnixNano == 0 {
			t.Fatalf("record %d: %+v, %v", id, r, err)
		}
	}
	_, err := q.Get(testContext(t), 4)
	wantError[*nerve.TrimmedError](t, err)
	_, err = q.Get(testContext(t), 31)
	if future := wantError[*nerve.FutureError](t, err); future.Next != 31 {
		t.Fatalf("%+v", future)
	}
	if err := q.Close(); err != nil {
		t.Fatal(err)
	}
}

// queueNoSync appends records that ask for no sync among others.
func queueNoSync(t *testing.T, e *env) {
	q := nerve.New(e.log, nerve.Options{})
	for id := nerve.ID(1); id <= 20; id++ {
		b := batchOf(id, id)
		b.NoSync = id%3 != 0
		if got, err := q.AppendBatch(testContext(t), b); err != nil || got != id {
			t.Fatalf("Append = %d, %v", got, err)
		}
	}
	expect(t, e.log, 1, 20)
	if err := q.Close(); err != nil {
		t.Fatal(err)
	}
	e.log = nil
	if e.can.Persistent {
		e.open(t)
		expect(t, e.log, 1, 20)
	}
}
