package kafkalog

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/twmb/franz-go/pkg/kerr"
)

// cursor reads a partition. What is fetched ahead is decoded batch by batch
// into memory that it uses again.
type cursor struct {
	log  *Log
	next nerve.ID

	chunk []byte       // record batches, not yet decoded
	ahead chan fetchOf // what comes after chunk, if that was asked for

	decomp   decompressor
	packed   []byte
	ends     []uint32
	lastNano int64

	once   sync.Once
	closed chan struct{}
}

// fetchOf is the outcome of a fetch from an id.
type fetchOf struct {
	from nerve.ID
	fetched
	err error
}

func newCursor(l *Log, from nerve.ID) *cursor {
	return &cursor{log: l, next: from, closed: make(chan struct{})}
}

// Next implements nerve.Cursor.
func (c *cursor) Next(ctx context.Context, b *nerve.Batch) error {
	for {
		if err := c.check(ctx); err != nil {
			return err
		}
		if len(c.chunk) > 0 {
			found, err := c.decode(b)
			if found || err != nil {
				return err
			}
			continue
		}
		if err := c.more(ctx); err != nil {
			return err
		}
	}
}

// check says why nothing can be read.
func (c *cursor) check(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if c.log.ctx.Err() != nil {
		return nerve.ErrClosed
	}
	select {
	case <-c.closed:
		return nerve.ErrClosed
	default:
	}
	if first, _ := c.log.bounds.get(); c.next < first {
		return &nerve.TrimmedError{ID: c.next, First: first}
	}
	return nil
}

// more waits until there is something in the chunk, or something to ask for.
func (c *cursor) more(ctx context.Context) error {
	tail := c.log.tail
	if c.ahead == nil {
		if c.chunk = tail.from(c.next); c.chunk != nil {
			return nil
		}
		if waited, err := tail.wait(ctx, c); waited {
			if errors.Is(err, kerr.OffsetOutOfRange) {
				return c.outOfRange(ctx)
			}
			return err
		}
		c.fetchFrom(c.next)
	}
	select {
	case f := <-c.ahead:
		c.ahead = nil
		return c.take(ctx, f)
	case <-c.closed:
		return nerve.ErrClosed
	case <-c.log.ctx.Done():
		return nerve.ErrClosed
	case <-ctx.Done():
		return c.log.data.interrupted(ctx, "read", c.log.data.lastTrouble())
	}
}

// fetchFrom begins to read from an id. It goes on when the call that asked for
// it ends: the next call takes what comes.
func (c *cursor) fetchFrom(id nerve.ID) {
	ahead := make(chan fetchOf, 1)
	c.ahead = ahead
	l := c.log
	go func() {
		f, err := l.data.fetch(l.ctx, int64(id)-1, l.options.FetchBytes, fetchWait)
		ahead <- fetchOf{id, f, err}
	}()
}

// take makes the outcome of a fetch the chunk, and asks for what comes after.
func (c *cursor) take(ctx context.Context, f fetchOf) error {
	if errors.Is(f.err, kerr.OffsetOutOfRange) {
		return c.outOfRange(ctx)
	}
	if f.err != nil {
		return f.err
	}
	if f.from > c.next {
		return nil // the chunk before held less than its lengths said
	}
	c.log.bounds.observe(f.start, f.end)
	c.chunk = f.records
	last, ok := lastOffset(f.records)
	if !ok && len(f.records) > 0 {
		return c.log.data.corrupt(int64(f.from)-1, errShort)
	}
	if ok && last+1 < f.end {
		c.fetchFrom(nerve.ID(last + 2))
	}
	return nil
}

// outOfRange says why the broker has nothing at the cursor's place.
func (c *cursor) outOfRange(ctx context.Context) error {
	start, err := c.log.data.offsetAt(ctx, atStart)
	if err != nil {
		return err
	}
	end, err := c.log.data.offsetAt(ctx, atEnd)
	if err != nil {
		return err
	}
	c.log.bounds.observe(start, end)
	switch {
	case int64(c.next) <= start:
		return &nerve.TrimmedError{ID: c.next, First: nerve.ID(start + 1)}
	case int64(c.next)-1 > end:
		p := c.log.data
		return &TruncatedError{Topic: p.topic, Partition: p.number, ID: c.next,
			Next: nerve.ID(end + 1)}
	}
	return nil // it is there by now
}

// decode makes b a view of the records of the first batch of the chunk from the
// cursor's place on, and reports whether there are any.
func (c *cursor) decode(b *nerve.Batch) (found bool, err error) {
	batch, err := parseBatch(c.chunk)
	if err == errShort {
		c.chunk = nil // the rest comes with the next fetch
		return false, nil
	}
	if err != nil {
		return false, c.corrupt(&batch, err)
	}
	from := int64(c.next) - 1
	switch {
	case batch.last() < from:
		c.chunk = c.chunk[batch.size:]
		return false, nil
	case batch.base > from:
		return false, c.gap(batch.base-1, "they were compacted away, or belong to a transaction")
	case batch.control():
		return false, c.gap(batch.last(), "a transaction ends there")
	case batch.txn():
		return false, c.gap(batch.last(), "they belong to a transaction")
	}
	last, err := c.unpack(&batch, from)
	if err != nil {
		return false, err
	}
	c.lastNano = max(c.lastNano, nano(batch.max))
	b.View(c.next, c.lastNano, c.packed, c.ends)
	c.next = nerve.ID(last + 2)
	if last == batch.last() {
		c.chunk = c.chunk[batch.size:]
	}
	return true, nil
}

// unpack packs the records of batch from an offset on, up to the last or up to
// a gap, and returns the offset of the last one.
func (c *cursor) unpack(batch *recordBatch, from int64) (last int64, err error) {
	limit := c.log.options.MaxDecompressed
	body, err := c.decomp.decompress(batch.body, batch.codec(), limit)
	if err != nil {
		return 0, c.corrupt(batch, fmt.Errorf("%v: %w", batch.codec(), err))
	}
	c.packed, c.ends = c.packed[:0], c.ends[:0]
	next, gapEnd := from, batch.last() // of the gap, if there is one at next
	var r record
	before := int64(-1)
	for range batch.count {
		n, err := parseRecord(body, &r)
		if err != nil || r.delta <= before {
			return 0, c.corrupt(batch, errRecord)
		}
		body, before = body[n:], r.delta
		offset := batch.base + r.delta
		if offset > next {
			gapEnd, body = offset-1, nil
			break
		}
		if offset == next {
			if !c.pack(&r, batch) {
				return 0, c.corrupt(batch, errRecord)
			}
			next++
		}
	}
	switch {
	case len(body) > 0 || next > batch.last()+1:
		return 0, c.corrupt(batch, errRecord)
	case next == from:
		return 0, c.gap(gapEnd, "they were compacted away")
	}
	return next - 1, nil
}

// pack appends a record to the packed ones. It fails if it is malformed.
func (c *cursor) pack(r *record, batch *recordBatch) (ok bool) {
	at := len(c.packed)
	ok = true
	if c.log.options.Envelope {
		millis := batch.max
		if !batch.appended() {
			millis = batch.first + r.timeDelta
		}
		c.packed = append(c.packed, 0, 0, 0, 0)
		c.packed, ok = appendEnvelope(c.packed, r, millis)
		binary.LittleEndian.PutUint32(c.packed[at:], uint32(len(c.packed)-at-4))
	} else {
		c.packed = binary.LittleEndian.AppendUint32(c.packed, uint32(len(r.value)))
		c.packed = append(c.packed, r.value...)
	}
	c.ends = append(c.ends, uint32(len(c.packed)))
	return ok
}

// gap is the error of ids without a record, from the cursor's place on.
func (c *cursor) gap(last int64, reason string) error {
	p := c.log.data
	return &GapError{Topic: p.topic, Partition: p.number, First: c.next, Last: nerve.ID(last + 1),
		Reason: reason}
}

func (c *cursor) corrupt(batch *recordBatch, err error) error {
	return &nerve.CorruptError{
		File: c.log.data.name(), Offset: batch.base,
		First: c.next, Last: max(c.next, nerve.ID(batch.last()+1)), Reason: err.Error(),
	}
}

// Close implements nerve.Cursor.
func (c *cursor) Close() error {
	err := nerve.ErrClosed
	c.once.Do(func() {
		close(c.closed)
		err = nil
	})
	return err
}
