package sqllog

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/octopus-framework/octopus/nerve"
)

// mayWrite returns why this log may not append to a queue in this state. The
// lock of the queue is held.
func (l *Log) mayWrite(ctx context.Context, x execer, s *state) error {
	l.mu.Lock()
	mine := l.lease.Epoch
	l.mu.Unlock()
	switch {
	case mine != 0 && int64(mine) != s.epoch:
		return &nerve.FencedError{What: "writer", Name: l.queue, Epoch: mine}
	case mine != 0 || s.owner == "":
		return nil
	case s.left > 0:
		return &nerve.LockedError{Path: l.lockPath(s)}
	}
	// Its lease is over: whoever had it is not to go on after this.
	s.epoch++
	_, err := x.exec(ctx, l.dialect.sql.takeQueue, s.epoch, []byte{}, int64(0), l.id)
	return err
}

// lockPath says what is locked, by whom and for how long.
func (l *Log) lockPath(s *state) string {
	left := time.Duration(s.left) * time.Microsecond
	return fmt.Sprintf("queue %q of %s (%s, for %v more unless renewed)",
		l.queue, l.server, who(s.owner), left.Round(time.Millisecond))
}

// claimant returns who claims something: with a number that tells one attempt
// from another, so that one whose outcome was not known finds itself.
func (l *Log) claimant() string { return fmt.Sprintf("%s#%x", l.owner, random()) }

// who is a claimant without the number.
func who(owner string) string {
	name, _, _ := strings.Cut(owner, "#")
	return name
}

// takeLease makes this log the only writer.
func (l *Log) takeLease(ctx context.Context) error {
	owner := l.claimant()
	var epoch int64
	err := l.retryTx(ctx, "claim the queue", func(ctx context.Context, c conn) error {
		s, err := l.readState(ctx, c, l.dialect.sql.lockState)
		if err != nil {
			return err
		}
		if epoch = s.epoch; s.owner == owner {
			return nil
		}
		if s.owner != "" && s.left > 0 {
			return &nerve.LockedError{Path: l.lockPath(&s)}
		}
		epoch++
		_, err = c.exec(ctx, l.dialect.sql.takeQueue,
			epoch, []byte(owner), l.options.Lease.Microseconds(), l.id)
		return err
	})
	if err == nil {
		l.lease = nerve.Claim{Name: l.queue, Epoch: uint64(epoch), Lease: l.options.Lease}
	}
	return err
}

// renewals is how often a lease is renewed while it lasts.
const renewals = 3

// keepLease renews the lease of the writer until the log is closed or somebody
// else has it.
func (l *Log) keepLease() {
	tick := time.NewTicker(l.options.Lease / renewals)
	defer tick.Stop()
	for {
		select {
		case <-l.life.Done():
			return
		case <-tick.C:
		}
		var renewed int64
		err := l.retry(l.life, "renew the lease", func(ctx context.Context, c conn) (err error) {
			renewed, err = c.exec(ctx, l.dialect.sql.renewQueue,
				l.lease.Lease.Microseconds(), l.id, int64(l.lease.Epoch))
			return err
		})
		switch {
		case err != nil && l.life.Err() == nil:
			l.options.Logger.Error("nerve: the lease of the writer is not renewed", "error", err)
		case err == nil && renewed == 0:
			// An append gets a FencedError by itself.
			l.options.Logger.Error("nerve: another process is the writer now", "queue", l.queue)
			return
		}
	}
}

// releaseAll gives up what this log has claimed.
func (l *Log) releaseAll(ctx context.Context) {
	l.mu.Lock()
	claims := l.claims
	l.claims = nil
	l.mu.Unlock()
	if l.options.ReadOnly || len(claims) == 0 && l.lease.Epoch == 0 {
		return
	}
	err := l.withConn(ctx, func(ctx context.Context, c conn) error {
		for name, epoch := range claims {
			args := []any{l.id, []byte(name), int64(epoch)}
			if _, err := c.exec(ctx, l.dialect.sql.releaseClaim, args...); err != nil {
				return err
			}
		}
		if l.lease.Epoch == 0 {
			return nil
		}
		_, err := c.exec(ctx, l.dialect.sql.leaveQueue, l.id, int64(l.lease.Epoch))
		return err
	})
	if err != nil {
		l.options.Logger.Warn("nerve: claims last until their leases end", "error", err)
	}
}
