package sqllog

import (
	"context"
	"strings"

	"github.com/octopus-framework/octopus/nerve"
)

// idsAtOnce is how many ids one statement looks up or adds.
const idsAtOnce = 32

// DedupWindow implements nerve.Deduplicator.
func (l *Log) DedupWindow() nerve.DedupWindow { return l.options.Dedup }

// idStatements are those for so many ids.
type idStatements struct{ find, insert [idsAtOnce + 1]string }

// withIDs fills in the statements for ids, with arguments as written says.
func (d *dialect) withIDs(written func(string) string) *dialect {
	for n := 1; n <= idsAtOnce; n++ {
		d.ids.find[n] = written("SELECT id, first_id, last_id, nano FROM nerve_ids " +
			"WHERE queue_id = ? AND id IN (" + strings.Repeat("?, ", n-1) + "?) FOR UPDATE")
		d.ids.insert[n] = written("INSERT INTO nerve_ids " +
			"(queue_id, id, n, first_id, last_id, nano) VALUES " +
			strings.Repeat("(?, ?, ?, ?, ?, ?), ", n-1) + "(?, ?, ?, ?, ?, ?)")
	}
	return d
}

// findIDs looks which parts of e were appended before, and packs the rest. The lock
// of the queue is held.
func (l *Log) findIDs(ctx context.Context, x execer, e *pending) error {
	known := make(map[nerve.DedupID]nerve.Appended)
	e.stale, e.last = e.stale[:0], 0
	parts := e.batch.Parts()
	for from := 0; from < len(parts); from += idsAtOnce {
		some := parts[from:min(len(parts), from+idsAtOnce)]
		args := []any{l.id}
		for _, p := range some {
			args = append(args, p.ID[:])
		}
		err := x.query(ctx, l.dialect.ids.find[len(some)], args, func(scan scan) error {
			var id []byte
			var first, last, nano int64
			if err := scan(&id, &first, &last, &nano); err != nil {
				return err
			}
			if e.now-nano > int64(l.options.Dedup.Age) {
				e.stale = append(e.stale, nerve.DedupID(id))
				return nil
			}
			known[nerve.DedupID(id)] = nerve.Appended{First: nerve.ID(first),
				Last: nerve.ID(last), UnixNano: nano}
			return nil
		})
		if err != nil {
			return err
		}
	}
	e.rest = e.batch.Sift(func(id nerve.DedupID) nerve.Appended { return known[id] })
	e.count = int64(e.rest.Len())
	e.repeated = e.count == 0
	e.body.free()
	e.body = encode(e.rest, !l.options.NoCompression)
	for _, a := range known {
		e.last = max(e.last, int64(a.Last))
	}
	return nil
}

// insertIDs remembers the parts of e that are new, and forgets the oldest now and
// then.
func (l *Log) insertIDs(ctx context.Context, x execer, e *pending) error {
	q := &l.dialect.sql
	for _, id := range e.stale {
		if _, err := x.exec(ctx, q.deleteID, l.id, id[:]); err != nil {
			return err
		}
	}
	var newest int64
	if _, err := queryRow(ctx, x, q.newestID, []any{l.id}, &newest); err != nil {
		return err
	}
	before := newest
	parts := e.rest.Parts()
	for from := 0; from < len(parts); from += idsAtOnce {
		some := parts[from:min(len(parts), from+idsAtOnce)]
		args := make([]any, 0, 6*idsAtOnce)
		for _, p := range some {
			newest++
			first := e.first + int64(p.Start)
			args = append(args, l.id, p.ID[:], newest, first, e.first+int64(p.End)-1, e.nano)
		}
		if _, err := x.exec(ctx, l.dialect.ids.insert[len(some)], args...); err != nil {
			return err
		}
	}
	window := int64(l.options.Dedup.IDs)
	if step := max(1, window/16); newest/step == before/step {
		return nil
	}
	_, err := x.exec(ctx, q.pruneIDs, l.id, newest-window)
	return err
}

// tell tells the batch of e where its records are.
func (e *pending) tell(b *nerve.Batch) {
	if e.batch == nil {
		b.First, b.UnixNano = nerve.ID(e.first), e.nano
		return
	}
	if e.rest.Len() > 0 {
		e.rest.First, e.rest.UnixNano = nerve.ID(e.first), e.nano
	}
	b.Place(e.rest)
}
