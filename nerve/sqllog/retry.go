package sqllog

import (
	"context"
	"errors"
	"time"

	"github.com/octopus-framework/octopus/nerve"
)

// untilClosed returns ctx, which also ends when the log is closed, and what gives it
// up.
func (l *Log) untilClosed(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(l.life, func() { cancel(nerve.ErrClosed) })
	return ctx, func() {
		stop()
		cancel(nil)
	}
}

// retry calls run with a connection, and again with another one while connections
// are lost or the database chooses the transaction to give way, until ctx ends:
// run must have the same effect twice as once. The error says what to do.
func (l *Log) retry(
	ctx context.Context, op string, run func(context.Context, conn) error,
) error {
	ctx, release := l.untilClosed(ctx)
	defer release()
	var pause pause
	for {
		err := l.withConn(ctx, run)
		if err == nil {
			return nil
		}
		// A row that is there already was made by somebody else meanwhile.
		again := l.mayRetry(err) || !ours(err) && l.dialect.fault(err) == faultDuplicate
		if !again || !pause.wait(ctx) {
			return l.failure(ctx, op, err)
		}
		l.options.Logger.Warn("nerve: "+op+" is tried again", "server", l.server, "error", err)
	}
}

// withConn calls run with a connection, and does not try again.
func (l *Log) withConn(ctx context.Context, run func(context.Context, conn) error) error {
	c, err := l.backend.connect(ctx)
	if err != nil {
		return err
	}
	err = run(ctx, c)
	c.close(l.losesConn(err))
	return err
}

// mayRetry says whether to try again after an error.
func (l *Log) mayRetry(err error) bool {
	if ours(err) {
		return false
	}
	f := l.dialect.fault(err)
	return f == faultConnection || f == faultConflict
}

// losesConn says whether a connection is of no use after an error.
func (l *Log) losesConn(err error) bool {
	return err != nil && !ours(err) && l.dialect.fault(err) == faultConnection
}

// failure is what a caller gets for err.
func (l *Log) failure(ctx context.Context, op string, err error) error {
	if l.life.Err() != nil && !ours(err) {
		return nerve.ErrClosed
	}
	return l.explain(ctx, op, err)
}

// retryTx calls run in a transaction, commits it, and tries all of it again as retry does,
// also when it is not known whether the COMMIT happened.
func (l *Log) retryTx(ctx context.Context, op string, run func(context.Context, conn) error) error {
	return l.retry(ctx, op, func(ctx context.Context, c conn) error {
		if _, err := c.exec(ctx, l.dialect.sql.begin); err != nil {
			return err
		}
		if err := run(ctx, c); err != nil {
			return l.rollback(ctx, c, err)
		}
		_, err := c.exec(ctx, l.dialect.sql.commit)
		return err
	})
}

// rollback ends the transaction of c after err, which it returns.
func (l *Log) rollback(ctx context.Context, c conn, err error) error {
	if l.losesConn(err) {
		return err // the server rolls back
	}
	if _, failed := c.exec(ctx, l.dialect.sql.rollback); failed != nil {
		return errors.Join(failed, err)
	}
	return err
}

// pause is the time between two tries: it doubles.
type pause struct{ last time.Duration }

const (
	firstPause = time.Millisecond
	lastPause  = 500 * time.Millisecond
)

// wait waits, and reports whether ctx is still good then.
func (p *pause) wait(ctx context.Context) bool {
	p.last = min(max(firstPause, 2*p.last), lastPause)
	timer := time.NewTimer(p.last)
	defer timer.Stop()
	select {
	case <-timer.C:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}
