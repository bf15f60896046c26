package sqllog

import (
	"context"
	"errors"
	"time"

	"github.com/octopus-framework/octopus/nerve"
)

// pending is a batch on its way into the table.
type pending struct {
	body  *body
	count int64
	key   nerve.Key
	token int64 // tells it from a batch of somebody else at the same place
	now   int64

	first, last, nano int64 // set by writeRows
	repeated          bool  // its key or ids were there: nothing is to be written

	batch *nerve.Batch    // nil if it has no ids
	rest  *nerve.Batch    // what of it is new
	stale []nerve.DedupID // ids that are too old to count
}

// hint is what the row of the queue holds as far as the writer knows: the lock
// and the change of the row are one statement then.
type hint struct {
	known             bool
	next, nano, epoch int64
}

// Append implements nerve.Log. It finds out by itself whether a COMMIT happened
// whose answer was lost, by the lock on the row of the queue: who gets it knows
// that the transaction before is decided.
func (l *Log) Append(ctx context.Context, b *nerve.Batch) (nerve.ID, error) {
	if err := l.checkBatch(ctx, b); err != nil {
		return 0, err
	}
	if b.Len() == 0 {
		_, last := l.Bounds()
		return last + 1, nil
	}
	ctx, release := l.untilClosed(ctx)
	defer release()
	e := l.newEntry(b)
	defer func() { e.body.free() }() // that it has by then
	select {
	case l.writer <- struct{}{}:
	case <-ctx.Done():
		return 0, context.Cause(ctx)
	}
	defer func() { <-l.writer }()
	if err := l.check(ctx); err != nil {
		return 0, err
	}
	if err := l.appendUntilKnown(ctx, e); err != nil {
		return 0, err
	}
	e.tell(b)
	l.publish(0, nerve.ID(e.last))
	return b.First, nil
}

// checkBatch returns why b cannot be appended.
func (l *Log) checkBatch(ctx context.Context, b *nerve.Batch) error {
	if err := l.checkWrite(ctx); err != nil {
		return err
	}
	if err := l.failedError(); err != nil {
		return err
	}
	if err := l.options.Limits.Check(b); err != nil {
		return err
	}
	return checkKey(b.Key)
}

// checkKey returns why no batch can have the key.
func checkKey(key nerve.Key) error {
	if key != (nerve.Key{}) && (key.Producer == 0 || key.Seq == 0) {
		return &nerve.KeyError{Key: key, Reason: "neither Producer nor Seq may be 0"}
	}
	return nil
}

// newEntry packs b; its body is to be freed.
func (l *Log) newEntry(b *nerve.Batch) *pending {
	e := &pending{count: int64(b.Len()), key: b.Key, token: random(), now: time.Now().UnixNano()}
	if len(b.Parts()) > 0 {
		e.batch, e.body = b, bodies.Get().(*body) // packed when it is known what is new
	} else {
		e.body = encode(b, !l.options.NoCompression)
	}
	return e
}

// appendUntilKnown commits e, and tries again until e is committed or can not be. A
// COMMIT without an answer is looked for first. The caller has the token.
func (l *Log) appendUntilKnown(ctx context.Context, e *pending) error {
	var pause pause
	for {
		err := l.appendOnce(ctx, e)
		if err == nil {
			return nil
		}
		l.hint.known = false
		var unknown *unknownError
		if errors.As(err, &unknown) {
			committed, failed := l.resolve(ctx, e, err)
			if committed || failed != nil {
				return failed
			}
			// Not committed, for certain.
		}
		if !l.mayRetry(err) || !pause.wait(ctx) {
			return l.failure(ctx, "append", err)
		}
		l.options.Logger.Warn("nerve: append is tried again", "server", l.server, "error", err)
	}
}

// appendOnce commits e over the connection of the writer, which it makes if there is none, and does
// not try again. An unknownError says that the outcome is not known; after any other error nothing
// was written.
func (l *Log) appendOnce(ctx context.Context, e *pending) error {
	if l.conn == nil {
		c, err := l.backend.connect(ctx)
		if err != nil {
			return err
		}
		l.conn = c
	}
	if err := l.appendInTx(ctx, l.conn, e); err != nil {
		l.dropConn(l.losesConn(err) || is[*unknownError](err))
		return err
	}
	return nil
}

// dropConn gives the connection of the writer back.
func (l *Log) dropConn(broken bool) {
	if l.conn != nil {
		l.conn.close(broken)
		l.conn = nil
	}
}

// appendInTx commits e in one transaction of c.
func (l *Log) appendInTx(ctx context.Context, c conn, e *pending) error {
	if _, err := c.exec(ctx, l.dialect.sql.begin); err != nil {
		return err
	}
	err := l.writeRows(ctx, c, e, &l.hint)
	if err == nil && e.repeated {
		if err := l.rollback(ctx, c, nil); err != nil {
			return err
		}
		return l.barrier(ctx, c) // of the append whose key it is
	}
	if err != nil {
		return l.rollback(ctx, c, err)
	}
	if _, err := c.exec(ctx, l.dialect.sql.commit); err != nil {
		return &unknownError{err}
	}
	l.hint = hint{known: true, next: e.last + 1, nano: e.nano, epoch: l.hint.epoch}
	return nil
}

// writeRows puts e at the end of the queue, within the transaction of x. It takes
// the lock of the queue first and touches no other row before.
func (l *Log) writeRows(ctx context.Context, x execer, e *pending, h *hint) error {
	q := &l.dialect.sql
	e.repeated = false
	advanced := false
	if h.known && e.batch == nil {
		e.place(h.next, h.nano)
		n, err := x.exec(ctx, q.advance, e.last+1, e.nano, l.id, h.next, h.epoch)
		if err != nil {
			return err
		}
		advanced = n == 1
	}
	if !advanced {
		s, err := l.lock(ctx, x)
		if err != nil {
			return err
		}
		*h = hint{epoch: s.epoch}
		if e.batch != nil {
			if err := l.findIDs(ctx, x, e); err != nil || e.repeated {
				return err
			}
		}
		e.place(s.next, s.nano)
		h.next = s.next
	}
	if err := l.findKey(ctx, x, e); err != nil || e.repeated {
		return err
	}
	if !advanced {
		n, err := x.exec(ctx, q.advance, e.last+1, e.nano, l.id, h.next, h.epoch)
		if err != nil {
			return err
		}
		if n != 1 {
			return &nerve.FormatError{Path: l.server,
				Reason: "the row of the queue changed under its " +
					"lock; look for triggers, or for a proxy that splits reads from writes"}
		}
	}
	return l.insertBatch(ctx, x, e)
}

// lock locks the row of the queue and checks that this log may write.
func (l *Log) lock(ctx context.Context, x execer) (state, error) {
	s, err := l.readState(ctx, x, l.dialect.sql.lockState)
	if err != nil {
		return s, err
	}
	if _, last := l.Bounds(); nerve.ID(s.next-1) < last {
		return s, l.fail(nerve.ID(s.next-1), last)
	}
	return s, l.mayWrite(ctx, x, &s)
}

func (e *pending) place(next, nano int64) {
	e.first, e.last, e.nano = next, next+e.count-1, max(nano, e.now)
}

// insertBatch inserts the row of e, and those of its ids or its key.
func (l *Log) insertBatch(ctx context.Context, x execer, e *pending) error {
	q := &l.dialect.sql
	crc := sum(e.body.stored, e.body.codec, e.first, e.last, e.nano)
	_, err := x.exec(ctx, q.insertBatch,
		l.id, e.last, e.first, e.nano, e.token, e.body.codec, crc, e.body.stored)
	switch {
	case err != nil:
		return err
	case e.batch != nil:
		return l.insertIDs(ctx, x, e)
	case e.key == (nerve.Key{}):
		return nil
	}
	_, err = x.exec(ctx, q.insertProducer,
		l.id, int64(e.key.Producer), signed(e.key.Seq), e.first, e.last, e.nano)
	return err
}

// resolve finds out whether e was committed, after cause. It waits for that
// until ctx ends.
func (l *Log) resolve(ctx context.Context, e *pending, cause error) (committed bool, err error) {
	outcome := func(why error) error {
		return &nerve.OutcomeError{Key: e.key, Cause: errors.Join(why, cause)}
	}
	trimmed := false
	err = l.retryTx(ctx, "find the outcome of an append", func(ctx context.Context, c conn) error {
		s, err := l.readState(ctx, c, l.dialect.sql.lockState)
		if err != nil {
			return err
		}
		committed, err = queryRow(ctx, c, l.dialect.sql.findToken,
			[]any{l.id, e.last, e.token}, &e.first, &e.nano)
		trimmed = !committed && s.first > e.last && e.key == nerve.Key{} &&
			(e.batch == nil || !e.batch.Covered())
		if err == nil && committed {
			err = l.barrier(ctx, c)
		}
		return err
	})
	switch {
	case err != nil:
		return false, outcome(err)
	case trimmed:
		return false, outcome(&nerve.TrimmedError{ID: nerve.ID(e.first),
			First: nerve.ID(e.last + 1)})
	}
	return committed, nil
}
