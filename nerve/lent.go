package nerve

import (
	"context"
	"sync"

	"github.com/octopus-framework/octopus/gremlin/guard"
)

// lent is the memory of the batch that a reader has given out, while package guard is on. A copy of
// each batch goes out then, and is released when the batch is no longer valid. The zero value has
// lent nothing.
type lent struct {
	mu     sync.Mutex
	memory []byte
}

// lend puts a copy that is released later in the place of what b is a view of.
func (l *lent) lend(b *Batch) {
	if !guard.On {
		return
	}
	memory := guard.Copy(b.Packed())
	first, unixNano := b.First, b.UnixNano
	b.View(first, unixNano, memory, AppendEnds(nil, memory))
	l.mu.Lock()
	defer l.mu.Unlock()
	l.memory = memory
}

// release ends the life of what was lent.
func (l *lent) release() {
	if !guard.On {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	guard.Release(l.memory)
	l.memory = nil
}

// guarded returns a cursor whose batches are guarded, c itself while package guard is off.
func guarded(c Cursor) Cursor {
	if !guard.On {
		return c
	}
	return &guardedCursor{Cursor: c}
}

type guardedCursor struct {
	Cursor
	lent lent
}

// Next implements Cursor.
func (c *guardedCursor) Next(ctx context.Context, b *Batch) error {
	c.lent.release()
	if err := c.Cursor.Next(ctx, b); err != nil {
		return err
	}
	c.lent.lend(b)
	return nil
}

// Close implements Cursor.
func (c *guardedCursor) Close() error {
	c.lent.release()
	return c.Cursor.Close()
}
