package kafkalog

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/octopus-framework/octopus/nerve"
)

// left is how long the claim of e lasts, 0 or less if nobody has it. It compares
// the clocks of two machines: where they differ, a claim lapses too early or too
// late, and an owner that lost the name is told when it saves.
func (e *entry) left(now time.Time) time.Duration {
	if e.Where == "" {
		return 0
	}
	return time.UnixMilli(e.Until).Sub(now)
}

func (e *entry) taken(name string, now time.Time) error {
	return &nerve.OpenError{Name: name, Where: e.Where, Lease: e.left(now)}
}

// check says whether the pointer of a name may be changed under an epoch, 0 for
// no claim.
func (e *entry) check(name string, epoch uint64, now time.Time) error {
	switch {
	case epoch == 0 && e.left(now) > 0:
		return e.taken(name, now)
	case epoch != 0 && (e.Epoch != epoch || e.Where == ""):
		return &nerve.FencedError{What: "consumer", Name: name, Epoch: epoch}
	}
	return nil
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
	var c nerve.Claim
	err := l.changeClaim(ctx, name, func(e *entry, now time.Time) error {
		if e.left(now) > 0 {
			return e.taken(name, now)
		}
		e.Epoch++
		e.Where = here()
		e.Until = now.Add(l.options.Lease).UnixMilli()
		c = nerve.Claim{Name: name, Epoch: e.Epoch, Lease: l.options.Lease}
		return nil
	})
	if err != nil {
		return nerve.Claim{}, err
	}
	return c, nil
}

// Renew implements nerve.Claimer.
func (l *Log) Renew(ctx context.Context, c nerve.Claim) (nerve.Claim, error) {
	err := l.changeClaim(ctx, c.Name, func(e *entry, now time.Time) error {
		e.Until = now.Add(l.options.Lease).UnixMilli()
		return e.check(c.Name, c.Epoch, now)
	})
	if err != nil {
		return nerve.Claim{}, err
	}
	c.Lease = l.options.Lease
	return c, nil
}

// Release implements nerve.Claimer.
func (l *Log) Release(ctx context.Context, c nerve.Claim) error {
	return l.changeClaim(ctx, c.Name, func(e *entry, _ time.Time) error {
		if e.Epoch == c.Epoch {
			e.Where, e.Until = "", 0
		}
		return nil
	})
}

// changeClaim writes the entry of a name, changed.
func (l *Log) changeClaim(ctx context.Context, name string,
	change func(*entry, time.Time) error) error {
	ctx, end, err := l.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	if l.options.ReadOnly {
		return nerve.ErrReadOnly
	}
	return l.store.update(ctx, func(now map[string]entry) (map[string]entry, error) {
		before := now[name]
		e := before
		if err := change(&e, l.options.now()); err != nil {
			return nil, err
		}
		if e.Epoch == before.Epoch && e.Where == before.Where && e.Until == before.Until {
			return nil, nil
		}
		return map[string]entry{name: e}, nil
	})
}
