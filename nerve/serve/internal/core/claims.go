package core

import (
	"context"
	"errors"
	"sync"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/seglog"
)

// claims remembers which client has which name of a log. Whether somebody has one
// is what the log says.
type claims struct {
	log claimer

	mu     sync.Mutex
	byName map[string]holder
}

// claimer is a log whose claims can be taken up again after it was opened anew.
type claimer interface {
	nerve.Claimer
	Claimed(name string) bool
	Resume(ctx context.Context, c nerve.Claim) (nerve.Claim, error)
}

// maxClaims bounds how many names are remembered: more than a log has pointers.
const maxClaims = 2 * seglog.MaxConsumers

// holder is the client that claimed a name last.
type holder struct {
	claim nerve.Claim
	nonce uint64 // nonce of the request that made the claim
	where string
}

func newClaims(log claimer) *claims {
	return &claims{log: log, byName: make(map[string]holder)}
}

// claim takes a name. A request that is repeated, by its nonce, gets the same
// claim again; 0 is none.
func (c *claims) claim(
	ctx context.Context, name, where string, nonce uint64,
) (nerve.Claim, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if h := c.byName[name]; nonce != 0 && h.nonce == nonce {
		claim, err := c.log.Renew(ctx, h.claim)
		if _, lost := errors.AsType[*nerve.FencedError](err); !lost {
			return claim, err
		}
	}
	if err := c.room(name); err != nil {
		return nerve.Claim{}, err
	}
	claim, err := c.log.Claim(ctx, name)
	if err != nil {
		return nerve.Claim{}, c.named(err)
	}
	c.byName[name] = holder{claim, nonce, where}
	return claim, nil
}

// room refuses names beyond those that are remembered. The mutex is held.
func (c *claims) room(name string) error {
	if _, known := c.byName[name]; !known && len(c.byName) >= maxClaims {
		return &nerve.TooLargeError{What: "consumers", Size: len(c.byName) + 1, Limit: maxClaims}
	}
	return nil
}

// renew begins the lease anew. After a restart of the server nobody is known to
// have the name: the client that had it last, by the epoch that is stored with the
// pointer, gets it back, under the same epoch.
func (c *claims) renew(ctx context.Context, claim nerve.Claim, where string) (nerve.Claim, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, known := c.byName[claim.Name]; known {
		return c.log.Renew(ctx, claim)
	}
	if err := c.room(claim.Name); err != nil {
		return nerve.Claim{}, err
	}
	resumed, err := c.log.Resume(ctx, claim)
	if err != nil {
		return nerve.Claim{}, err
	}
	c.byName[claim.Name] = holder{claim: resumed, where: where}
	return resumed, nil
}

// named says of a name that is taken which client has it: the log knows this
// process, other clients want to know which of them.
func (c *claims) named(err error) error {
	taken, ok := errors.AsType[*nerve.OpenError](err)
	if !ok {
		return err
	}
	e := *taken
	e.Where = c.byName[e.Name].where
	return &e
}

// explain is named for an error of the log.
func (c *claims) explain(err error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.named(err)
}

// shared notes that workers of this server have a name.
func (c *claims) shared(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.room(name) == nil {
		c.byName[name] = holder{where: "workers of the server"}
	}
}

// holderOf says which client has a name now, "" if nobody has.
func (c *claims) holderOf(name string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.log.Claimed(name) {
		return ""
	}
	return c.byName[name].where
}
