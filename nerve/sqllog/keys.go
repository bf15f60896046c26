package sqllog

import (
	"context"

	"github.com/octopus-framework/octopus/nerve"
)

// keptKeys is how many appends of a producer are remembered: more than the
// contract asks for.
const keptKeys = 8

// producerRow is a remembered append.
type producerRow struct {
	seq               uint64
	first, last, nano int64
}

// signed and unsigned map a Seq to what a column holds, in the same order.
func signed(seq uint64) int64      { return int64(seq ^ 1<<63) }
func unsigned(column int64) uint64 { return uint64(column) ^ 1<<63 }

// producer reads the newest remembered appends, the newest first.
func (l *Log) producer(
	ctx context.Context, x execer, producer uint64, limit int,
) (rows []producerRow, err error) {
	args := []any{l.id, int64(producer), limit}
	err = x.query(ctx, l.dialect.sql.producer, args, func(scan scan) error {
		var r producerRow
		var seq int64
		err := scan(&seq, &r.first, &r.last, &r.nano)
		r.seq = unsigned(seq)
		rows = append(rows, r)
		return err
	})
	return rows, err
}

// findKey looks whether the key of e was appended before, and makes room for it
// if not. The lock of the queue is held.
func (l *Log) findKey(ctx context.Context, x execer, e *pending) error {
	if e.key == (nerve.Key{}) {
		return nil
	}
	known, err := l.producer(ctx, x, e.key.Producer, keptKeys)
	if err != nil || len(known) == 0 {
		return err
	}
	newest := known[0].seq
	for _, r := range known {
		if r.seq != e.key.Seq {
			continue
		}
		if r.last-r.first+1 != e.count {
			return &nerve.KeyError{Key: e.key, Last: newest,
				Reason: "a batch of another number of records has this key"}
		}
		e.first, e.last, e.nano, e.repeated = r.first, r.last, r.nano, true
		return nil
	}
	if e.key.Seq < newest {
		return &nerve.KeyError{Key: e.key, Last: newest,
			Reason: "it is older than the appends that are remembered, or was left out"}
	}
	if len(known) == keptKeys {
		_, err = x.exec(ctx, l.dialect.sql.pruneProducer,
			l.id, int64(e.key.Producer), signed(known[keptKeys-1].seq))
	}
	return err
}

// LastAppended implements nerve.Repeatable. It waits for an append that is being
// committed, also one of a process that died in the middle of it: what was not
// there by then will not come.
func (l *Log) LastAppended(ctx context.Context, producer uint64) (nerve.Appended, error) {
	var rows []producerRow
	if err := l.check(ctx); err != nil {
		return nerve.Appended{}, err
	}
	state := l.dialect.sql.lockState
	if l.options.ReadOnly {
		state = l.dialect.sql.state
	}
	err := l.retryTx(ctx, "read a producer", func(ctx context.Context, c conn) (err error) {
		if _, err = l.readState(ctx, c, state); err == nil {
			rows, err = l.producer(ctx, c, producer, 1)
		}
		if err == nil {
			err = l.barrier(ctx, c)
		}
		return err
	})
	if err != nil || len(rows) == 0 {
		return nerve.Appended{}, err
	}
	r := rows[0]
	return nerve.Appended{
		Key:   nerve.Key{Producer: producer, Seq: r.seq},
		First: nerve.ID(r.first), Last: nerve.ID(r.last), UnixNano: r.nano,
	}, nil
}
