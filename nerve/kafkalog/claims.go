package kafkalog

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/octopus-framework/octopus/nerve"
)

// left is how long the claim of e lasts, 0 or less if nobody has it. It compares
// the broker's clock with this machine's: where they differ, a claim lapses too
// early or too late, and its owner is told.
func (e *entry) left() time.Duration {
	if e.Where == "" {
		return 0
	}
	return time.Until(e.at.Add(time.Duration(e.Lease) * time.Millisecond))
}

func (e *entry) taken(name string) error {
	return &nerve.OpenError{Name: name, Where: e.Where,
		Lease: time.Duration(e.Lease) * time.Millisecond}
}

// check says whether the pointer of a name may be changed under an epoch, 0 for
// no claim.
func (e *entry) check(name string, epoch uint64) error {
	switch {
	case epoch == 0 && e.left() > 0:
		return e.taken(name)
	case epoch != 0 && (e.Epoch != epoch || e.Where == ""):
		return &nerve.FencedError{What: "consumer", Name: name, Epoch: epoch}
	}
	return nil
}

// claimed is what the caller is told of the claim in e.
func (e *entry) claimed(name string) nerve.Claim {
	return nerve.Claim{Name: name, Epoch: e.Epoch, Lease: time.Duration(e.Lease) * time.Millisecond}
}

// here says where this process is.
func here() string {
	host, err := os.Hostname()
	if err != nil {
		host = "an unknown host"
	}
	return fmt.Sprintf("process %d on %s", os.Getpid(), host)
}

// Claim implements nerve.Claimer.
func (l *Log) Claim(ctx context.Context, name string) (nerve.Claim, error) {
	if err := nerve.CheckName(name); err != nil {
		return nerve.Claim{}, err
	}
	return l.claim(ctx, name, func(e *entry) error {
		if e.left() > 0 {
			return e.taken(name)
		}
		e.Epoch++
		e.Where = here()
		e.Lease = l.options.Lease.Milliseconds()
		return nil
	})
}

// Renew implements nerve.Claimer.
func (l *Log) Renew(ctx context.Context, c nerve.Claim) (nerve.Claim, error) {
	return l.claim(ctx, c.Name, func(e *entry) error { return e.check(c.Name, c.Epoch) })
}

// Release implements nerve.Claimer.
func (l *Log) Release(ctx context.Context, c nerve.Claim) error {
	_, err := l.claim(ctx, c.Name, func(e *entry) error {
		if e.Epoch == c.Epoch {
			e.Where, e.Lease = "", 0
		}
		return nil
	})
	return err
}

// claim writes the entry of a name, changed.
func (l *Log) claim(ctx context.Context, name string, change func(*entry) error) (c nerve.Claim, err error) {
	ctx, end, err := l.begin(ctx)
	if err != nil {
		return c, err
	}
	defer end()
	if l.options.ReadOnly {
		return c, nerve.ErrReadOnly
	}
	err = l.store.update(ctx, func(now map[string]entry) (map[string]entry, error) {
		e := now[name]
		if err := change(&e); err != nil {
			return nil, err
		}
		c = e.claimed(name)
		return map[string]entry{name: e}, nil
	})
	if err != nil {
		return nerve.Claim{}, err
	}
	return c, nil
}
