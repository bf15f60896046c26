package nerve

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"
	"time"
)

// Start says where a consumer without a saved pointer begins. The zero value
// is the oldest record.
type Start struct {
	kind startKind
	id   ID
	time time.Time
}

type startKind uint8

const (
	startOldest startKind = iota
	startLatest
	startAfter
	startTime
)

// StartOldest begins at the oldest record there is.
func StartOldest() Start { return Start{} }

// StartLatest begins after the last record there is.
func StartLatest() Start { return Start{kind: startLatest} }

// StartAfter begins after the record with this id; 0 is before the first.
func StartAfter(id ID) Start { return Start{kind: startAfter, id: id} }

// StartTime begins at the first record appended at or after t.
func StartTime(t time.Time) Start { return Start{kind: startTime, time: t} }

// ConsumerOptions of a Consumer. The zero value is useful.
type ConsumerOptions struct {
	// Start is where to begin if no pointer is saved under the name.
	Start Start
	// Hold keeps records from being trimmed until this consumer acknowledged
	// them, also while it is not open.
	Hold bool
	// MaxUnacked bounds how many records are delivered above the pointer.
	// With that many, Next waits for acks; the batch that reaches it is
	// delivered whole. Default 1,048,576.
	MaxUnacked int
	// Check tells which records cannot be used, such as those that are no message of
	// a type, see [EncodingCheck]. Records, Typed and package work give them out with a
	// [DecodeError], and count them as undecodable; a loop that goes on has passed
	// over one. Next gives out whole batches and checks nothing.
	Check RecordCheck
	// Ephemeral keeps no pointer: the consumer begins at Start, its acks move the
	// pointer in memory, and nothing is left of it. It works on a log that is
	// open read-only, beside consumers of that name elsewhere, and cannot hold.
	Ephemeral bool
	// PointerFile keeps the pointer in a file of the caller's instead of in the
	// log, for a process that only reads it. The file is made if need be, and
	// replaced as a whole; it is for one consumer in one process at a time. Such
	// a consumer cannot hold: the log does not know of it.
	PointerFile string
	// Wait is how long Consumer waits for a name that somebody else has, 0 not at
	// all, [WaitForever] until the queue is closed: so a process that is started
	// again after it was killed waits for the lease of the one before (10 s with
	// most logs) instead of failing, and a second process with the same name is
	// a hot standby, which takes over when the first one ends. See also
	// [Queue.ConsumerContext].
	Wait time.Duration
}

// Consumer reads a queue in order, under a name with a durable pointer. Next
// and Records are for one goroutine at a time; Ack, AckThrough and Pointer may
// be called from any.
//
// On a log that is open read-only a consumer is Ephemeral or has a PointerFile:
// there is nowhere else to save its pointer.
type Consumer struct {
	name    string
	queue   *Queue
	options ConsumerOptions

	reading sync.Mutex // held in Next: guards cursor and batch
	cursor  Cursor
	rest    Batch // the rest of what the cursor gave, behind records that are acknowledged
	batch   Batch
	lent    lent

	mu        sync.Mutex
	acks      ackSet
	attempts  map[ID]uint32 // attempts to handle records above the pointer
	changes   uint64        // number of changes of acks and attempts
	packed    Progress      // as of so many changes
	packedAt  uint64
	delivered ID            // the last id given out, or passed over; at least the pointer
	meta      []byte        // meta of the pointer; replaced, never changed in place
	saved     Pointer       // what the log has; guarded by registry.saving
	room      chan struct{} // closed when the pointer moves, if Next waits for that
	ended     chan struct{} // closed by Close
	closed    bool
	warned    bool         // it was logged that Next waits for acks
	claim     Claim        // claim of the name, zero if the log knows no claims
	fenced    *FencedError // somebody else has the name

	skipped, undecodable uint64
	stalled              bool // Next waits for acks
}

// Consumer opens the consumer with this name. It continues after its saved
// pointer, or at options.Start if there is none. A name can be open once at a
// time, in all processes together if the log is a [Claimer]: else the error is
// an [OpenError], at once unless options.Wait says otherwise. A consumer that
// loses its name to another process, because it could not renew its claim, returns
// a [FencedError] from then on.
func (q *Queue) Consumer(name string, options ConsumerOptions) (*Consumer, error) {
	if options.Wait <= 0 {
		options.Wait = 0
		return q.openConsumer(name, options)
	}
	return q.ConsumerContext(context.Background(), name, options)
}

// openConsumer is Consumer that does not wait.
func (q *Queue) openConsumer(name string, options ConsumerOptions) (*Consumer, error) {
	if err := CheckName(name); err != nil {
		return nil, err
	}
	if options.MaxUnacked <= 0 {
		options.MaxUnacked = DefaultMaxUnacked
	}
	if err := options.check(); err != nil {
		return nil, err
	}
	return q.consumers.open(name, options)
}

// resolve turns a start into the id before the first record to deliver.
func (q *Queue) resolve(ctx context.Context, s Start) (ID, error) {
	first, last := q.log.Bounds()
	switch s.kind {
	case startLatest:
		return last, nil
	case startAfter:
		if s.id > last {
			return 0, &FutureError{ID: s.id, Next: last + 1}
		}
		return s.id, nil
	case startTime:
		id, err := q.log.Seek(ctx, s.time)
		return id - 1, err
	default:
		return first - 1, nil
	}
}

// Name returns the name.
func (c *Consumer) Name() string { return c.name }

// Next makes b a view of the next batch of records, in order, without those that
// are acknowledged. The view is valid until the next call of Next, Records, Seek,
// Redeliver or Close. At the tail it waits for the next durable record, until ctx
// ends. An error moves nothing. A [TrimmedError], [CorruptError] or [LostError]
// comes again until Seek leads past the place.
func (c *Consumer) Next(ctx context.Context, b *Batch) error {
	c.reading.Lock()
	defer c.reading.Unlock()
	c.lent.release()
	if err := c.waitForRoom(ctx); err != nil {
		return err
	}
	for found := false; !found; {
		if err := c.fetch(ctx, b); err != nil {
			return err
		}
		found = c.passOver(b)
	}
	c.queue.counters.read(b.Len(), b.Size())
	c.lent.lend(b)
	return nil
}

// fetch makes b what the log has next.
func (c *Consumer) fetch(ctx context.Context, b *Batch) error {
	if c.rest.Len() > 0 {
		*b, c.rest = c.rest, Batch{}
		return nil
	}
	if c.cursor == nil {
		cursor, err := c.queue.log.Read(ctx, c.nextOpen())
		if err != nil {
			return err
		}
		if err := c.adopt(cursor); err != nil {
			cursor.Close()
			return err
		}
	}
	err := c.cursor.Next(ctx, b)
	if err == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.fenced != nil {
		return c.fenced // losing the claim closed the cursor
	}
	return err
}

// adopt makes cursor the consumer's, unless it ended before.
func (c *Consumer) adopt(cursor Cursor) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.over(); err != nil {
		return err
	}
	c.cursor = cursor
	return nil
}

// over returns why the consumer delivers nothing more, if so. The mutex is held.
func (c *Consumer) over() error {
	switch {
	case c.closed:
		return ErrClosed
	case c.fenced != nil:
		return c.fenced
	}
	return nil
}

func (c *Consumer) waitForRoom(ctx context.Context) error {
	for {
		c.mu.Lock()
		if err := c.over(); err != nil {
			c.mu.Unlock()
			return err
		}
		if c.delivered-c.acks.pointer < ID(c.options.MaxUnacked) {
			c.stalled = false
			c.mu.Unlock()
			return nil
		}
		if c.room == nil {
			c.room = make(chan struct{})
		}
		room := c.room
		warned := c.warned
		c.warned, c.stalled = true, true
		c.mu.Unlock()
		if !warned {
			c.queue.options.Logger.Warn("nerve: consumer waits for acks",
				"consumer", c.name, "unacked", c.options.MaxUnacked)
		}
		select {
		case <-room:
		case <-c.ended:
			return ErrClosed
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// Records yields the records one by one, waiting at the tail, until ctx ends or
// an error, which is yielded last, unless it is a [DecodeError] of
// ConsumerOptions.Check: that comes with its record. When the loop is left early, the records of
// the batch it was in count as delivered only as far as they were yielded.
func (c *Consumer) Records(ctx context.Context) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		for {
			if err := c.Next(ctx, &c.batch); err != nil {
				yield(Record{}, err)
				return
			}
			for rec := range c.batch.All() {
				if !yield(rec, c.refusal(rec)) {
					if rec.ID != c.batch.Last() {
						c.rewind(rec.ID)
					}
					return
				}
			}
		}
	}
}

// rewind makes the record after id the next one.
func (c *Consumer) rewind(id ID) {
	c.reading.Lock()
	defer c.reading.Unlock()
	c.dropCursor()
	c.mu.Lock()
	c.delivered = max(id, c.acks.pointer)
	c.mu.Unlock()
}

func (c *Consumer) dropCursor() {
	c.mu.Lock()
	cursor := c.cursor
	c.cursor = nil
	c.mu.Unlock()
	c.rest = Batch{}
	if cursor != nil {
		cursor.Close()
	}
}

// Ack acknowledges one record, in any order. The pointer moves over the
// contiguous prefix; it is saved within the save interval, and with it what is
// acknowledged above it, see [Progress]. Acknowledging twice is no error.
func (c *Consumer) Ack(id ID) error { return c.ack(id, (*ackSet).add) }

// AckThrough acknowledges every record up to and including id.
func (c *Consumer) AckThrough(id ID) error {
	err := c.ack(id, (*ackSet).through)
	if err == nil {
		c.forgetAttempts(id)
	}
	return err
}

func (c *Consumer) ack(id ID, apply func(*ackSet, ID)) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.over(); err != nil {
		return err
	}
	if id > c.delivered {
		return &AckError{ID: id, Delivered: c.delivered}
	}
	before := c.acks.pointer
	if id <= before {
		return nil
	}
	apply(&c.acks, id)
	delete(c.attempts, id)
	c.changes++
	if c.acks.pointer != before {
		// What was acknowledged before a restart may lie right behind id.
		c.delivered = max(c.delivered, c.acks.pointer)
		c.makeRoom()
	}
	return nil
}

// makeRoom wakes a Next that waits for acks. The mutex is held.
func (c *Consumer) makeRoom() {
	if c.room != nil {
		close(c.room)
		c.room = nil
	}
}

// Pointer returns the id up to which everything is acknowledged.
func (c *Consumer) Pointer() ID {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.acks.pointer
}

// Meta returns the metadata of the pointer. It must not be written to.
func (c *Consumer) Meta() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.meta
}

// SetMeta sets the metadata of the pointer, at most [MaxMeta] bytes, to a copy
// of meta. It is saved with the pointer, as Ack is.
func (c *Consumer) SetMeta(meta []byte) error {
	if err := (Pointer{Name: c.name, Meta: meta}).Check(); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.over(); err != nil {
		return err
	}
	c.meta = slices.Clone(meta)
	return nil
}

// Seek moves the pointer, forward or back: the next record delivered is the
// first one at start. Acks and attempts above the pointer are forgotten. It does
// not interrupt a Next that waits in another goroutine, but waits for it.
func (c *Consumer) Seek(start Start) error {
	ctx, cancel := c.queue.callContext()
	defer cancel()
	id, err := c.queue.resolve(ctx, start)
	if err != nil {
		return err
	}
	c.reading.Lock()
	defer c.reading.Unlock()
	c.lent.release()
	c.dropCursor()
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.over(); err != nil {
		return err
	}
	if id > c.delivered {
		c.skipped += uint64(id - c.delivered)
	}
	c.acks.reset(id)
	c.attempts = nil
	c.changes++
	c.delivered = id
	c.makeRoom()
	return nil
}

// countUndecodable counts a record that was not decoded.
func (c *Consumer) countUndecodable() {
	c.mu.Lock()
	c.undecodable++
	c.mu.Unlock()
}

// Save stores the pointer now instead of within the save interval.
func (c *Consumer) Save(ctx context.Context) error {
	return c.queue.consumers.save(ctx, []*Consumer{c})
}

// Close saves the pointer and releases the consumer and its name; a waiting Next
// returns ErrClosed. The name may be opened again.
func (c *Consumer) Close() error {
	ctx, cancel := c.queue.callContext()
	defer cancel()
	return c.close(ctx)
}

// close is Close for as long as ctx allows.
func (c *Consumer) close(ctx context.Context) error {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return ErrClosed
	}
	c.closed = true
	cursor, fenced := c.cursor, c.fenced
	close(c.ended)
	c.mu.Unlock()
	if cursor != nil {
		cursor.Close()
	}
	c.lent.release()
	err := errors.Join(c.Save(ctx), c.releaseName(ctx))
	c.queue.consumers.remove(c)
	if fenced != nil {
		return fenced
	}
	if err != nil {
		return fmt.Errorf("saving the pointer of consumer %s: %w", c.name, err)
	}
	return nil
}
