package nerve

import (
	"context"
	"errors"
	"time"
)

// Claim says that this process has a consumer name to itself.
type Claim struct {
	Name string
	// Epoch grows each time that the name is claimed. It is the token by which
	// writes of an owner that lost the name are recognised and refused.
	Epoch uint64
	// Lease is how long the claim lasts after the call that returned it unless
	// it is renewed. 0 is until it is released or the log is closed.
	Lease time.Duration
}

// Claimer is a Log that gives a consumer name to one owner at a time, for logs
// that several processes use at once. While a name is claimed its pointer is
// saved with [Pointer.Epoch] of the claim, and without an epoch neither saved
// nor removed: that is an [OpenError]. A claim that lapsed goes on to count
// until somebody else claims the name.
type Claimer interface {
	Log

	// Claim takes a name. It is an OpenError while somebody else has it.
	Claim(ctx context.Context, name string) (Claim, error)

	// Renew begins the lease anew. It is a [FencedError] if somebody else
	// claimed the name since.
	Renew(ctx context.Context, c Claim) (Claim, error)

	// Release gives the name up. It is no error if the claim is lost.
	Release(ctx context.Context, c Claim) error
}

// claimName takes the name of c, if the log knows claims.
func (c *Consumer) claimName(ctx context.Context) error {
	claimer, ok := c.queue.log.(Claimer)
	if !ok || c.options.elsewhere() {
		return nil
	}
	claim, err := claimer.Claim(ctx, c.name)
	if errors.Is(err, ErrReadOnly) {
		return &ReadOnlyConsumerError{Name: c.name}
	}
	if err == nil {
		c.claim = claim
	}
	return err
}

// releaseName gives up what claimName took.
func (c *Consumer) releaseName(ctx context.Context) error {
	if c.claim.Epoch == 0 {
		return nil
	}
	return c.queue.log.(Claimer).Release(ctx, c.claim)
}

// renewals is how often a claim is renewed within its lease.
const renewals = 3

// keepName renews the claim until c is closed or somebody else has the name.
func (c *Consumer) keepName() {
	tick := time.NewTicker(c.claim.Lease / renewals)
	defer tick.Stop()
	told := false // of a failure, until a renewal succeeds
	for {
		select {
		case <-tick.C:
		case <-c.ended:
			return
		}
		ctx, cancel := c.queue.callContext()
		_, err := c.queue.log.(Claimer).Renew(ctx, c.claim)
		cancel()
		var fenced *FencedError
		if errors.As(err, &fenced) {
			c.fence(fenced)
			return
		}
		if err != nil && !told && !errors.Is(err, ErrClosed) {
			c.queue.options.Logger.Error("nerve: the claim of a consumer is not renewed",
				"consumer", c.name, "error", err)
		}
		told = err != nil
	}
}

// fence ends the use of a name that somebody else has now.
func (c *Consumer) fence(err *FencedError) {
	c.mu.Lock()
	cursor := c.cursor
	first := c.fenced == nil
	if first {
		c.fenced = err
	}
	c.mu.Unlock()
	if !first {
		return
	}
	c.queue.options.Logger.Error("nerve: consumer lost its name", "error", err)
	if cursor != nil {
		cursor.Close() // wakes a Next that waits
	}
}
