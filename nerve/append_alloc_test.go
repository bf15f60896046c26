package nerve_test

import (
	"context"
	"testing"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/memlog"
)

// countingLog stores nothing.
type countingLog struct {
	nerve.Log
	last nerve.ID
}

func (l *countingLog) Append(_ context.Context, b *nerve.Batch) (nerve.ID, error) {
	first := l.last + 1
	l.last += nerve.ID(b.Len())
	return first, nil
}

type message string

func (m *message) MarshalAppend(dst []byte) []byte { return append(dst, *m...) }

// TestAppendsAllocateNothing counts what the queue adds to an append.
func TestAppendsAllocateNothing(t *testing.T) {
	q := nerve.New(&countingLog{Log: memlog.New(memlog.Options{})}, nerve.Options{})
	defer q.Close()
	ctx := context.Background()
	data := make([]byte, 500)
	msg := message(data)
	var b nerve.Batch
	b.Append(data)
	keyed := b
	keyed.Key = nerve.Key{Producer: 1, Seq: 1}
	for name, appendOne := range map[string]func() (nerve.ID, error){
		"Append":        func() (nerve.ID, error) { return q.Append(ctx, data) },
		"AppendBatch":   func() (nerve.ID, error) { return q.AppendBatch(ctx, &b) },
		"with a key":    func() (nerve.ID, error) { return q.AppendBatch(ctx, &keyed) },
		"AppendMessage": func() (nerve.ID, error) { return nerve.AppendMessage(ctx, q, &msg) },
	} {
		n := testing.AllocsPerRun(100, func() {
			if _, err := appendOne(); err != nil {
				t.Fatal(err)
			}
		})
		if n != 0 {
			t.Errorf("%s makes %v allocations", name, n)
		}
	}
}
