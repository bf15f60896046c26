package nerve

import (
	"context"
	"time"
)

// Log is what stores a queue: the contract of every backend, executable as
// package nervetest. All methods are safe for concurrent use.
//
// What a log can do beyond this it says by implementing [Repeatable],
// [Deduplicator] and [Claimer]. A log behind a network connects again when a connection is lost,
// for as long as the context of a call allows; when it ends, the error wraps
// the cause of the context. Close has no context: such a log bounds it by
// itself.
type Log interface {
	// Append commits the records of b, all of them or none, under contiguous
	// ids, and returns the first; it sets b.First and b.UnixNano. When it
	// returns nil the batch is durable in the sense of the log's durability
	// mode. The log does not keep b or its memory. An empty batch is a no-op.
	//
	// A batch with a Key is stored once, see [Repeatable], and so is each part of
	// one with ids, see [Deduplicator]: of those that are there already nothing
	// is stored, and b says where they are.
	//
	// After an error nothing of b is readable in this log, now or later, with
	// two exceptions. After a [FailedError] it accepts no append until it is
	// opened again, and b may then be found, whole. After an [OutcomeError],
	// of logs behind a network alone, b may be found at any time, whole; the
	// log goes on. Such a log finds the outcome out by itself, and gives up
	// only when ctx ends first.
	Append(ctx context.Context, b *Batch) (ID, error)

	// Bounds returns the first and last readable id. An empty log has
	// last == first-1. It does not wait: behind a network it is as of the last
	// contact, at least the last append of this log, and never goes back.
	Bounds() (first, last ID)

	// Read returns a cursor whose first record is from. The id after the last
	// is allowed: the cursor then waits for it. Otherwise the error is a
	// [TrimmedError] or a [FutureError].
	Read(ctx context.Context, from ID) (Cursor, error)

	// Seek returns the id of the first record whose batch was appended at or
	// after t, the id after the last if there is none. Append times may be
	// coarse, such as whole milliseconds.
	Seek(ctx context.Context, t time.Time) (ID, error)

	// Trim gives up the records below id, never past a pointer that holds,
	// and returns the new first id. Space comes back in units of the log's
	// own choice.
	Trim(ctx context.Context, below ID) (ID, error)

	// Pointers returns the saved pointers of all consumers.
	Pointers(ctx context.Context) ([]Pointer, error)

	// SavePointers stores pointers durably, adding or replacing them by name,
	// all of them or none.
	SavePointers(ctx context.Context, pointers []Pointer) error

	// RemovePointer forgets a consumer. It is no error if there is none.
	RemovePointer(ctx context.Context, name string) error

	// Limits are the sizes that Append accepts.
	Limits() Limits

	// Close releases the log. Cursors that wait are woken with ErrClosed.
	Close() error
}

// Cursor reads a log in order. It is not safe for concurrent use, but Close
// may be called while another goroutine waits in Next.
type Cursor interface {
	// Next makes b a view of the next batch, or of its rest when the cursor
	// began inside it. The view is valid until the next call of Next or Close.
	// At the tail it waits for the next durable record, until ctx ends. An
	// error moves nothing: the next call tries the same place again.
	Next(ctx context.Context, b *Batch) error

	// Close releases the cursor.
	Close() error
}

// Pointer is the saved state of a consumer.
type Pointer struct {
	// Name of the consumer, see [CheckName].
	Name string
	// ID up to which everything is acknowledged.
	ID ID
	// Hold keeps the records above ID from being trimmed.
	Hold bool
	// Meta is the application's, at most [MaxMeta] bytes. The log copies it.
	Meta []byte
	// Progress is what was done above ID, at most up to the last record. It is
	// saved with ID, as one. A log may keep less of it, or nothing: those records
	// come again. What it says of records up to ID does not matter.
	Progress Progress
	// Epoch of the [Claim] under which the pointer is saved, 0 for none. Of a
	// pointer that is read it is that of the last claim.
	Epoch uint64
	// Saved is when the pointer was stored. It is set by the log.
	Saved time.Time
}

// MaxMeta is the length of the longest metadata of a pointer, in bytes.
const MaxMeta = 256

// Check returns a NameError or TooLargeError if no log stores p.
func (p Pointer) Check() error {
	if err := CheckName(p.Name); err != nil {
		return err
	}
	if len(p.Meta) > MaxMeta {
		return &TooLargeError{What: "pointer metadata", Size: len(p.Meta), Limit: MaxMeta}
	}
	return nil
}

// Highest is the highest record that p says something of: ID, or one above it in Progress.
func (p Pointer) Highest() ID { return max(p.ID, p.Progress.Last()) }

// Clamp takes away what p says of records after last, which a log has lost.
func (p *Pointer) Clamp(last ID) {
	p.ID = min(p.ID, last)
	if p.Progress.Last() > last {
		p.Progress = p.Progress.Within(p.ID+1, last)
	}
}

// Limits are the sizes that a log accepts, in bytes.
type Limits struct {
	Record int // one record
	Batch  int // the packed form of one batch
}

// Check returns a TooLargeError if b is over the limits, or a KeyError if its ids
// cannot be used.
func (l Limits) Check(b *Batch) error {
	if err := b.checkParts(); err != nil {
		return err
	}
	if n := b.MaxRecord(); n > l.Record {
		return &TooLargeError{What: "record", Size: n, Limit: l.Record}
	}
	if b.Size() > l.Batch {
		return &TooLargeError{What: "batch", Size: b.Size(), Limit: l.Batch}
	}
	return nil
}

// MaxName is the length of the longest consumer name, in bytes.
const MaxName = 128

// CheckName returns a NameError unless name may name a consumer: 1 to
// [MaxName] letters, digits, '-', '_' and '.', beginning with a letter or
// digit.
func CheckName(name string) error {
	switch {
	case name == "":
		return &NameError{Name: name, Reason: "it is empty"}
	case len(name) > MaxName:
		return &NameError{Name: name[:MaxName] + "...", Reason: "it is longer than 128 bytes"}
	}
	for i := 0; i < len(name); i++ {
		c := name[i]
		alnum := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if !alnum && (i == 0 || c != '-' && c != '_' && c != '.') {
			return &NameError{
				Name:   name,
				Reason: "use letters, digits, '-', '_' and '.', a letter or digit first",
			}
		}
	}
	return nil
}
