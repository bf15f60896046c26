package sqllog

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/octopus-framework/octopus/nerve"
)

// Outbox takes batches from many transactions at once and moves them into the
// queue, in the order in which each caller committed them. Create it with
// [Log.Outbox]. It is safe for concurrent use.
//
// A transaction that appends to the queue itself keeps all others waiting until
// it commits. One that appends to the outbox inserts a row and shares no lock.
// The price is that the ids are not known at that time, and that somebody has to
// run [Outbox.Run]: any number of processes may, and if none does, records wait
// in the outbox and nothing is lost.
//
// Records are not skipped by that, as they are where readers follow the ids of
// an AUTO_INCREMENT column: what moves them takes all rows that it sees and
// deletes these, and no place in the table is remembered. The order of two
// transactions that ran at the same time is any.
type Outbox struct {
	log  *Log
	wake chan struct{}
}

// Outbox returns the outbox of the queue.
func (l *Log) Outbox() *Outbox { return &Outbox{log: l, wake: make(chan struct{}, 1)} }

// AppendTx puts b into the outbox, in a transaction of the caller's.
//
// The outbox keeps no ids ([nerve.Batch.Once]): a batch with them is a
// nerve.KeyError. A batch with a key is stored once in the queue. That is found out when it is
// moved: whoever repeats a key gets no error, and the batch is dropped.
func (o *Outbox) AppendTx(ctx context.Context, tx Tx, b *nerve.Batch) error {
	return o.append(ctx, sqlTx{tx}, b)
}

// AppendPgx is AppendTx for a transaction of pgx.
func (o *Outbox) AppendPgx(ctx context.Context, tx PgxTx, b *nerve.Batch) error {
	return o.append(ctx, pgxTx{tx}, b)
}

func (o *Outbox) append(ctx context.Context, x execer, b *nerve.Batch) error {
	l := o.log
	if err := l.checkBatch(ctx, b); err != nil || b.Len() == 0 {
		return err
	}
	if len(b.Parts()) > 0 {
		return &nerve.KeyError{Reason: "the outbox keeps none; use a key, or Log.AppendTx"}
	}
	packed := encode(b, !l.options.NoCompression)
	defer packed.free()
	crc := sum(packed.stored, packed.codec, int64(b.Key.Producer), int64(b.Key.Seq), 0)
	_, err := x.exec(ctx, l.dialect.sql.insertOutbox, l.id,
		int64(b.Key.Producer), int64(b.Key.Seq), packed.codec, crc, packed.stored)
	if err != nil {
		return l.explainTx(ctx, "append to the outbox", err)
	}
	select {
	case o.wake <- struct{}{}: // it may be committed soon
	default:
	}
	return nil
}

// Pauses of Run between looks at an empty outbox.
const (
	firstOutboxPoll = time.Millisecond
	lastOutboxPoll  = 20 * time.Millisecond
)

// Run moves what is committed to the outbox into the queue, until ctx ends,
// whose cause it returns, or the log is closed or fails. Connections that are
// lost are made again.
func (o *Outbox) Run(ctx context.Context) error {
	poll := firstOutboxPoll
	timer := time.NewTimer(poll)
	defer timer.Stop()
	for {
		moved, err := o.Move(ctx)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil:
			return err
		case moved > 0:
			poll = firstOutboxPoll
			continue
		}
		timer.Reset(poll)
		select {
		case <-timer.C:
			poll = min(2*poll, lastOutboxPoll)
		case <-o.wake:
			poll = firstOutboxPoll
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// outboxRows is how many rows of the outbox one transaction moves at most.
const outboxRows = 256

// Move moves some of what is committed to the outbox into the queue, in one
// transaction, and returns how many batches that were: 0 if there was nothing.
func (o *Outbox) Move(ctx context.Context) (moved int, err error) {
	l := o.log
	if err := l.checkWrite(ctx); err != nil {
		return 0, err
	}
	waiting, err := o.waiting(ctx)
	if err != nil || !waiting {
		return 0, err
	}
	err = l.retryTx(ctx, "move the outbox", func(ctx context.Context, c conn) (err error) {
		moved, err = o.move(ctx, c)
		return err
	})
	if err != nil {
		return 0, err
	}
	return moved, l.refresh(ctx)
}

// waiting looks without a lock.
func (o *Outbox) waiting(ctx context.Context) (found bool, err error) {
	err = o.log.retry(ctx, "look at the outbox", func(ctx context.Context, c conn) (err error) {
		var one int64
		found, err = queryRow(ctx, c, o.log.dialect.sql.peekOutbox, []any{o.log.id}, &one)
		return err
	})
	return found, err
}

// move does it in the transaction of c. The lock of the queue comes first: who
// has it sees what the one before has deleted.
func (o *Outbox) move(ctx context.Context, c conn) (int, error) {
	l := o.log
	if _, err := l.lock(ctx, c); err != nil {
		return 0, err
	}
	batches, rows, err := o.read(ctx, c)
	if err != nil || len(rows) == 0 {
		return 0, err
	}
	for _, b := range batches {
		e := l.newEntry(b)
		err := l.writeRows(ctx, c, e, new(hint))
		e.body.free()
		if err != nil {
			return 0, err
		}
	}
	deleted, err := c.exec(ctx, fmt.Sprintf("DELETE FROM nerve_outbox WHERE outbox_id IN (%s)",
		list(rows)))
	if err == nil && deleted != int64(len(rows)) {
		err = &nerve.FormatError{Path: l.server, Reason: fmt.Sprintf(
			"%d of %d rows of nerve_outbox were deleted by somebody else; "+
				"leave that to Outbox.Run", int64(len(rows))-deleted, len(rows))}
	}
	return len(rows), err
}

// read takes rows of the outbox and packs those without a key together.
func (o *Outbox) read(ctx context.Context,
	c conn) (batches []*nerve.Batch, ids []int64, err error) {
	l := o.log
	var packed []byte
	var open *nerve.Batch // the last of batches, if it takes more
	total := 0
	args := []any{l.id, outboxRows}
	err = c.query(ctx, l.dialect.sql.readOutbox, args, func(scan scan) error {
		var id, producer, seq, codec, crc int64
		var stored []byte
		if err := scan(&id, &producer, &seq, &codec, &crc, &stored); err != nil {
			return err
		}
		if total > l.options.Limits.Batch {
			return nil // the next transaction takes it
		}
		damaged := func(reason string) error {
			return &dataError{&nerve.CorruptError{
				File: "table nerve_outbox of " + l.server, Offset: id, Reason: reason}}
		}
		if sum(stored, codec, producer, seq, 0) != crc {
			return damaged("the checksum of the row is wrong")
		}
		var b nerve.Batch
		packed, err := decode(packed[:0], stored, codec)
		if err != nil {
			return damaged(err.Error())
		}
		b.View(0, 0, packed, nerve.AppendEnds(nil, packed))
		ids = append(ids, id)
		total += b.Size()
		key := nerve.Key{Producer: uint64(producer), Seq: uint64(seq)}
		fits := open != nil && open.Size()+b.Size() <= min(l.options.Limits.Batch,
			nerve.DefaultGroupBytes)
		if key != (nerve.Key{}) || !fits {
			open = &nerve.Batch{Key: key}
			batches = append(batches, open)
		}
		open.AppendBatch(&b)
		if key != (nerve.Key{}) {
			open = nil
		}
		return nil
	})
	return batches, ids, err
}

// list writes numbers as a list of SQL.
func list(numbers []int64) string {
	var b strings.Builder
	for i, n := range numbers {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.FormatInt(n, 10))
	}
	return b.String()
}
