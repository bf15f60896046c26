package kafkalog

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/internal/claims"
)

// claimed is who has the name of e. It compares the clocks of two machines: where
// they differ, a claim lapses too early or too late, and an owner that lost the
// name is told when it saves.
func (e *consumerState) claimed(now time.Time) claims.State {
	return claims.State{Epoch: e.Epoch, Where: e.Where, Left: time.UnixMilli(e.Until).Sub(now)}
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
	err := l.changeClaim(ctx, name, func(e *consumerState, now time.Time) error {
		if err := e.claimed(now).CanClaim(name); err != nil {
			return err
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
	err := l.changeClaim(ctx, c.Name, func(e *consumerState, now time.Time) error {
		err := e.claimed(now).CanRenew(c)
		e.Until = now.Add(l.options.Lease).UnixMilli()
		return err
	})
	if err != nil {
		return nerve.Claim{}, err
	}
	c.Lease = l.options.Lease
	return c, nil
}

// Release implements nerve.Claimer.
func (l *Log) Release(ctx context.Context, c nerve.Claim) error {
	return l.changeClaim(ctx, c.Name, func(e *consumerState, now time.Time) error {
		if e.claimed(now).CanRenew(c) == nil {
			e.Where, e.Until = "", 0
		}
		return nil
	})
}

// changeClaim writes the entry of a name, changed.
func (l *Log) changeClaim(ctx context.Context, name string,
	change func(*consumerState, time.Time) error) error {
	ctx, end, err := l.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	if l.options.ReadOnly {
		return nerve.ErrReadOnly
	}
	return l.store.update(ctx, func(now states) (states, error) {
		before := now[name]
		e := before
		if err := change(&e, l.options.now()); err != nil {
			return nil, err
		}
		if e.Epoch == before.Epoch && e.Where == before.Where && e.Until == before.Until {
			return nil, nil
		}
		return states{name: e}, nil
	})
}
