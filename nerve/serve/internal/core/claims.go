package core

import (
	"context"
	"sync"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/seglog"
)

// claims are those of clients on one log. The claims of a log in a folder do not
// lapse, because its process dies with its consumers; clients come and go, so
// theirs do. While a client has a name, the log has it claimed for him.
type claims struct {
	log   resumer
	lease time.Duration
	now   func() time.Time

	mu     sync.Mutex
	byName map[string]*holder
}

// resumer is a log whose claims can be taken up again after it was opened anew.
type resumer interface {
	nerve.Claimer
	Resume(ctx context.Context, c nerve.Claim) (nerve.Claim, error)
}

// maxClaims bounds how many names are remembered: more than a log has pointers.
const maxClaims = 2 * seglog.MaxConsumers

// holder is who claimed a name last.
type holder struct {
	claim nerve.Claim
	held  bool
	nonce uint64 // nonce of the request that made the claim
	where string
	until time.Time
}

func newClaims(log resumer, o Options) *claims {
	return &claims{log: log, lease: o.Lease, now: o.Now, byName: make(map[string]*holder)}
}

// claim takes a name. A request that is repeated, by its nonce, gets the same
// claim again; 0 is none.
func (c *claims) claim(
	ctx context.Context, name, where string, nonce uint64,
) (nerve.Claim, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	h := c.byName[name]
	switch {
	case h == nil || !h.held:
	case nonce != 0 && h.nonce == nonce:
		h.until = c.now().Add(c.lease)
		return h.claim, nil
	case c.now().Before(h.until):
		return nerve.Claim{}, &nerve.OpenError{Name: name, Where: h.where, Lease: c.lease}
	default:
		if err := c.log.Release(ctx, h.claim); err != nil {
			return nerve.Claim{}, err
		}
		h.held = false
	}
	return c.take(ctx, name, where, nonce)
}

// take claims a name that no client has. The mutex is held.
func (c *claims) take(
	ctx context.Context, name, where string, nonce uint64,
) (nerve.Claim, error) {
	if err := c.room(name); err != nil {
		return nerve.Claim{}, err
	}
	claim, err := c.log.Claim(ctx, name)
	if err != nil {
		return nerve.Claim{}, err
	}
	return c.hold(claim, where, nonce), nil
}

// room refuses names beyond those that are remembered. The mutex is held.
func (c *claims) room(name string) error {
	if c.byName[name] == nil && len(c.byName) >= maxClaims {
		return &nerve.TooLargeError{What: "consumers", Size: len(c.byName) + 1, Limit: maxClaims}
	}
	return nil
}

// hold remembers who has a name. The mutex is held.
func (c *claims) hold(claim nerve.Claim, where string, nonce uint64) nerve.Claim {
	claim.Lease = c.lease
	c.byName[claim.Name] = &holder{
		claim: claim, held: true, nonce: nonce, where: where, until: c.now().Add(c.lease),
	}
	return claim
}

// renew begins the lease anew. After a restart of the server nobody is known to
// have the name: whoever had it last, by the epoch that is stored with the
// pointer, gets it back, under the same epoch.
func (c *claims) renew(ctx context.Context, claim nerve.Claim, where string) (nerve.Claim, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	fenced := &nerve.FencedError{What: "consumer", Name: claim.Name, Epoch: claim.Epoch}
	if h := c.byName[claim.Name]; h != nil {
		if !h.held || h.claim.Epoch != claim.Epoch {
			return nerve.Claim{}, fenced
		}
		h.until = c.now().Add(c.lease)
		return h.claim, nil
	}
	if err := c.room(claim.Name); err != nil {
		return nerve.Claim{}, err
	}
	resumed, err := c.log.Resume(ctx, claim)
	if err != nil {
		return nerve.Claim{}, err
	}
	return c.hold(resumed, where, 0), nil
}

// release gives a name up, if it is still the claim's.
func (c *claims) release(ctx context.Context, claim nerve.Claim) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	h := c.byName[claim.Name]
	if h == nil || !h.held || h.claim.Epoch != claim.Epoch {
		return nil
	}
	if err := c.log.Release(ctx, claim); err != nil {
		return err
	}
	h.held = false
	return nil
}

// holderOf says who has a name now, "" if nobody has.
func (c *claims) holderOf(name string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if h := c.byName[name]; h != nil && h.held && c.now().Before(h.until) {
		return h.where
	}
	return ""
}
