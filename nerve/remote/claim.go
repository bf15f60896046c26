package remote

import (
	"context"
	"errors"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/internal/wire"
)

// claimed is a claim of this log. After a restart the server knows of no claims;
// it gives the name back to who had it, under a new epoch, which the caller need
// not know.
type claimed struct {
	given uint64 // the epoch that Claim returned
	now   uint64 // the server's
}

// nowOf returns the server's epoch for one that Claim returned.
func (l *Log) nowOf(name string, epoch uint64) uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c, ok := l.claims[name]; ok && c.given == epoch {
		return c.now
	}
	return epoch
}

// reclaim asks a server that was restarted for the names of this log. One that
// somebody else has now stays with him, and its owner learns of it when he
// uses it. It is called before the connection is used for anything else.
func (l *Log) reclaim(k *link) error {
	l.mu.Lock()
	held := make(map[string]claimed, len(l.claims))
	for name, c := range l.claims {
		held[name] = c
	}
	l.mu.Unlock()
	for name, c := range held {
		payload := wire.AppendClaim([]byte{byte(wire.CallRenew), 0},
			nerve.Claim{Name: name, Epoch: c.now})
		_ = k.net.SetDeadline(time.Now().Add(dialTimeout))
		if err := k.write(wire.AppendFrame(nil, wire.Call, 1, func(b []byte) []byte {
			return append(b, payload...)
		})); err != nil {
			return err
		}
		renewed, err := k.reclaimed()
		if err != nil {
			return err
		}
		if renewed.Epoch > 0 {
			l.mu.Lock()
			l.claims[name] = claimed{given: c.given, now: renewed.Epoch}
			l.mu.Unlock()
		}
	}
	_ = k.net.SetDeadline(time.Time{})
	return nil
}

// reclaimed reads the answer to a call of reclaim, a zero claim if the server
// refused it.
func (k *link) reclaimed() (nerve.Claim, error) {
	for {
		h, payload, err := k.frame()
		if err != nil {
			return nerve.Claim{}, err
		}
		switch {
		case h.Type == wire.Answer && h.Stream == 1:
			f := wire.NewFields(payload)
			c := f.Claim()
			return c, f.Err(wire.Answer)
		case h.Type == wire.Error && h.Stream == 1:
			return nerve.Claim{}, nil
		case h.Type == wire.Bounds:
		default:
			return nerve.Claim{}, &nerve.ProtocolError{Reason: "an answer was expected, not a " +
				"frame of " + h.Type.String()}
		}
	}
}

// claimCall is a call without result whose arguments hold epochs, which change
// when the server is restarted.
func (l *Log) claimCall(
	ctx context.Context, op string, code wire.CallCode, args func() []byte,
) error {
	before := args()
	_, err := l.call(ctx, op, code, before)
	var fenced *nerve.FencedError
	if errors.As(err, &fenced) {
		if now := args(); string(now) != string(before) { // a restart came between
			_, err = l.call(ctx, op, code, now)
		}
	}
	return l.given(err)
}

// given returns err with the epoch that the caller knows.
func (l *Log) given(err error) error {
	var fenced *nerve.FencedError
	if !errors.As(err, &fenced) {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if c, ok := l.claims[fenced.Name]; ok && c.now == fenced.Epoch {
		return &nerve.FencedError{What: fenced.What, Name: fenced.Name, Epoch: c.given}
	}
	return err
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
	l.claims[name] = claimed{given: c.Epoch, now: c.Epoch}
	l.mu.Unlock()
	return c, nil
}

// Renew implements nerve.Claimer.
func (l *Log) Renew(ctx context.Context, c nerve.Claim) (nerve.Claim, error) {
	if err := l.check(ctx, true); err != nil {
		return nerve.Claim{}, err
	}
	given := c.Epoch
	c.Epoch = l.nowOf(c.Name, given)
	f, err := l.call(ctx, "renew", wire.CallRenew, wire.AppendClaim(nil, c))
	if err != nil {
		return nerve.Claim{}, l.given(err)
	}
	renewed := f.Claim()
	if err := f.Err(wire.Answer); err != nil {
		return nerve.Claim{}, err
	}
	l.mu.Lock()
	l.claims[c.Name] = claimed{given: given, now: renewed.Epoch}
	l.mu.Unlock()
	renewed.Epoch = given
	return renewed, nil
}

// Release implements nerve.Claimer.
func (l *Log) Release(ctx context.Context, c nerve.Claim) error {
	if err := l.check(ctx, true); err != nil {
		return err
	}
	given := c.Epoch
	c.Epoch = l.nowOf(c.Name, given)
	if _, err := l.call(ctx, "release", wire.CallRelease, wire.AppendClaim(nil, c)); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.claims[c.Name].given == given {
		delete(l.claims, c.Name)
	}
	return nil
}
