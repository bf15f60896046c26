package seglog

import (
	"context"
	"time"

	"github.com/octopus-framework/octopus/nerve"
)

// Pointers implements nerve.Log.
func (l *Log) Pointers(ctx context.Context) ([]nerve.Pointer, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if l.closed.Load() {
		return nil, nerve.ErrClosed
	}
	if l.options.ReadOnly {
		if _, err := l.lookAtState(); err != nil {
			return nil, err
		}
	}
	return l.state.pointers(), nil
}

// SavePointers implements nerve.Log. A pointer never becomes durable before the
// records that it says something of are.
func (l *Log) SavePointers(ctx context.Context, pointers []nerve.Pointer) error {
	if err := l.writable(ctx); err != nil {
		return err
	}
	highest := nerve.ID(0)
	for _, p := range pointers {
		if err := p.Check(); err != nil {
			return err
		}
		if last := nerve.ID(l.visible.Load()); p.Highest() > last {
			return &nerve.FutureError{ID: p.Highest(), Next: last + 1}
		}
		highest = max(highest, p.Highest())
	}
	if l.options.Durability != SyncNever && highest > nerve.ID(l.synced.Load()) {
		if err := l.Sync(); err != nil {
			return err
		}
	}
	l.naming.Lock()
	defer l.naming.Unlock()
	for _, p := range pointers {
		if err := l.claims.Check(p.Name, p.Epoch); err != nil {
			return err
		}
	}
	return l.orClosed(l.state.savePointers(pointers, time.Now().UnixNano()))
}

// RemovePointer implements nerve.Log.
func (l *Log) RemovePointer(ctx context.Context, name string) error {
	if err := l.writable(ctx); err != nil {
		return err
	}
	l.naming.Lock()
	defer l.naming.Unlock()
	if err := l.claims.Check(name, 0); err != nil {
		return err
	}
	return l.orClosed(l.state.removePointer(name))
}

// Claim implements nerve.Claimer. Only the process that holds the lock on the
// folder saves pointers, so claims are kept in its memory; the epoch is kept with
// the pointer.
func (l *Log) Claim(ctx context.Context, name string) (nerve.Claim, error) {
	if err := l.writable(ctx); err != nil {
		return nerve.Claim{}, err
	}
	l.naming.Lock()
	defer l.naming.Unlock()
	c, err := l.claims.Claim(name, l.state.epoch(name))
	if err != nil {
		return nerve.Claim{}, err
	}
	if err := l.orClosed(l.state.setEpoch(name, c.Epoch)); err != nil {
		l.claims.Release(c)
		return nerve.Claim{}, err
	}
	return c, nil
}

// Resume takes a name under the epoch of a claim from before the log was opened, for
// servers whose clients outlive them. It is a FencedError if the name was claimed
// since, by the epoch that is stored with the pointer. It may be repeated after
// the log was opened again.
func (l *Log) Resume(ctx context.Context, c nerve.Claim) (nerve.Claim, error) {
	if err := l.writable(ctx); err != nil {
		return nerve.Claim{}, err
	}
	l.naming.Lock()
	defer l.naming.Unlock()
	if stored := l.state.epoch(c.Name); stored != 0 && stored != c.Epoch {
		return nerve.Claim{}, &nerve.FencedError{What: "consumer", Name: c.Name, Epoch: c.Epoch}
	}
	return l.claims.Resume(c)
}

// Claimed says whether somebody has a name now.
func (l *Log) Claimed(name string) bool { return l.claims.Held(name) }

// Renew implements nerve.Claimer.
func (l *Log) Renew(ctx context.Context, c nerve.Claim) (nerve.Claim, error) {
	if err := l.writable(ctx); err != nil {
		return nerve.Claim{}, err
	}
	return l.claims.Renew(c)
}

// Release implements nerve.Claimer.
func (l *Log) Release(ctx context.Context, c nerve.Claim) error {
	if err := l.writable(ctx); err != nil {
		return err
	}
	l.claims.Release(c)
	return nil
}
