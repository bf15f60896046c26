package nerve

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"
)

// Defaults of Options.
const (
	DefaultGroupBytes    = 1 << 20
	DefaultInFlightBytes = 16 << 20
	DefaultSaveInterval  = 100 * time.Millisecond
	DefaultMaxUnacked    = 1 << 20
	DefaultCallTimeout   = 30 * time.Second
)

// Options of a Queue. The zero value is useful.
type Options struct {
	// GroupBytes is the size up to which concurrent appends are grouped into
	// one commit. Default 1 MiB: larger ones cost latency and gain nothing.
	GroupBytes int

	// InFlightBytes bounds the memory of appends that are not yet committed.
	// Appends wait when it is used up. Default 16 MiB.
	InFlightBytes int

	// Linger is how long a commit waits for company. Default 0: a commit
	// starts as soon as the one before is done, which groups what arrived
	// meanwhile.
	Linger time.Duration

	// SaveInterval is how often moved pointers are saved: what a crash may
	// deliver again. Default 100 ms.
	SaveInterval time.Duration

	// CallTimeout bounds each call to the log that is not tied to a context of
	// the caller: commits, pointer saves, opening and closing consumers, of which
	// [Queue.Close] closes all in the time of one. A call that takes longer ends with
	// a [TimeoutError], an append with an [OutcomeError]. Default 30 s. Logs on a disk
	// of this machine do not wait for contexts.
	CallTimeout time.Duration

	// WaitForRoom makes appends to a log that is full ([FullError]) wait until records were
	// trimmed, or the queue is closed. An append whose context ends meanwhile may still be stored
	// later, as any that is being committed.
	WaitForRoom bool

	// Check refuses records that must not be in the queue, such as those that are no
	// message of a type, see [EncodingCheck]: an append with one writes nothing and
	// gets a [CheckError]. It costs the caller of the append the time it takes. Nil
	// takes all bytes.
	Check RecordCheck

	// Observer is told of commits. May be nil.
	Observer Observer

	// Logger gets what has no caller to return it to, such as a pointer save
	// that failed. Nil is silent.
	Logger *slog.Logger
}

// Observer receives measurements. Its methods are called in the path of the
// commit, one call at a time, and must be quick.
type Observer interface {
	// Commit tells of one commit: its size, the time the log took for it, and
	// the error that its callers got.
	Commit(records, bytes int, took time.Duration, err error)
}

// Queue is a log with group commit and consumers. It is safe for concurrent
// use. Create it with [New].
type Queue struct {
	log     Log
	options Options
	limits  Limits

	inFlight *semaphore.Weighted
	held     atomic.Int64 // bytes of inFlight that are held, for Stats

	mu     sync.Mutex
	groups []*group // waiting; the last one is open for more
	spare  []*Batch // emptied buffers
	closed bool
	// committing says that somebody has the turn to append to the log: the
	// committer, or a caller that found nothing else going on.
	committing bool
	wake       chan struct{} // holds a token when there may be groups
	stopped    chan struct{} // closed when the committer is done
	closing    chan struct{} // closed by Close
	room       chan struct{} // holds a token when something was trimmed

	commits   deadline // deadline of the commit that is going on
	own       Batch    // batch of the caller who has the turn
	consumers *registry
	counters  counters
	ages      ages
}

// New returns a queue over log and takes ownership of it: Close closes it.
func New(log Log, options Options) *Queue {
	if options.GroupBytes <= 0 {
		options.GroupBytes = DefaultGroupBytes
	}
	if options.InFlightBytes <= 0 {
		options.InFlightBytes = DefaultInFlightBytes
	}
	if options.SaveInterval <= 0 {
		options.SaveInterval = DefaultSaveInterval
	}
	if options.CallTimeout <= 0 {
		options.CallTimeout = DefaultCallTimeout
	}
	if options.Logger == nil {
		options.Logger = slog.New(slog.DiscardHandler)
	}
	q := &Queue{
		log:      log,
		options:  options,
		limits:   log.Limits(),
		inFlight: semaphore.NewWeighted(int64(options.InFlightBytes)),
		wake:     make(chan struct{}, 1),
		stopped:  make(chan struct{}),
		closing:  make(chan struct{}),
		room:     make(chan struct{}, 1),
	}
	q.commits.after = options.CallTimeout
	q.consumers = newRegistry(q)
	go q.commitLoop()
	return q
}

// DedupWindow returns how much the log remembers of ids of appends, zero if it is no
// [Deduplicator].
func (q *Queue) DedupWindow() DedupWindow {
	if log, ok := q.log.(Deduplicator); ok {
		return log.DedupWindow()
	}
	return DedupWindow{}
}

// Bounds returns the first and last readable id; last is first-1 when the
// queue is empty.
func (q *Queue) Bounds() (first, last ID) { return q.log.Bounds() }

// Read returns a cursor that starts at from, without a pointer and without
// acks. See [Log.Read].
func (q *Queue) Read(ctx context.Context, from ID) (Cursor, error) {
	c, err := q.log.Read(ctx, from)
	if err != nil {
		return nil, err
	}
	return guarded(c), nil
}

// Seek returns the id of the first record appended at or after t, the id after
// the last if there is none.
func (q *Queue) Seek(ctx context.Context, t time.Time) (ID, error) { return q.log.Seek(ctx, t) }

// Trim gives up the records below id, never past a consumer that holds, and
// returns the new first id.
func (q *Queue) Trim(ctx context.Context, below ID) (ID, error) {
	first, err := q.log.Trim(ctx, below)
	select {
	case q.room <- struct{}{}:
	default:
	}
	return first, err
}

// Close commits what was accepted, saves the pointers of all consumers, closes
// them, and closes the log. Appends after it get ErrClosed. A second call does
// nothing and returns ErrClosed.
func (q *Queue) Close() error {
	q.mu.Lock()
	if q.closed {
		q.mu.Unlock()
		return ErrClosed
	}
	q.closed = true
	q.mu.Unlock()
	close(q.closing)
	q.signal()
	<-q.stopped
	err := q.consumers.close()
	return errors.Join(err, q.log.Close())
}
