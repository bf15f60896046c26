package query_test

import (
	"context"
	"io"
	"time"

	"github.com/octopus-framework/octopus/nerve"
)

// oneBatch is a source of one batch.
type oneBatch struct{ b *nerve.Batch }

func (s oneBatch) Bounds() (first, last nerve.ID) { return s.b.First, s.b.Last() }

func (s oneBatch) Seek(context.Context, time.Time) (nerve.ID, error) { return s.b.First, nil }

func (s oneBatch) Read(_ context.Context, from nerve.ID) (nerve.Cursor, error) {
	return &oneCursor{b: s.b, from: from}, nil
}

type oneCursor struct {
	b    *nerve.Batch
	from nerve.ID
	done bool
}

func (c *oneCursor) Next(_ context.Context, b *nerve.Batch) error {
	if c.done {
		return io.EOF
	}
	*b, c.done = *c.b, true
	b.DropBefore(c.from)
	return nil
}

func (c *oneCursor) Close() error { return nil }
