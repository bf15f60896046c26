package kafkalog

import (
	"context"
	"sync"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/twmb/franz-go/pkg/kgo"
)

// Log is one partition of a topic. Open returns it. It is safe for concurrent
// use, and so is the partition: any number of processes may append to it and
// read it at a time.
type Log struct {
	options  Options
	client   *kgo.Client
	data     *partition
	settings settings
	limits   nerve.Limits
	bounds   bounds

	// turn holds a token while nobody appends.
	turn     chan struct{}
	writer   writer
	lastNano int64 // time of the last append; guarded by turn

	store  *store
	groups *groups
	tail   *tail

	ctx    context.Context // ends with Close, and every request with it
	cancel context.CancelCauseFunc
	once   sync.Once
}

var (
	_ nerve.Repeatable   = (*Log)(nil)
	_ nerve.Deduplicator = (*Log)(nil)
	_ nerve.Claimer      = (*Log)(nil)
)

// begin checks whether a call may run, and returns its context, which ends when
// the log is closed.
func (l *Log) begin(ctx context.Context) (context.Context, func(), error) {
	if ctx.Err() != nil {
		return nil, nil, context.Cause(ctx)
	}
	if l.ctx.Err() != nil {
		return nil, nil, nerve.ErrClosed
	}
	call, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(l.ctx, func() { cancel(nerve.ErrClosed) })
	return call, func() { stop(); cancel(nil) }, nil
}

// Append implements nerve.Log. When ctx ends while nobody knows whether the
// batch was stored, the error is a [nerve.OutcomeError].
func (l *Log) Append(ctx context.Context, b *nerve.Batch) (nerve.ID, error) {
	ctx, end, err := l.begin(ctx)
	if err != nil {
		return 0, err
	}
	defer end()
	if l.options.ReadOnly {
		return 0, nerve.ErrReadOnly
	}
	if err := l.limits.Check(b); err != nil {
		return 0, err
	}
	if b.Len() == 0 {
		_, last := l.bounds.get()
		return last + 1, nil
	}
	if err := l.takeTurn(ctx); err != nil {
		return 0, err
	}
	defer l.giveTurn()
	if len(b.Parts()) > 0 {
		return l.appendOnce(ctx, b)
	}
	a, err := l.writer.append(ctx, b)
	if err != nil {
		return 0, err
	}
	l.noteAppended(&a)
	b.First, b.UnixNano = a.First, a.UnixNano
	return a.First, nil
}

// appendOnce is Append of a batch with ids. The caller has the turn.
func (l *Log) appendOnce(ctx context.Context, b *nerve.Batch) (nerve.ID, error) {
	rest, a, err := l.writer.appendOnce(ctx, b)
	if err != nil {
		return 0, err
	}
	if rest.Len() > 0 {
		l.noteAppended(&a)
		rest.First, rest.UnixNano = a.First, a.UnixNano
	}
	b.Place(rest)
	l.writer.ids.known.AddParts(b)
	for _, p := range b.Parts() {
		l.bounds.observe(-1, int64(p.Stored.Last))
	}
	return b.First, nil
}

// noteAppended takes over where an append is, whose time never goes back.
func (l *Log) noteAppended(a *nerve.Appended) {
	if a.Last > l.bounds.end() { // else it is a repetition
		a.UnixNano = max(a.UnixNano, l.lastNano)
		l.lastNano = a.UnixNano
	}
	l.bounds.observe(-1, int64(a.Last))
}

// LastAppended implements nerve.Repeatable.
func (l *Log) LastAppended(ctx context.Context, producer uint64) (nerve.Appended, error) {
	ctx, end, err := l.begin(ctx)
	if err != nil {
		return nerve.Appended{}, err
	}
	defer end()
	if err := l.takeTurn(ctx); err != nil {
		return nerve.Appended{}, err
	}
	defer l.giveTurn()
	p, err := l.writer.producer(ctx, producer)
	if err != nil {
		return nerve.Appended{}, err
	}
	return p.table.Last(producer), nil
}

func (l *Log) takeTurn(ctx context.Context) error {
	select {
	case <-l.turn:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (l *Log) giveTurn() { l.turn <- struct{}{} }

// Bounds implements nerve.Log. Others may have appended since the last contact
// with the broker.
func (l *Log) Bounds() (first, last nerve.ID) { return l.bounds.get() }

// Limits implements nerve.Log. They follow from max.message.bytes of the topic,
// and are such that a batch within them fits whatever records it is made of.
func (l *Log) Limits() nerve.Limits { return l.limits }

// Durability says what an append that returned has survived by then.
func (l *Log) Durability() Durability { return l.settings.durability() }

// Read implements nerve.Log.
func (l *Log) Read(ctx context.Context, from nerve.ID) (nerve.Cursor, error) {
	ctx, end, err := l.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	if _, last := l.bounds.get(); from > last+1 {
		if err := l.refresh(ctx); err != nil {
			return nil, err
		}
	}
	switch first, last := l.bounds.get(); {
	case from < first:
		return nil, &nerve.TrimmedError{ID: from, First: first}
	case from > last+1:
		return nil, &nerve.FutureError{ID: from, Next: last + 1}
	}
	return newCursor(l, from), nil
}

// refresh asks the broker for the bounds.
func (l *Log) refresh(ctx context.Context) error {
	start, err := l.data.offsetAt(ctx, atStart)
	if err != nil {
		return err
	}
	end, err := l.data.offsetAt(ctx, atEnd)
	if err != nil {
		return err
	}
	l.bounds.observe(start, end)
	return nil
}

// Seek implements nerve.Log. Times are whole milliseconds. Where producers set
// them, they need not grow, and the id is that of the first record that Kafka
// finds with a time at or after t.
func (l *Log) Seek(ctx context.Context, t time.Time) (nerve.ID, error) {
	ctx, end, err := l.begin(ctx)
	if err != nil {
		return 0, err
	}
	defer end()
	millis := max(0, t.UnixMilli())
	if t.After(time.UnixMilli(millis)) {
		millis++
	}
	offset, err := l.data.offsetAt(ctx, millis)
	if err != nil {
		return 0, err
	}
	if offset < 0 {
		if err := l.refresh(ctx); err != nil {
			return 0, err
		}
		_, last := l.bounds.get()
		return last + 1, nil
	}
	first, _ := l.bounds.get()
	return max(first, nerve.ID(offset)+1), nil
}

// Trim implements nerve.Log. The broker frees space by whole segments.
func (l *Log) Trim(ctx context.Context, below nerve.ID) (nerve.ID, error) {
	ctx, end, err := l.begin(ctx)
	if err != nil {
		return 0, err
	}
	defer end()
	if l.options.ReadOnly {
		return 0, nerve.ErrReadOnly
	}
	first, last := l.bounds.get()
	if below > last+1 {
		if err := l.refresh(ctx); err != nil {
			return 0, err
		}
		if first, last = l.bounds.get(); below > last+1 {
			return first, &nerve.FutureError{ID: below, Next: last + 1}
		}
	}
	pointers, err := l.store.pointers(ctx)
	if err != nil {
		return 0, err
	}
	for _, p := range pointers {
		if p.Hold {
			below = min(below, p.ID+1)
		}
	}
	if below <= first {
		return first, nil
	}
	start, err := l.data.deleteBefore(ctx, int64(below)-1)
	if err != nil {
		return 0, err
	}
	l.bounds.observe(start, -1)
	first, _ = l.bounds.get()
	return first, nil
}

// closeTimeout bounds what Close still tells the broker.
const closeTimeout = 5 * time.Second

// Close implements nerve.Log. Appends that are under way end with an error.
func (l *Log) Close() error {
	err := nerve.ErrClosed
	l.once.Do(func() {
		l.groups.close(closeTimeout)
		l.cancel(nerve.ErrClosed)
		l.tail.close()
		l.client.Close()
		err = nil
	})
	return err
}

// bounds are the first and last id as of the last contact with the broker. They
// never go back.
type bounds struct {
	mu          sync.Mutex
	first, last nerve.ID
}

// observe takes the offset of the first record and that after the last, -1 for
// what is not known.
func (b *bounds) observe(start, end int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.first = max(b.first, nerve.ID(start+1))
	b.last = max(b.last, nerve.ID(max(end, 0)), b.first-1)
}

func (b *bounds) get() (first, last nerve.ID) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.first, b.last
}

// end returns the last id.
func (b *bounds) end() nerve.ID {
	_, last := b.get()
	return last
}
