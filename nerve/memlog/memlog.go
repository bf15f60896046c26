// Package memlog is a nerve.Log in memory, for the tests of programs that use
// a queue. It keeps the whole contract, with keys and claims, except that it
// forgets everything when the process ends.
package memlog

import (
	"context"
	"slices"
	"sort"
	"sync"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/internal/claims"
	"github.com/octopus-framework/octopus/nerve/internal/keyed"
)

// Options of a Log. The zero value is useful.
type Options struct {
	// Limits of records and batches; zero fields mean 8 MiB and 16 MiB.
	Limits nerve.Limits
	// MaxBytes bounds the packed size of all batches: an append that would make it larger gets a
	// nerve.FullError, until records are trimmed. 0 is no bound.
	MaxBytes int64
	// Now is the clock. Nil is time.Now.
	Now func() time.Time
	// Dedup bounds what is remembered of the ids of appends.
	Dedup nerve.DedupWindow
	// Lease is how long a claim of a consumer name lasts unless it is renewed.
	// 0 is until it is released.
	Lease time.Duration
}

// Log is a log in memory. Create it with New.
type Log struct {
	options Options

	mu       sync.Mutex
	batches  []nerve.Batch // batches by first id
	low      nerve.ID
	last     nerve.ID
	lastNano int64
	pointers map[string]nerve.Pointer
	keys     keyed.Table
	ids      keyed.IDs
	claims   claims.Table
	moved    chan struct{}
	closed   bool
}

var (
	_ nerve.Repeatable   = (*Log)(nil)
	_ nerve.Deduplicator = (*Log)(nil)
	_ nerve.Claimer      = (*Log)(nil)
)

// New returns an empty log.
func New(options Options) *Log {
	if options.Limits.Record <= 0 {
		options.Limits.Record = 8 << 20
	}
	if options.Limits.Batch <= 0 {
		options.Limits.Batch = 16 << 20
	}
	if options.Now == nil {
		options.Now = time.Now
	}
	return &Log{
		options: options, low: 1,
		pointers: make(map[string]nerve.Pointer),
		ids:      keyed.IDs{Window: options.Dedup.WithDefaults()},
		claims:   claims.Table{Lease: options.Lease, Now: options.Now},
		moved:    make(chan struct{}),
	}
}

func (l *Log) check(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if l.closed {
		return nerve.ErrClosed
	}
	return nil
}

func (l *Log) wake() {
	close(l.moved)
	l.moved = make(chan struct{})
}

// Append implements nerve.Log.
func (l *Log) Append(ctx context.Context, b *nerve.Batch) (nerve.ID, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.check(ctx); err != nil {
		return 0, err
	}
	if err := l.options.Limits.Check(b); err != nil {
		return 0, err
	}
	if b.Len() == 0 {
		return l.last + 1, nil
	}
	if b.Key != (nerve.Key{}) {
		before, err := l.keys.Find(b.Key, b.Len())
		if err != nil {
			return 0, err
		}
		if before.First > 0 {
			b.First, b.UnixNano = before.First, before.UnixNano
			return b.First, nil
		}
	}
	now := max(l.lastNano, l.options.Now().UnixNano())
	if len(b.Parts()) > 0 {
		rest := l.ids.Sift(b, now)
		if rest.Len() > 0 {
			if err := l.checkRoom(rest); err != nil {
				return 0, err
			}
			l.store(rest, now)
		}
		b.Place(rest)
		l.ids.AddParts(b)
		return b.First, nil
	}
	if err := l.checkRoom(b); err != nil {
		return 0, err
	}
	l.store(b, now)
	if b.Key != (nerve.Key{}) {
		l.keys.Add(nerve.Appended{Key: b.Key, First: b.First, Last: l.last, UnixNano: b.UnixNano})
	}
	return b.First, nil
}

// checkRoom returns a FullError if there is no room for b.
func (l *Log) checkRoom(b *nerve.Batch) error {
	if l.options.MaxBytes <= 0 {
		return nil
	}
	size := int64(b.Size())
	for i := range l.batches {
		size += int64(l.batches[i].Size())
	}
	if size > l.options.MaxBytes {
		return &nerve.FullError{What: "log", Size: size, Limit: l.options.MaxBytes}
	}
	return nil
}

// store keeps a copy of the records of b.
func (l *Log) store(b *nerve.Batch, now int64) {
	l.lastNano = now
	b.First, b.UnixNano = l.last+1, now
	var kept nerve.Batch
	packed := slices.Clone(b.Packed())
	kept.View(b.First, b.UnixNano, packed, nerve.AppendEnds(make([]uint32, 0, b.Len()), packed))
	l.batches = append(l.batches, kept)
	l.last = b.Last()
	l.wake()
}

// DedupWindow implements nerve.Deduplicator.
func (l *Log) DedupWindow() nerve.DedupWindow { return l.ids.Window }

// LastAppended implements nerve.Repeatable.
func (l *Log) LastAppended(ctx context.Context, producer uint64) (nerve.Appended, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.check(ctx); err != nil {
		return nerve.Appended{}, err
	}
	return l.keys.Last(producer), nil
}

// Bounds implements nerve.Log.
func (l *Log) Bounds() (first, last nerve.ID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.low, l.last
}

// Limits implements nerve.Log.
func (l *Log) Limits() nerve.Limits { return l.options.Limits }

// Read implements nerve.Log.
func (l *Log) Read(ctx context.Context, from nerve.ID) (nerve.Cursor, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.check(ctx); err != nil {
		return nil, err
	}
	switch {
	case from < l.low:
		return nil, &nerve.TrimmedError{ID: from, First: l.low}
	case from > l.last+1:
		return nil, &nerve.FutureError{ID: from, Next: l.last + 1}
	}
	return &cursor{log: l, next: from, closed: make(chan struct{})}, nil
}

// Seek implements nerve.Log.
func (l *Log) Seek(ctx context.Context, t time.Time) (nerve.ID, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.check(ctx); err != nil {
		return 0, err
	}
	i := sort.Search(len(l.batches), func(i int) bool {
		return !time.Unix(0, l.batches[i].UnixNano).Before(t)
	})
	if i == len(l.batches) {
		return l.last + 1, nil
	}
	return max(l.low, l.batches[i].First), nil
}

// Trim implements nerve.Log.
func (l *Log) Trim(ctx context.Context, below nerve.ID) (nerve.ID, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.check(ctx); err != nil {
		return 0, err
	}
	if below > l.last+1 {
		return l.low, &nerve.FutureError{ID: below, Next: l.last + 1}
	}
	for _, p := range l.pointers {
		if p.Hold {
			below = min(below, p.ID+1)
		}
	}
	l.low = max(l.low, below)
	l.batches = slices.DeleteFunc(l.batches, func(b nerve.Batch) bool { return b.Last() < l.low })
	return l.low, nil
}

// Pointers implements nerve.Log.
func (l *Log) Pointers(ctx context.Context) ([]nerve.Pointer, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.check(ctx); err != nil {
		return nil, err
	}
	list := make([]nerve.Pointer, 0, len(l.pointers))
	for _, p := range l.pointers {
		list = append(list, p)
	}
	return list, nil
}

// SavePointers implements nerve.Log.
func (l *Log) SavePointers(ctx context.Context, pointers []nerve.Pointer) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.check(ctx); err != nil {
		return err
	}
	for _, p := range pointers {
		if err := p.Check(); err != nil {
			return err
		}
		if highest := p.Highest(); highest > l.last {
			return &nerve.FutureError{ID: highest, Next: l.last + 1}
		}
		if err := l.claims.Check(p.Name, p.Epoch); err != nil {
			return err
		}
	}
	for _, p := range pointers {
		p.Saved = l.options.Now()
		p.Meta = slices.Clone(p.Meta)
		p.Epoch = max(p.Epoch, l.pointers[p.Name].Epoch)
		l.pointers[p.Name] = p
	}
	return nil
}

// RemovePointer implements nerve.Log.
func (l *Log) RemovePointer(ctx context.Context, name string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.check(ctx); err != nil {
		return err
	}
	if err := l.claims.Check(name, 0); err != nil {
		return err
	}
	delete(l.pointers, name)
	return nil
}

// Claim implements nerve.Claimer.
func (l *Log) Claim(ctx context.Context, name string) (nerve.Claim, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.check(ctx); err != nil {
		return nerve.Claim{}, err
	}
	return l.claims.Claim(name, l.pointers[name].Epoch)
}

// Renew implements nerve.Claimer.
func (l *Log) Renew(ctx context.Context, c nerve.Claim) (nerve.Claim, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.check(ctx); err != nil {
		return nerve.Claim{}, err
	}
	return l.claims.Renew(c)
}

// Release implements nerve.Claimer.
func (l *Log) Release(ctx context.Context, c nerve.Claim) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.check(ctx); err != nil {
		return err
	}
	l.claims.Release(c)
	return nil
}

// Close implements nerve.Log.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nerve.ErrClosed
	}
	l.closed = true
	l.wake()
	return nil
}

type cursor struct {
	log    *Log
	next   nerve.ID
	once   sync.Once
	closed chan struct{}
}

// Next implements nerve.Cursor.
func (c *cursor) Next(ctx context.Context, b *nerve.Batch) error {
	for {
		found, moved, err := c.look(ctx, b)
		if found || err != nil {
			return err
		}
		select {
		case <-moved:
		case <-c.closed:
			return nerve.ErrClosed
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func (c *cursor) look(
	ctx context.Context, b *nerve.Batch,
) (found bool, moved <-chan struct{}, err error) {
	l := c.log
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.check(ctx); err != nil {
		return false, nil, err
	}
	select {
	case <-c.closed:
		return false, nil, nerve.ErrClosed
	default:
	}
	if c.next < l.low {
		return false, nil, &nerve.TrimmedError{ID: c.next, First: l.low}
	}
	if c.next > l.last {
		return false, l.moved, nil
	}
	i := sort.Search(len(l.batches), func(i int) bool { return l.batches[i].Last() >= c.next })
	*b = l.batches[i]
	b.DropBefore(c.next)
	c.next = b.Last() + 1
	return true, nil, nil
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
