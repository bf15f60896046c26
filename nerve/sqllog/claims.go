package sqllog

import (
	"context"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/internal/claims"
)

// claimRow is who has a name of a consumer.
type claimRow struct {
	there bool
	epoch int64
	owner string // empty: nobody
	left  int64  // what is left of the lease, in microseconds
}

// state is what the decisions are made by.
func (r *claimRow) state() claims.State {
	return claims.State{Epoch: uint64(r.epoch), Where: who(r.owner),
		Left: time.Duration(r.left) * time.Microsecond}
}

// claimOf reads and locks the claim of a name.
func (l *Log) claimOf(ctx context.Context, x execer, name string) (r claimRow, err error) {
	var owner []byte
	r.there, err = queryRow(ctx, x, l.dialect.sql.claimOf, []any{l.id, []byte(name)},
		&r.epoch, &owner, &r.left)
	r.owner = string(owner)
	return r, err
}

// Claim implements nerve.Claimer.
func (l *Log) Claim(ctx context.Context, name string) (nerve.Claim, error) {
	if err := l.checkWrite(ctx); err != nil {
		return nerve.Claim{}, err
	}
	if err := nerve.CheckName(name); err != nil {
		return nerve.Claim{}, err
	}
	owner := l.claimant()
	lease := l.options.Lease.Microseconds()
	var epoch int64
	err := l.retryTx(ctx, "claim a consumer", func(ctx context.Context, c conn) error {
		r, err := l.claimOf(ctx, c, name)
		switch {
		case err != nil:
			return err
		case r.owner == owner: // by a COMMIT whose answer was lost
			epoch = r.epoch
			return nil
		}
		if err := r.state().CanClaim(name); err != nil {
			return err
		}
		epoch = r.epoch + 1
		if !r.there {
			_, err = c.exec(ctx, l.dialect.sql.insertClaim,
				l.id, []byte(name), epoch, []byte(owner), lease)
			return err
		}
		_, err = c.exec(ctx, l.dialect.sql.updateClaim,
			epoch, []byte(owner), lease, l.id, []byte(name))
		return err
	})
	if err != nil {
		return nerve.Claim{}, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nerve.Claim{}, nerve.ErrClosed
	}
	l.claims[name] = uint64(epoch)
	return nerve.Claim{Name: name, Epoch: uint64(epoch), Lease: l.options.Lease}, nil
}

// Renew implements nerve.Claimer.
func (l *Log) Renew(ctx context.Context, claim nerve.Claim) (nerve.Claim, error) {
	if err := l.checkWrite(ctx); err != nil {
		return nerve.Claim{}, err
	}
	err := l.retryTx(ctx, "renew a claim", func(ctx context.Context, c conn) error {
		r, err := l.claimOf(ctx, c, claim.Name)
		if err == nil {
			err = r.state().CanRenew(claim)
		}
		if err != nil {
			return err
		}
		_, err = c.exec(ctx, l.dialect.sql.updateClaim, r.epoch, []byte(r.owner),
			l.options.Lease.Microseconds(), l.id, []byte(claim.Name))
		return err
	})
	return nerve.Claim{Name: claim.Name, Epoch: claim.Epoch, Lease: l.options.Lease}, err
}

// Release implements nerve.Claimer.
func (l *Log) Release(ctx context.Context, claim nerve.Claim) error {
	if err := l.checkWrite(ctx); err != nil {
		return err
	}
	err := l.retry(ctx, "release a claim", func(ctx context.Context, c conn) error {
		_, err := c.exec(ctx, l.dialect.sql.releaseClaim,
			l.id, []byte(claim.Name), int64(claim.Epoch))
		return err
	})
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.claims[claim.Name] == claim.Epoch {
		delete(l.claims, claim.Name)
	}
	return nil
}
