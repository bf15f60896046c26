package sqllog

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/octopus-framework/octopus/nerve"
)

// Tx is a transaction of the caller's, in the database of the queue: *sql.Tx,
// *sql.Conn, and what embeds them.
type Tx interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// PgxTx is a transaction of the caller's by pgx without database/sql.
type PgxTx interface {
	Exec(ctx context.Context, query string, args ...any) (pgconn.CommandTag, error)
	Query(ctx context.Context, query string, args ...any) (pgx.Rows, error)
}

// sqlTx is a Tx as we use it.
type sqlTx struct{ tx Tx }

func (x sqlTx) exec(ctx context.Context, query string, args ...any) (int64, error) {
	return affected(x.tx.ExecContext(ctx, query, args...))
}

func (x sqlTx) query(
	ctx context.Context, query string, args []any, each func(scan) error,
) error {
	rows, err := x.tx.QueryContext(ctx, query, args...)
	return scanAll(rows, err, each)
}

// pgxTx is a PgxTx as we use it.
type pgxTx struct{ tx PgxTx }

func (x pgxTx) exec(ctx context.Context, query string, args ...any) (int64, error) {
	tag, err := x.tx.Exec(ctx, query, args...)
	return tag.RowsAffected(), err
}

func (x pgxTx) query(
	ctx context.Context, query string, args []any, each func(scan) error,
) error {
	rows, err := x.tx.Query(ctx, query, args...)
	return scanRows(rows, err, each)
}

// AppendTx appends b in a transaction of the caller's: the records are there
// when it commits, and not when it is rolled back. It returns the id of the
// first and sets b.First and b.UnixNano, which hold if the transaction commits.
//
// From here to the end of the transaction nobody else can append to the queue.
// Call it last, and commit at once: a queue takes as many of these as the
// server does commits one after the other. [Outbox] is for more.
//
// After an error roll the transaction back. A [ConflictError] says to run it
// again. A batch with a key that was appended before stores nothing, and
// of one with ids only what is new is stored. When the
// answer to the caller's COMMIT is lost, the caller does not know about either
// the effect or the records; that they are both there or both not is certain.
func (l *Log) AppendTx(ctx context.Context, tx Tx, b *nerve.Batch) (nerve.ID, error) {
	return l.appendTx(ctx, sqlTx{tx}, b)
}

// AppendPgx is AppendTx for a transaction of pgx.
func (l *Log) AppendPgx(ctx context.Context, tx PgxTx, b *nerve.Batch) (nerve.ID, error) {
	return l.appendTx(ctx, pgxTx{tx}, b)
}

func (l *Log) appendTx(ctx context.Context, x execer, b *nerve.Batch) (nerve.ID, error) {
	if err := l.checkBatch(ctx, b); err != nil {
		return 0, err
	}
	if b.Len() == 0 {
		_, last := l.Bounds()
		return last + 1, nil
	}
	e := l.newEntry(b)
	defer func() { e.body.free() }() // that it has by then
	if err := l.writeRows(ctx, x, e, new(hint)); err != nil {
		return 0, l.explainTx(ctx, "append in a transaction", err)
	}
	e.tell(b)
	return b.First, nil
}

// explainTx is explain for a transaction of the caller's, which may be one of
// any database.
func (l *Log) explainTx(ctx context.Context, op string, err error) error {
	if !ours(err) && l.dialect.fault(err) == faultNoTable {
		return &DatabaseError{Queue: l.queue, Server: l.server}
	}
	return l.explain(ctx, op, err)
}

// AckTx moves the pointer of a consumer to id in a transaction of the caller's,
// together with the effect of the records up to id. Each record then counts
// once, whatever dies when:
//
//	err := consumer.Next(ctx, &batch)
//	tx, err := db.BeginTx(ctx, nil)
//	... // the effect of the records, in tx
//	err = log.AckTx(ctx, tx, consumer.Name(), batch.Last())
//	err = tx.Commit()
//	err = consumer.AckThrough(batch.Last())
//
// The consumer is to be open in this program, by a Queue over this log; if
// another process took its name meanwhile the error is a nerve.FencedError, and
// a nerve.OpenError if this one never had it. A pointer at or past id already is
// a [CountedError]: the records were counted before. Roll the transaction back
// after an error.
//
// From the first AckTx on the pointer does not go back, not by Seek either: to
// count records again remove it, and start the consumer anew.
func (l *Log) AckTx(ctx context.Context, tx Tx, consumer string, id nerve.ID) error {
	return l.ackTx(ctx, sqlTx{tx}, consumer, id)
}

// AckPgx is AckTx for a transaction of pgx.
func (l *Log) AckPgx(ctx context.Context, tx PgxTx, consumer string, id nerve.ID) error {
	return l.ackTx(ctx, pgxTx{tx}, consumer, id)
}

func (l *Log) ackTx(ctx context.Context, x execer, consumer string, id nerve.ID) error {
	if err := l.checkWrite(ctx); err != nil {
		return err
	}
	if err := nerve.CheckName(consumer); err != nil {
		return err
	}
	if err := l.mustHave(ctx, id); err != nil {
		return err
	}
	return l.explainTx(ctx, "acknowledge in a transaction", l.ack(ctx, x, consumer, id))
}

func (l *Log) ack(ctx context.Context, x execer, consumer string, id nerve.ID) error {
	l.mu.Lock()
	epoch := l.claims[consumer]
	l.mu.Unlock()
	r, err := l.claimOf(ctx, x, consumer)
	if err == nil {
		err = r.state().Check(consumer, epoch)
	}
	if err != nil {
		return err
	}
	p := nerve.Pointer{Name: consumer, ID: id}
	var at, hold int64
	var progress []byte
	found, err := queryRow(ctx, x, l.dialect.sql.pointer, []any{l.id, []byte(consumer)},
		&at, &hold, &p.Meta, &progress)
	if err != nil {
		return err
	}
	if found && nerve.ID(at) >= id {
		return &CountedError{Consumer: consumer, Pointer: nerve.ID(at), ID: id}
	}
	p.Hold, p.Progress = hold == 1, l.readProgress(consumer, progress)
	return l.savePointer(ctx, x, p, true)
}

// CountedError says that the records of an AckTx were acknowledged before: their
// effect is there already. Roll the transaction back, and open the consumer
// again.
type CountedError struct {
	Consumer    string
	Pointer, ID nerve.ID
}

// Error implements error.
func (e *CountedError) Error() string {
	return fmt.Sprintf(
		"nerve: consumer %q has its pointer at %d, so records up to %d were counted "+
			"before; roll the transaction back and open the consumer again",
		e.Consumer, e.Pointer, e.ID)
}
