package remote

import (
	"context"
	"maps"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/internal/wire"
)

// reclaim asks a server that was restarted for the names of this log. One that
// somebody else has now stays with him, and its owner learns of it when he
// uses it. It is called before the connection is used for anything else.
func (l *Log) reclaim(k *link) error {
	l.mu.Lock()
	held := maps.Clone(l.claims)
	l.mu.Unlock()
	for name, epoch := range held {
		payload := wire.AppendClaim([]byte{byte(wire.CallRenew), 0},
			nerve.Claim{Name: name, Epoch: epoch})
		_ = k.net.SetDeadline(time.Now().Add(dialTimeout))
		if err := k.write(wire.AppendFrame(nil, wire.Call, 1, func(b []byte) []byte {
			return append(b, payload...)
		})); err != nil {
			return err
		}
		if err := k.reclaimed(); err != nil {
			return err
		}
	}
	_ = k.net.SetDeadline(time.Time{})
	return nil
}

// reclaimed reads the answer to a call of reclaim, whatever it is.
func (k *link) reclaimed() error {
	for {
		h, _, err := k.frame()
		if err != nil {
			return err
		}
		switch {
		case h.Type == wire.Answer && h.Stream == 1, h.Type == wire.Error && h.Stream == 1:
			return nil
		case h.Type == wire.Bounds:
		default:
			return &nerve.ProtocolError{Reason: "an answer was expected, not a frame of " +
				h.Type.String()}
		}
	}
}

// Claim implements nerve.Claimer.
func (l *Log) Claim(ctx context.Context, name string) (nerve.Claim, error) {
	if err := l.check(ctx, true); err != nil {
		return nerve.Claim{}, err
	}
	// With the number a request that is repeated gets the claim that it made.
	f, err := l.call(ctx, "claim", wire.CallClaim,
		wire.AppendUints(wire.AppendBytes(nil, name), random()))
	if err != nil {
		return nerve.Claim{}, err
	}
	c := f.Claim()
	if err := f.Err(wire.Answer); err != nil {
		return nerve.Claim{}, err
	}
	l.mu.Lock()
	l.claims[name] = c.Epoch
	l.mu.Unlock()
	return c, nil
}

// Renew implements nerve.Claimer.
func (l *Log) Renew(ctx context.Context, c nerve.Claim) (nerve.Claim, error) {
	if err := l.check(ctx, true); err != nil {
		return nerve.Claim{}, err
	}
	f, err := l.call(ctx, "renew", wire.CallRenew, wire.AppendClaim(nil, c))
	if err != nil {
		return nerve.Claim{}, err
	}
	renewed := f.Claim()
	return renewed, f.Err(wire.Answer)
}

// Release implements nerve.Claimer.
func (l *Log) Release(ctx context.Context, c nerve.Claim) error {
	if err := l.check(ctx, true); err != nil {
		return err
	}
	if _, err := l.call(ctx, "release", wire.CallRelease, wire.AppendClaim(nil, c)); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.claims[c.Name] == c.Epoch {
		delete(l.claims, c.Name)
	}
	return nil
}
