package core

import (
	"context"
	"sync/atomic"

	"golang.org/x/sync/semaphore"

	"github.com/octopus-framework/octopus/nerve"
)

// Budget is memory that all clients share. It is taken before it is allocated.
type Budget struct {
	weighted *semaphore.Weighted
	limit    int64
	held     atomic.Int64
}

// NewBudget returns one of limit bytes.
func NewBudget(limit int64) *Budget {
	return &Budget{weighted: semaphore.NewWeighted(limit), limit: limit}
}

// Acquire waits for n bytes, at most half of all, until ctx ends. What it returns
// gives them back, once.
func (b *Budget) Acquire(ctx context.Context, n int) (release func(), err error) {
	share := max(1, min(int64(n), b.limit/2))
	if err := b.weighted.Acquire(ctx, share); err != nil {
		return nil, context.Cause(ctx)
	}
	b.held.Add(share)
	return func() {
		b.held.Add(-share)
		b.weighted.Release(share)
	}, nil
}

// Held is how many bytes are taken.
func (b *Budget) Held() int64 { return b.held.Load() }

// counterLimit bounds how many of something there are.
type counterLimit struct {
	what  string
	limit int
	now   atomic.Int64
}

func (c *counterLimit) enter() error {
	if c.now.Add(1) > int64(c.limit) {
		c.now.Add(-1)
		return &nerve.BusyError{What: c.what, Limit: c.limit}
	}
	return nil
}

func (c *counterLimit) leave() { c.now.Add(-1) }
