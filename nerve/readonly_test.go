package nerve_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/seglog"
)

// TestConsumersThatOnlyRead opens consumers on a log that somebody else writes: an ack is kept, or
// the consumer is refused.
func TestConsumersThatOnlyRead(t *testing.T) {
	dir := t.TempDir()
	writer, err := seglog.Open(dir, seglog.Options{NoSpare: true})
	if err != nil {
		t.Fatal(err)
	}
	q := nerve.New(writer, nerve.Options{})
	defer q.Close()
	for range 5 {
		if _, err := q.Append(t.Context(), []byte("record")); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(t.TempDir(), "billing.pointer")
	// read consumes n records with these options and returns the id of the first.
	read := func(o nerve.ConsumerOptions, n int) nerve.ID {
		t.Helper()
		log, err := seglog.Open(dir, seglog.Options{ReadOnly: true})
		if err != nil {
			t.Fatal(err)
		}
		r := nerve.New(log, nerve.Options{})
		c, err := r.Consumer("billing", o)
		if err != nil {
			t.Fatal(err)
		}
		var first, last nerve.ID
		for rec, err := range c.Records(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			if first == 0 {
				first = rec.ID
			}
			if last = rec.ID; last == first+nerve.ID(n)-1 {
				break
			}
		}
		if err := c.AckThrough(last); err != nil {
			t.Fatal(err)
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		return first
	}
	log, err := seglog.Open(dir, seglog.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	r := nerve.New(log, nerve.Options{})
	_, err = r.Consumer("billing", nerve.ConsumerOptions{})
	var refused *nerve.ReadOnlyConsumerError
	if !errors.As(err, &refused) || !errors.Is(err, nerve.ErrReadOnly) {
		t.Errorf("a consumer whose acks go nowhere: %v", err)
	}
	for name, o := range map[string]nerve.ConsumerOptions{
		"both":           {Ephemeral: true, PointerFile: file},
		"ephemeral hold": {Ephemeral: true, Hold: true},
		"file hold":      {PointerFile: file, Hold: true},
	} {
		if _, err := r.Consumer("x", o); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if first := read(nerve.ConsumerOptions{Ephemeral: true}, 2); first != 1 {
			t.Errorf("an ephemeral consumer begins at %d", first)
		}
	}
	for i, want := range []nerve.ID{1, 3} {
		if first := read(nerve.ConsumerOptions{PointerFile: file}, 2); first != want {
			t.Errorf("round %d begins at %d, not %d", i, first, want)
		}
	}
	if p, err := writer.Pointers(t.Context()); err != nil || len(p) != 0 {
		t.Errorf("the log has pointers: %v, %v", p, err)
	}
	checkPointerFiles(t, q, file)
}

// checkPointerFiles opens a consumer with pointer files that are not its own.
func checkPointerFiles(t *testing.T, q *nerve.Queue, file string) {
	t.Helper()
	for name, c := range map[string]struct{ consumer, text, want string }{
		"another consumer": {"other", `{"consumer":"billing","pointer":1}`,
			"is that of consumer billing, not of other"},
		"damaged": {"billing", "{", "no pointer file"},
		"another queue": {"billing", `{"consumer":"billing","pointer":99}`,
			"it is of another queue"},
		"too large": {"billing", strings.Repeat(" ", 70000), "too large"},
	} {
		if err := os.WriteFile(file, []byte(c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := q.Consumer(c.consumer, nerve.ConsumerOptions{PointerFile: file})
		var format *nerve.FormatError
		if !errors.As(err, &format) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestConsumerStats looks at a consumer that is behind, skips, meets what it cannot decode, and
// stalls.
func TestConsumerStats(t *testing.T) {
	log, err := seglog.Open(t.TempDir(), seglog.Options{NoSpare: true})
	if err != nil {
		t.Fatal(err)
	}
	q := nerve.New(log, nerve.Options{})
	defer q.Close()
	for _, text := range []string{"a", "0", "b", "c", "d"} {
		if _, err := q.Append(t.Context(), []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	c, err := q.Consumer("c", nerve.ConsumerOptions{MaxUnacked: 2})
	if err != nil {
		t.Fatal(err)
	}
	stats := func() nerve.ConsumerStats {
		t.Helper()
		s, err := q.Stats()
		if err != nil || len(s.Consumers) != 1 {
			t.Fatalf("%v, %v", s, err)
		}
		return s.Consumers[0]
	}
	if s := stats(); s.LagTime <= 0 || s.Lag != 5 || s.Stalled {
		t.Errorf("at first: %+v", s)
	}
	read := 0
	for range nerve.Typed[textReader](t.Context(), c) { //nolint:errcheck // one of them is undecodable
		if read++; read == 2 {
			break
		}
	}
	waiting := make(chan error)
	go func() {
		var b nerve.Batch
		waiting <- c.Next(t.Context(), &b)
	}()
	for !stats().Stalled {
	}
	if s := stats(); s.Undecodable != 1 || s.Unacked != 2 {
		t.Errorf("while it waits: %+v", s)
	}
	if err := c.AckThrough(2); err != nil {
		t.Fatal(err)
	}
	if err := <-waiting; err != nil {
		t.Fatal(err)
	}
	if err := c.Seek(nerve.StartLatest()); err != nil {
		t.Fatal(err)
	}
	if s := stats(); s.Skipped != 2 || s.Lag != 0 || s.LagTime != 0 {
		t.Errorf("at the end: %+v", s)
	}
}
