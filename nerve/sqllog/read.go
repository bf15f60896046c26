package sqllog

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/octopus-framework/octopus/nerve"
)

// Read implements nerve.Log. The cursor reads ahead while its user works.
func (l *Log) Read(ctx context.Context, from nerve.ID) (nerve.Cursor, error) {
	if err := l.check(ctx); err != nil {
		return nil, err
	}
	if _, last := l.Bounds(); from > last+1 {
		// Somebody else may have appended meanwhile.
		if err := l.refresh(ctx); err != nil {
			return nil, err
		}
	}
	first, last := l.Bounds()
	switch {
	case from < first:
		return nil, &nerve.TrimmedError{ID: from, First: first}
	case from > last+1:
		return nil, &nerve.FutureError{ID: from, Next: last + 1}
	}
	c := &cursor{log: l, next: from, ended: make(chan struct{}), ahead: make(chan *chunk, 1)}
	c.life, c.end = context.WithCancel(l.life)
	return c, nil
}

// cursor reads chunks of several batches. One is being yielded while the next
// one is fetched.
type cursor struct {
	log  *Log
	next nerve.ID // id of the next record to be yielded

	life context.Context
	end  context.CancelFunc
	once sync.Once
	// ended is closed by Close.
	ended chan struct{}

	current  *chunk
	at       int         // index of the next of its batches to yield
	ahead    chan *chunk // the one that was fetched
	fetching bool
	spare    *chunk
	rowSize  int // what a batch takes, on average
}

// Next implements nerve.Cursor.
func (c *cursor) Next(ctx context.Context, b *nerve.Batch) error {
	for {
		if err := c.check(ctx); err != nil {
			return err
		}
		if c.current != nil && c.at < len(c.current.batches) {
			c.yield(b)
			return nil
		}
		if err := c.advance(ctx); err != nil {
			return err
		}
	}
}

// check returns why nothing can be yielded.
func (c *cursor) check(ctx context.Context) error {
	if c.life.Err() != nil {
		return nerve.ErrClosed
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err := c.log.failedError(); err != nil {
		return err
	}
	if first, _ := c.log.Bounds(); c.next < first {
		return &nerve.TrimmedError{ID: c.next, First: first}
	}
	return nil
}

// yield makes b a view of the next batch and begins to fetch the next chunk.
func (c *cursor) yield(b *nerve.Batch) {
	part := &c.current.batches[c.at]
	b.View(part.first, part.nano, c.current.packed[part.from:part.to], part.ends)
	b.DropBefore(c.next)
	c.next = b.Last() + 1
	c.at++
	after := c.current.last() + 1
	if _, last := c.log.Bounds(); !c.fetching && c.current.err == nil && after <= last {
		c.fetch(after)
	}
}

// advance makes a chunk the current one that begins with next, once there is
// one.
func (c *cursor) advance(ctx context.Context) error {
	if c.current != nil {
		err := c.current.err
		c.spare, c.current = c.current, nil
		if err != nil {
			return err
		}
	}
	if !c.fetching {
		if err := c.log.await(ctx, c.next, c.ended); err != nil {
			return err
		}
		c.fetch(c.next)
	}
	select {
	case got := <-c.ahead:
		c.fetching = false
		if len(got.batches) == 0 && got.err != nil {
			c.spare = got
			return got.err
		}
		c.current, c.at = got, 0
		return nil
	case <-c.life.Done():
		return nerve.ErrClosed
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// fetch begins to read a chunk.
func (c *cursor) fetch(from nerve.ID) {
	k := c.spare
	if c.spare = nil; k == nil {
		k = new(chunk)
	}
	target := c.log.options.ReadAhead / 2
	if c.current != nil && len(c.current.batches) > 0 {
		c.rowSize = len(c.current.packed) / len(c.current.batches)
	} else if c.rowSize == 0 {
		c.rowSize = target / 8
	}
	limit := min(max(1, target/max(1, c.rowSize)), maxRows)
	c.fetching = true
	go func() {
		k.err = c.log.fetch(c.life, k, from, limit, target)
		c.ahead <- k
	}()
}

// maxRows is how many batches one query asks for at most.
const maxRows = 1000

// Close implements nerve.Cursor.
func (c *cursor) Close() error {
	err := nerve.ErrClosed
	c.once.Do(func() {
		close(c.ended)
		c.end()
		err = nil
	})
	return err
}

// chunk is some batches that follow each other.
type chunk struct {
	batches []part
	packed  []byte
	err     error // after the batches
}

// part is one of them.
type part struct {
	first    nerve.ID
	nano     int64
	from, to int // offset in packed
	ends     []uint32
}

func (p *part) last() nerve.ID { return p.first + nerve.ID(len(p.ends)) - 1 }

func (k *chunk) last() nerve.ID { return k.batches[len(k.batches)-1].last() }

// errEnough ends a query.
var errEnough = &dataError{errors.New("enough was read")}

// fetch fills k with batches from one id on, as many as limit and size allow.
func (l *Log) fetch(ctx context.Context, k *chunk, from nerve.ID, limit, size int) error {
	_, last := l.Bounds()
	err := l.retry(ctx, "read", func(ctx context.Context, c conn) error {
		k.batches, k.packed = k.batches[:0], k.packed[:0]
		return c.rows(ctx, l.dialect.sql.read, []any{l.id, int64(from), int64(last), limit},
			func(r *row) error {
				if err := l.add(k, from, r); err != nil {
					return &dataError{err}
				}
				if len(k.packed) >= size {
					return errEnough
				}
				return nil
			})
	})
	if err == errEnough.error {
		return nil
	}
	var gap *gapError
	switch {
	case errors.As(err, &gap):
		return l.missing(ctx, gap.from, gap.before)
	case err == nil && len(k.batches) == 0:
		return l.missing(ctx, from, last+1)
	}
	return err
}

// add checks a row and appends it to k.
func (l *Log) add(k *chunk, from nerve.ID, r *row) error {
	want := from
	if len(k.batches) > 0 {
		want = k.last() + 1
	}
	first, last := nerve.ID(r.first), nerve.ID(r.last)
	switch {
	case first > want:
		return &gapError{from: want, before: first}
	case first < want && len(k.batches) > 0 || last < want || first == 0:
		return l.corrupt(want, want-1, fmt.Sprintf(
			"the row of records %d to %d follows that of record %d", first, last, want-1))
	}
	if sum(r.body, r.codec, r.first, r.last, r.nano) != r.crc {
		return l.corrupt(first, last, "its checksum is wrong")
	}
	start := len(k.packed)
	packed, err := decode(k.packed, r.body, r.codec)
	if err != nil {
		return l.corrupt(first, last, err.Error())
	}
	k.packed = packed
	if n := len(k.batches); n < cap(k.batches) {
		k.batches = k.batches[:n+1] // with the memory of its ends
	} else {
		k.batches = append(k.batches, part{})
	}
	p := &k.batches[len(k.batches)-1]
	*p = part{first: first, nano: r.nano, from: start, to: len(packed),
		ends: nerve.AppendEnds(p.ends[:0], packed[start:])}
	n := len(p.ends)
	if n == 0 || int(p.ends[n-1]) != p.to-p.from || p.last() != last {
		k.batches = k.batches[:len(k.batches)-1]
		k.packed = k.packed[:start]
		return l.corrupt(first, last, "it does not hold the records that it claims")
	}
	return nil
}

// gapError says that the records from one id to before another are not where
// they should be.
type gapError struct{ from, before nerve.ID }

func (e *gapError) Error() string { return "there is a gap" }

// missing says why there are no records from one id to before another, although
// there are later ones.
func (l *Log) missing(ctx context.Context, from, before nerve.ID) error {
	if err := l.refresh(ctx); err != nil {
		return err
	}
	if first, _ := l.Bounds(); from < first {
		return &nerve.TrimmedError{ID: from, First: first}
	}
	return l.corrupt(from, before-1, "there is no row of these records")
}

func (l *Log) corrupt(first, last nerve.ID, reason string) error {
	return &nerve.CorruptError{
		File:   fmt.Sprintf("table nerve_batches of %s, queue_id %d", l.server, l.id),
		Offset: int64(first),
		First:  first, Last: last, Reason: reason,
	}
}
