package nervetest

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/octopus-framework/octopus/nerve"
)

func appendAssignsContiguousIDs(t *testing.T, e *env) {
	wantBounds(t, e.log, 1, 0)
	fill(t, e.log, 1, 1)
	fill(t, e.log, 8, 7)
	b := batchOf(9, 10)
	id, err := e.log.Append(testContext(t), b)
	if err != nil || id != 9 || b.First != 9 || b.Last() != 10 || b.UnixNano == 0 {
		t.Fatalf("Append = %d, %v; batch %d-%d at %d", id, err, b.First, b.Last(), b.UnixNano)
	}
	wantBounds(t, e.log, 1, 10)
	expect(t, e.log, 1, 10)
}

func appendDoesNotKeepTheBatch(t *testing.T, e *env) {
	b := batchOf(1, 3)
	if _, err := e.log.Append(testContext(t), b); err != nil {
		t.Fatal(err)
	}
	clear(b.Packed())
	expect(t, e.log, 1, 3)
}

func emptyBatchAndEmptyRecords(t *testing.T, e *env) {
	id, err := e.log.Append(testContext(t), new(nerve.Batch))
	if err != nil || id != 1 {
		t.Fatalf("empty batch: %d, %v", id, err)
	}
	wantBounds(t, e.log, 1, 0)
	var b nerve.Batch
	b.Append(nil)
	b.Append([]byte("x"))
	b.Append([]byte{})
	if _, err := e.log.Append(testContext(t), &b); err != nil {
		t.Fatal(err)
	}
	cur, err := e.log.Read(testContext(t), 1)
	if err != nil {
		t.Fatal(err)
	}
	defer cur.Close()
	var got nerve.Batch
	if err := cur.Next(testContext(t), &got); err != nil || got.Len() != 3 {
		t.Fatalf("Next: %v, %d records", err, got.Len())
	}
	want := []string{"", "x", ""}
	for rec := range got.All() {
		if string(rec.Data) != want[rec.ID-1] {
			t.Fatalf("record %d is %q", rec.ID, rec.Data)
		}
	}
}

func timeNeverGoesBack(t *testing.T, e *env) {
	before := time.Now().Add(-time.Minute).UnixNano()
	last := before
	for id := nerve.ID(1); id <= 20; id++ {
		b := batchOf(id, id)
		if _, err := e.log.Append(testContext(t), b); err != nil {
			t.Fatal(err)
		}
		if b.UnixNano < last {
			t.Fatalf("time of record %d is %d, after %d", id, b.UnixNano, last)
		}
		last = b.UnixNano
	}
}

func limitsAreTypedErrors(t *testing.T, e *env) {
	limits := e.log.Limits()
	var b nerve.Batch
	b.Append(make([]byte, limits.Record+1))
	_, err := e.log.Append(testContext(t), &b)
	if e := wantError[*nerve.TooLargeError](t, err); e.What != "record" ||
		e.Size != limits.Record+1 || e.Limit != limits.Record {
		t.Fatalf("%+v", e)
	}
	b.Reset()
	for b.Size() <= limits.Batch {
		b.Append(make([]byte, limits.Record/2))
	}
	_, err = e.log.Append(testContext(t), &b)
	if e := wantError[*nerve.TooLargeError](t, err); e.What != "batch" || e.Limit != limits.Batch {
		t.Fatalf("%+v", e)
	}
	wantBounds(t, e.log, 1, 0)
	b.Reset()
	b.Append(make([]byte, limits.Record))
	if _, err := e.log.Append(testContext(t), &b); err != nil {
		t.Fatalf("a record of the limit: %v", err)
	}
	wantBounds(t, e.log, 1, 1)
}

func readFromEveryID(t *testing.T, e *env) {
	fill(t, e.log, 50, 1)
	fill(t, e.log, 150, 33)
	for from := nerve.ID(1); from <= 150; from++ {
		expect(t, e.log, from, 150)
	}
}

func readOutsideIsTypedErrors(t *testing.T, e *env) {
	fill(t, e.log, 10, 3)
	_, err := e.log.Read(testContext(t), 0)
	if e := wantError[*nerve.TrimmedError](t, err); e.ID != 0 || e.First != 1 {
		t.Fatalf("%+v", e)
	}
	_, err = e.log.Read(testContext(t), 12)
	if e := wantError[*nerve.FutureError](t, err); e.ID != 12 || e.Next != 11 {
		t.Fatalf("%+v", e)
	}
	cur, err := e.log.Read(testContext(t), 11)
	if err != nil {
		t.Fatalf("Read of the id that comes next: %v", err)
	}
	cur.Close()
}

func tailWaitsAndWakes(t *testing.T, e *env) {
	cur, err := e.log.Read(testContext(t), 1)
	if err != nil {
		t.Fatal(err)
	}
	defer cur.Close()
	const rounds = 20
	got := make(chan nerve.ID)
	failed := make(chan error, 1)
	ctx := testContext(t)
	go func() {
		var b nerve.Batch
		for next := nerve.ID(1); next <= rounds; {
			if err := cur.Next(ctx, &b); err != nil {
				failed <- err
				return
			}
			next = b.Last() + 1
			got <- b.Last()
		}
	}()
	for id := nerve.ID(1); id <= rounds; id++ {
		fill(t, e.log, id, 1)
		select {
		case last := <-got:
			if last != id {
				t.Fatalf("the tail yielded %d, want %d", last, id)
			}
		case err := <-failed:
			t.Fatal(err)
		}
	}
}

func tailEndsWithContext(t *testing.T, e *env) {
	cur, err := e.log.Read(testContext(t), 1)
	if err != nil {
		t.Fatal(err)
	}
	defer cur.Close()
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(context.Background())
	done := make(chan error)
	go func() { done <- cur.Next(ctx, new(nerve.Batch)) }()
	cancel(cause)
	if err := <-done; !errors.Is(err, cause) {
		t.Fatalf("Next = %v, want the cause of the context", err)
	}
	// The cursor is as good as before.
	fill(t, e.log, 1, 1)
	var b nerve.Batch
	if err := cur.Next(testContext(t), &b); err != nil || b.First != 1 {
		t.Fatalf("Next after a canceled one: %v, %d", err, b.First)
	}
}

func closeWakesCursors(t *testing.T, e *env) {
	byLog, err := e.log.Read(testContext(t), 1)
	if err != nil {
		t.Fatal(err)
	}
	byItself, err := e.log.Read(testContext(t), 1)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 2)
	wait := func(cur nerve.Cursor) { done <- cur.Next(context.Background(), new(nerve.Batch)) }
	go wait(byItself)
	byItself.Close()
	if err := <-done; !errors.Is(err, nerve.ErrClosed) {
		t.Fatalf("Next of a closed cursor = %v", err)
	}
	go wait(byLog)
	e.close(t)
	if err := <-done; !errors.Is(err, nerve.ErrClosed) {
		t.Fatalf("Next in a closed log = %v", err)
	}
}

func seekByTime(t *testing.T, e *env) {
	var nanos []int64
	for id := nerve.ID(1); id <= 30; id++ {
		b := batchOf(id, id)
		if _, err := e.log.Append(testContext(t), b); err != nil {
			t.Fatal(err)
		}
		nanos = append(nanos, b.UnixNano)
		time.Sleep(time.Millisecond)
	}
	first := func(nano int64) nerve.ID {
		for i, n := range nanos {
			if n >= nano {
				return nerve.ID(i + 1)
			}
		}
		return nerve.ID(len(nanos) + 1)
	}
	for _, n := range append(nanos, 0, nanos[29]+1) {
		for _, nano := range []int64{n - 1, n, n + 1} {
			id, err := e.log.Seek(testContext(t), time.Unix(0, nano))
			if err != nil || id != first(nano) {
				t.Fatalf("Seek(%d) = %d, %v; want %d", nano, id, err, first(nano))
			}
		}
	}
	for when, want := range map[time.Time]nerve.ID{
		{}: 1,
		time.Date(1500, 1, 1, 0, 0, 0, 0, time.UTC): 1, // unix nanoseconds end there
		time.Date(3000, 1, 1, 0, 0, 0, 0, time.UTC): 31,
	} {
		if id, err := e.log.Seek(testContext(t), when); err != nil || id != want {
			t.Fatalf("Seek(%v) = %d, %v; want %d", when, id, err, want)
		}
	}
}

func trimIsExact(t *testing.T, e *env) {
	fill(t, e.log, 100, 7)
	open, err := e.log.Read(testContext(t), 40)
	if err != nil {
		t.Fatal(err)
	}
	defer open.Close()
	for _, below := range []nerve.ID{1, 5, 5, 3, 36, 37} {
		first, err := e.log.Trim(testContext(t), below)
		want, _ := e.log.Bounds()
		if err != nil || first != want || first < below {
			t.Fatalf("Trim(%d) = %d, %v; Bounds begin at %d", below, first, err, want)
		}
	}
	wantBounds(t, e.log, 37, 100)
	_, err = e.log.Read(testContext(t), 36)
	wantError[*nerve.TrimmedError](t, err)
	expect(t, e.log, 37, 100)
	if _, err := e.log.Trim(testContext(t), 102); err == nil {
		t.Fatal("Trim beyond the end succeeded")
	} else {
		wantError[*nerve.FutureError](t, err)
	}
	wantBounds(t, e.log, 37, 100)
	if _, err := e.log.Trim(testContext(t), 60); err != nil {
		t.Fatal(err)
	}
	err = open.Next(testContext(t), new(nerve.Batch))
	wantError[*nerve.TrimmedError](t, err)
}

func trimRespectsHolds(t *testing.T, e *env) {
	fill(t, e.log, 50, 5)
	ctx := testContext(t)
	save := func(p ...nerve.Pointer) {
		t.Helper()
		if err := e.log.SavePointers(ctx, p); err != nil {
			t.Fatal(err)
		}
	}
	save(nerve.Pointer{Name: "holder", ID: 20, Hold: true}, nerve.Pointer{Name: "other", ID: 2})
	if first, err := e.log.Trim(ctx, 51); err != nil || first != 21 {
		t.Fatalf("Trim = %d, %v; want 21", first, err)
	}
	expect(t, e.log, 21, 50)
	if err := e.log.RemovePointer(ctx, "holder"); err != nil {
		t.Fatal(err)
	}
	if first, err := e.log.Trim(ctx, 30); err != nil || first != 30 {
		t.Fatalf("Trim = %d, %v; want 30", first, err)
	}
}

func trimToNothing(t *testing.T, e *env) {
	fill(t, e.log, 40, 4)
	if first, err := e.log.Trim(testContext(t), 41); err != nil || first != 41 {
		t.Fatalf("Trim = %d, %v", first, err)
	}
	wantBounds(t, e.log, 41, 40)
	if e.can.Persistent {
		e.close(t)
		e.open(t)
		wantBounds(t, e.log, 41, 40)
	}
	fill(t, e.log, 60, 4)
	expect(t, e.log, 41, 60)
}

func pointersAreKept(t *testing.T, e *env) {
	fill(t, e.log, 10, 10)
	ctx := testContext(t)
	want := map[string]nerve.Pointer{}
	for round := nerve.ID(1); round <= 3; round++ {
		for _, name := range []string{"a", "b", "c-1", "d.e_f"} {
			p := nerve.Pointer{Name: name, ID: round * 2, Hold: round == 2}
			if err := e.log.SavePointers(ctx, []nerve.Pointer{p}); err != nil {
				t.Fatal(err)
			}
			want[name] = p
		}
	}
	for _, name := range []string{"b", "nobody"} {
		if err := e.log.RemovePointer(ctx, name); err != nil {
			t.Fatal(err)
		}
		delete(want, name)
	}
	check := func() {
		t.Helper()
		list, err := e.log.Pointers(testContext(t))
		if err != nil || len(list) != len(want) {
			t.Fatalf("Pointers = %v, %v; want %v", list, err, want)
		}
		for _, p := range list {
			if p.Saved.IsZero() {
				t.Fatalf("pointer %s has no time", p.Name)
			}
			p.Saved = time.Time{}
			if p.Meta != nil || p.Epoch != 0 {
				t.Fatalf("%+v, want no metadata and no claim", p)
			}
			if w := want[p.Name]; p.Name != w.Name || p.ID != w.ID || p.Hold != w.Hold {
				t.Fatalf("pointer is %v, want %v", p, want[p.Name])
			}
		}
	}
	check()
	if e.can.Persistent {
		e.close(t)
		e.open(t)
		check()
	}
}

func pointersAreChecked(t *testing.T, e *env) {
	fill(t, e.log, 3, 3)
	ctx := testContext(t)
	for _, name := range []string{"", ".a", "a/b", "a b", "ä", "..", string(make([]byte, 200))} {
		wantError[*nerve.NameError](t, e.log.SavePointers(ctx,
			[]nerve.Pointer{{Name: name, ID: 1}}))
	}
	wantError[*nerve.FutureError](t, e.log.SavePointers(ctx, []nerve.Pointer{{Name: "a", ID: 4}}))
	if list, err := e.log.Pointers(testContext(t)); err != nil || len(list) != 0 {
		t.Fatalf("Pointers = %v, %v", list, err)
	}
}

func pointersHaveMetadata(t *testing.T, e *env) {
	fill(t, e.log, 3, 3)
	ctx := testContext(t)
	meta := bytes.Repeat([]byte("\x00\xffmeta."), nerve.MaxMeta)[:nerve.MaxMeta]
	save := func(p nerve.Pointer) error { return e.log.SavePointers(ctx, []nerve.Pointer{p}) }
	for i, n := range []int{0, 1, nerve.MaxMeta, 7} {
		given := bytes.Clone(meta[:n])
		if err := save(nerve.Pointer{Name: "a", ID: nerve.ID(i), Meta: given}); err != nil {
			t.Fatal(err)
		}
		clear(given)
		if e.can.Persistent && i%2 == 0 {
			e.close(t)
			e.open(t)
		}
		if p := pointerOf(t, e.log, "a"); p.ID != nerve.ID(i) || !bytes.Equal(p.Meta, meta[:n]) {
			t.Fatalf("%+v, want %q", p, meta[:n])
		}
	}
	err := save(nerve.Pointer{Name: "a", Meta: append(meta, 0)})
	if e := wantError[*nerve.TooLargeError](t, err); e.Size != nerve.MaxMeta+1 ||
		e.Limit != nerve.MaxMeta {
		t.Fatalf("%+v", e)
	}
	q := e.queue(t, nerve.Options{})
	c := consumer(t, q, "a", nerve.ConsumerOptions{})
	if !bytes.Equal(c.Meta(), meta[:7]) {
		t.Fatalf("Meta = %q, want %q", c.Meta(), meta[:7])
	}
	wantError[*nerve.TooLargeError](t, c.SetMeta(append(meta, 0)))
	if err := c.SetMeta([]byte("new")); err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	c = consumer(t, q, "a", nerve.ConsumerOptions{})
	if string(c.Meta()) != "new" || c.Pointer() != 3 {
		t.Fatalf("Meta = %q at %d, want new at 3", c.Meta(), c.Pointer())
	}
}

func closedIsClosed(t *testing.T, e *env) {
	fill(t, e.log, 30, 3)
	ctx := testContext(t)
	midway := func() nerve.Cursor { // a cursor with more to read
		cur, err := e.log.Read(testContext(t), 1)
		if err == nil {
			err = cur.Next(ctx, new(nerve.Batch))
		}
		if err != nil {
			t.Fatal(err)
		}
		return cur
	}
	byItself, byLog := midway(), midway()
	if err := byItself.Close(); err != nil {
		t.Fatal(err)
	}
	if err := byItself.Next(ctx, new(nerve.Batch)); !errors.Is(err, nerve.ErrClosed) {
		t.Errorf("Next of a closed cursor = %v", err)
	}
	if err := byItself.Close(); !errors.Is(err, nerve.ErrClosed) {
		t.Errorf("Close of a closed cursor = %v", err)
	}
	log := e.log
	e.close(t)
	_, appendErr := log.Append(ctx, batchOf(4, 4))
	_, readErr := log.Read(testContext(t), 1)
	_, seekErr := log.Seek(testContext(t), time.Now())
	_, trimErr := log.Trim(ctx, 2)
	_, pointersErr := log.Pointers(testContext(t))
	for what, err := range map[string]error{
		"Append": appendErr, "Read": readErr, "Seek": seekErr, "Trim": trimErr,
		"Pointers":      pointersErr,
		"SavePointers":  log.SavePointers(ctx, []nerve.Pointer{{Name: "a"}}),
		"RemovePointer": log.RemovePointer(ctx, "a"),
		"Close":         log.Close(),
		"Next":          byLog.Next(ctx, new(nerve.Batch)),
	} {
		if !errors.Is(err, nerve.ErrClosed) {
			t.Errorf("%s after Close = %v", what, err)
		}
	}
}

func canceledContext(t *testing.T, e *env) {
	fill(t, e.log, 3, 3)
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(cause)
	cur, err := e.log.Read(testContext(t), 1)
	if err != nil {
		t.Fatal(err)
	}
	defer cur.Close()
	_, appendErr := e.log.Append(ctx, batchOf(4, 4))
	_, trimErr := e.log.Trim(ctx, 2)
	_, readErr := e.log.Read(ctx, 1)
	_, seekErr := e.log.Seek(ctx, time.Now())
	_, pointersErr := e.log.Pointers(ctx)
	for what, err := range map[string]error{
		"Append": appendErr, "Trim": trimErr,
		"Read": readErr, "Seek": seekErr, "Pointers": pointersErr,
		"SavePointers": e.log.SavePointers(ctx, []nerve.Pointer{{Name: "a"}}),
		"Next":         cur.Next(ctx, new(nerve.Batch)),
	} {
		if !errors.Is(err, cause) {
			t.Errorf("%s with a canceled context = %v", what, err)
		}
	}
	wantBounds(t, e.log, 1, 3)
}

func reopenKeepsEverything(t *testing.T, e *env) {
	if !e.can.Persistent {
		t.Skip("the store is not persistent")
	}
	last := nerve.ID(0)
	for range 6 {
		last += 37
		fill(t, e.log, last, 5)
		e.close(t)
		e.open(t)
		wantBounds(t, e.log, 1, last)
		expect(t, e.log, 1, last)
	}
	e.close(t)
	e.open(t)
	wantBounds(t, e.log, 1, last)
}

func manyWritersManyReaders(t *testing.T, e *env) {
	const writers, readers, each = 8, 4, 200
	ctx := testContext(t)
	var all sync.WaitGroup
	ids := make([]nerve.ID, writers*each+1)
	var mu sync.Mutex
	for w := range writers {
		all.Add(1)
		go func() {
			defer all.Done()
			for i := range each {
				var b nerve.Batch
				b.Append([]byte{byte(w), byte(i)})
				id, err := e.log.Append(ctx, &b)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				ids[id] = nerve.ID(w*each + i + 1)
				mu.Unlock()
			}
		}()
	}
	seen := make([][]nerve.ID, readers)
	for r := range readers {
		all.Add(1)
		go func() {
			defer all.Done()
			cur, err := e.log.Read(testContext(t), 1)
			if err != nil {
				t.Error(err)
				return
			}
			defer cur.Close()
			seen[r] = make([]nerve.ID, writers*each+1)
			var b nerve.Batch
			for next := nerve.ID(1); next <= writers*each; next = b.Last() + 1 {
				if err := cur.Next(ctx, &b); err != nil {
					t.Error(err)
					return
				}
				for rec := range b.All() {
					seen[r][rec.ID] = nerve.ID(int(rec.Data[0])*each + int(rec.Data[1]) + 1)
				}
			}
		}()
	}
	all.Wait()
	for id := 1; id <= writers*each && !t.Failed(); id++ {
		for r := range readers {
			if ids[id] == 0 || seen[r][id] != ids[id] {
				t.Fatalf("record %d: written %d, reader %d saw %d", id, ids[id], r, seen[r][id])
			}
		}
	}
}
