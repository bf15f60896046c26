package envelope_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/octopus-framework/octopus/gremlin/wkt"
	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/envelope"
	"github.com/octopus-framework/octopus/nerve/envelope/envelopepb"
	"github.com/octopus-framework/octopus/nerve/memlog"
	"github.com/octopus-framework/octopus/nerve/work"
	"github.com/octopus-framework/octopus/nerve/work/deadletter"
)

func newQueue(t *testing.T, o nerve.Options) *nerve.Queue {
	t.Helper()
	q := nerve.New(memlog.New(memlog.Options{}), o)
	t.Cleanup(func() { _ = q.Close() })
	return q
}

func newConsumer(t *testing.T, q *nerve.Queue) *nerve.Consumer {
	t.Helper()
	c, err := q.Consumer("c", nerve.ConsumerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestRecords: what goes in comes out, one by one and in batches, and is the message that the
// schema says.
func TestRecords(t *testing.T) {
	ctx, q := t.Context(), newQueue(t, nerve.Options{})
	if _, err := envelope.Append(ctx, q, &wkt.Api{Name: "shop"}, "k1"); err != nil {
		t.Fatal(err)
	}
	var b nerve.Batch
	envelope.Add(&b, &wkt.Duration{Seconds: 7}, "")
	envelope.Add(&b, &wkt.Empty{}, strings.Repeat("long", 100))
	if _, err := q.AppendBatch(ctx, &b); err != nil {
		t.Fatal(err)
	}
	if _, err := q.Append(ctx, []byte("no envelope")); err != nil {
		t.Fatal(err)
	}
	if _, err := q.Append(ctx, nil); err != nil { // well-formed, and nothing
		t.Fatal(err)
	}
	var got []string
	for rec, err := range envelope.Records(ctx, newConsumer(t, q)) {
		var bad *nerve.DecodeError
		switch {
		case errors.As(err, &bad) && bad.ID == rec.ID:
			got = append(got, "bad")
		case err != nil:
			t.Fatal(err)
		default:
			var e envelopepb.Envelope
			if err := e.Unmarshal(rec.Data); err != nil || e.Kind != rec.Kind || e.Key != rec.Key ||
				string(e.Message) != string(rec.Message) {
				t.Errorf("the record is %v, %v", &e, err)
			}
			got = append(got, fmt.Sprintf("%s %d", rec.Kind, len(rec.Key)))
			if key := envelope.KeyOf(rec.Record); key != rec.Key {
				t.Errorf("the key is %q", key)
			}
		}
		if rec.ID == 5 {
			break
		}
	}
	want := "google.protobuf.Api 2, google.protobuf.Duration 0, google.protobuf.Empty 400, bad, bad"
	if s := strings.Join(got, ", "); s != want {
		t.Errorf("got %s", s)
	}
	if key := envelope.KeyOf(nerve.Record{Data: []byte("no envelope")}); key != "" {
		t.Errorf("no envelope has the key %q", key)
	}
}

// TestMux: each kind goes to its handler, in order of its key; what has none becomes a dead letter.
func TestMux(t *testing.T) {
	q, dead := newQueue(t, nerve.Options{}), newQueue(t, nerve.Options{})
	for i := range 20 {
		key := fmt.Sprint("k", i%3)
		var err error
		if i%2 == 0 {
			_, err = envelope.Append(t.Context(), q, &wkt.Duration{Seconds: int64(i)}, key)
		} else {
			_, err = envelope.Append(t.Context(), q, &wkt.Timestamp{Seconds: int64(i)}, key)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := envelope.Append(t.Context(), q, &wkt.Empty{}, ""); err != nil {
		t.Fatal(err)
	}
	wrong := envelopepb.Envelope{Kind: "google.protobuf.Duration", Message: []byte{0xff}}
	for _, record := range [][]byte{[]byte("junk"), wrong.Marshal()} {
		if _, err := q.Append(t.Context(), record); err != nil {
			t.Fatal(err)
		}
	}
	var mu sync.Mutex
	last := map[string]int64{}
	count := 0
	see := func(d envelope.Delivery, seconds int64) error {
		mu.Lock()
		defer mu.Unlock()
		if before, ok := last[d.Key]; ok && before >= seconds {
			t.Errorf("key %s: %d comes behind %d", d.Key, seconds, before)
		}
		last[d.Key] = seconds
		count++
		return nil
	}
	mux := new(envelope.Mux)
	envelope.Handle(mux, func(_ context.Context, d envelope.Delivery, r *wkt.DurationReader) error {
		return see(d, r.GetSeconds())
	})
	envelope.Handle(mux, func(_ context.Context, d envelope.Delivery,
		r *wkt.TimestampReader) error {
		return see(d, r.GetSeconds())
	})
	ctx, stop := context.WithCancel(t.Context())
	c := newConsumer(t, q)
	group, err := work.New(c, mux.Deliver, work.Options{Workers: 4, KeyBy: envelope.KeyOf,
		DeadLetters: dead})
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- group.Run(ctx) }()
	var reasons []string
	for letter, err := range nerve.Typed[deadletter.DeadLetterReader](ctx, newConsumer(t, dead)) {
		if err != nil {
			t.Fatal(err)
		}
		reasons = append(reasons, strings.Clone(letter.Value.GetReason()))
		if len(reasons) == 3 {
			break
		}
	}
	for group.Stats().Handled < 20 {
		select {
		case err := <-ended:
			t.Fatal(err)
		case <-time.After(time.Millisecond):
		}
	}
	stop()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	all := strings.Join(reasons, "\n")
	if count != 20 || !strings.Contains(all, `no handler for the kind "google.protobuf.Empty"`) ||
		strings.Count(all, "record 22") != 1 || strings.Count(all, "record 23") != 1 {
		t.Errorf("%d were handled; dead letters:\n%s", count, all)
	}
}

// TestOtherwise: a handler for the kinds that have none of their own.
func TestOtherwise(t *testing.T) {
	var got string
	mux := &envelope.Mux{Otherwise: func(_ context.Context, d envelope.Delivery, b []byte) error {
		got = fmt.Sprint(d.Kind, " ", d.Key, " ", len(b))
		return nil
	}}
	var b nerve.Batch
	envelope.Add(&b, &wkt.Duration{Seconds: 1}, "k")
	for rec := range b.All() {
		if err := mux.Deliver(t.Context(), &work.Delivery{Record: rec}); err != nil {
			t.Fatal(err)
		}
	}
	if got != "google.protobuf.Duration k 2" {
		t.Errorf("got %s", got)
	}
	handle := func(context.Context, envelope.Delivery, *wkt.DurationReader) error { return nil }
	envelope.Handle(mux, handle)
	defer func() {
		if recover() == nil {
			t.Error("two handlers for a kind")
		}
	}()
	envelope.Handle(mux, handle)
}

// TestCheck: a queue of certain kinds takes nothing else.
func TestCheck(t *testing.T) {
	q := newQueue(t, nerve.Options{Check: envelope.KindCheck(envelope.KindOf[wkt.ApiReader](),
		envelope.KindOf[wkt.DurationReader]())})
	if _, err := envelope.Append(t.Context(), q, &wkt.Api{Name: "shop"}, ""); err != nil {
		t.Fatal(err)
	}
	var refused *nerve.CheckError
	_, err := envelope.Append(t.Context(), q, &wkt.Empty{}, "")
	if !errors.As(err, &refused) || !strings.Contains(err.Error(), `"google.protobuf.Empty"`) {
		t.Errorf("another kind: %v", err)
	}
	_, err = envelope.Append(t.Context(), q, &wkt.Api{Methods: []wkt.Method{{Name: "\xff"}}}, "")
	if !errors.As(err, &refused) || !strings.Contains(err.Error(), "methods[0].name") {
		t.Errorf("no UTF-8: %v", err)
	}
	if _, err := q.Append(t.Context(), []byte("junk")); !errors.As(err, &refused) {
		t.Errorf("no envelope: %v", err)
	}
}
