package seglog

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/internal/claims"
	"github.com/octopus-framework/octopus/nerve/internal/keyed"
	"github.com/octopus-framework/octopus/nerve/vfs"
)

// Log is a log in a folder. It implements nerve.Log and is safe for concurrent
// use. Create it with [Open].
type Log struct {
	dir     string
	options Options
	disk    vfs.FS
	lock    io.Closer
	state   *state

	// write guards everything that changes files: the active segment, trims,
	// pointer saves that need a sync first.
	write    sync.Mutex
	active   active
	pack     compressor
	lastNano int64
	parts    [4][]byte // parts of the write of a batch
	head     [keyedHeaderSize]byte
	ids      []byte // ids of the batch that is written
	keys     keyed.Table
	known    keyed.IDs
	direct   direct
	ring     ring // has locks of its own for readers

	// visible is the last id that cursors may read, low the first.
	visible atomic.Uint64
	low     atomic.Uint64
	tail    atomic.Int64 // size of the active segment
	synced  atomic.Uint64
	failed  atomic.Pointer[nerve.FailedError]

	mu       sync.RWMutex
	segments []segment     // segments by first id; the last one may be unsealed
	index    []indexEntry  // index of the unsealed segment, append-only
	moved    chan struct{} // closed at the next change that cursors wait for; nil if none waits
	damage   []*nerve.CorruptError

	closed     atomic.Bool
	done       chan struct{} // closed by Close
	background sync.WaitGroup
	retain     chan struct{} // holds a token when retention should look

	naming sync.Mutex // held while claims and pointers are compared and changed
	claims claims.Table

	following sync.Mutex // held while a read-only log looks what the writer did

	spareMu sync.Mutex
	spares  spares

	recovery Recovery
	counters counters
}

// active is the segment that appends go to. file is nil before the first append
// to a new log, and in read-only logs.
type active struct {
	segment
	file     vfs.File
	prepared bool   // the file is allocated and ends in zeros
	prevCRC  uint32 // checksum of the last batch
	indexed  int64  // offset of the last index entry, 0 if none

	limit     int64    // size from which it is closed and another begun
	allocated int64    // size of a prepared file, beyond which no write is direct
	dirty     bool     // there may be something that is not synced
	direct    vfs.File // the same file for direct writes, nil if not open
	isDirect  bool     // the next write can be direct
	noDirect  bool     // direct writes were refused
}

// close closes the file.
func (a *active) close() error {
	err := a.file.Close()
	if a.direct != nil {
		err = errors.Join(err, a.direct.Close())
	}
	a.file, a.direct, a.isDirect = nil, nil, false
	return err
}

var (
	_ nerve.Repeatable   = (*Log)(nil)
	_ nerve.Deduplicator = (*Log)(nil)
	_ nerve.Claimer      = (*Log)(nil)
)

// Bounds implements nerve.Log.
func (l *Log) Bounds() (first, last nerve.ID) {
	// In this order, so that last is never below first-1.
	first = nerve.ID(l.low.Load())
	return first, nerve.ID(l.visible.Load())
}

// Limits implements nerve.Log.
func (l *Log) Limits() nerve.Limits {
	return nerve.Limits{Record: l.options.MaxRecord, Batch: l.options.MaxBatch}
}

// orClosed returns ErrClosed instead of err, which may come of a file that Close
// has closed meanwhile.
func (l *Log) orClosed(err error) error {
	if err != nil && l.closed.Load() {
		return nerve.ErrClosed
	}
	return err
}

// writable returns why the log takes no writes, if so.
func (l *Log) writable(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	switch {
	case l.closed.Load():
		return nerve.ErrClosed
	case l.options.ReadOnly:
		return nerve.ErrReadOnly
	}
	return nil
}

// Failed returns the [nerve.FailedError] that appends get until the log is opened
// again, nil if they get none.
func (l *Log) Failed() error {
	if failed := l.failed.Load(); failed != nil {
		return failed
	}
	return nil
}

// fail stops all writes after cause.
func (l *Log) fail(cause error) error {
	failed := &nerve.FailedError{Cause: cause}
	if l.failed.CompareAndSwap(nil, failed) {
		l.options.Logger.Error("nerve: the log stopped taking writes", "dir", l.dir, "error", cause)
	}
	return l.failed.Load()
}

// publish lets cursors read up to last.
func (l *Log) publish(last nerve.ID) {
	l.visible.Store(uint64(last))
	l.wake()
}

// wake makes waiting cursors look again.
func (l *Log) wake() {
	l.mu.Lock()
	if l.moved != nil {
		close(l.moved)
		l.moved = nil
	}
	l.mu.Unlock()
}

// movedChan returns a channel that is closed at the next publish.
func (l *Log) movedChan() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.moved == nil {
		l.moved = make(chan struct{})
	}
	return l.moved
}

// segmentOf returns the segment that holds id, or will.
func (l *Log) segmentOf(id nerve.ID) (s segment, index []indexEntry, ok bool) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	i, exact := slices.BinarySearchFunc(l.segments, id, func(s segment, id nerve.ID) int {
		switch {
		case s.first < id:
			return -1
		case s.first > id:
			return 1
		}
		return 0
	})
	if !exact {
		i--
	}
	if i < 0 {
		return s, nil, false
	}
	if i == len(l.segments)-1 {
		index = l.index
	}
	return l.segments[i], index, true
}

// Sync makes everything that was appended durable, whatever the mode.
func (l *Log) Sync() error {
	if err := l.writable(context.Background()); err != nil {
		return err
	}
	l.write.Lock()
	defer l.write.Unlock()
	return l.syncActive()
}

func (l *Log) syncActive() error {
	if failed := l.failed.Load(); failed != nil {
		return failed
	}
	last := l.visible.Load()
	if l.active.file == nil || l.synced.Load() >= last {
		return nil
	}
	if err := l.syncFile(); err != nil {
		return l.fail(err)
	}
	l.synced.Store(last)
	return l.saveMark(false)
}

// saveMark stores how far the log reaches.
func (l *Log) saveMark(sync bool) error {
	err := l.state.setMark(func(m *mark) {
		m.low = nerve.ID(l.low.Load())
		m.visible = nerve.ID(l.visible.Load())
		m.synced = nerve.ID(l.synced.Load())
	}, sync)
	if err != nil {
		return l.fail(err)
	}
	return nil
}

// Close syncs, closes the active segment with its index, so that the next Open
// need not read it, and releases the lock. Waiting cursors get ErrClosed.
func (l *Log) Close() error {
	l.write.Lock()
	if l.closed.Swap(true) {
		l.write.Unlock()
		return nerve.ErrClosed
	}
	var err error
	if l.active.file != nil {
		if l.failed.Load() == nil {
			err = l.closeActive()
		}
		err = errors.Join(err, l.active.close())
	}
	l.ring.release()
	l.write.Unlock()
	close(l.done)
	l.wake()
	l.background.Wait()
	err = errors.Join(err, l.dropSpares())
	err = errors.Join(err, l.state.close())
	if l.lock != nil {
		err = errors.Join(err, l.lock.Close())
	}
	return err
}

func (l *Log) closeActive() error {
	if !l.active.prepared {
		// Nothing was appended since Open: the footer may still be there.
		if l.active.sealed {
			return l.saveMark(true)
		}
	}
	if err := l.sealActive(); err != nil {
		return err
	}
	if l.state.current().version >= keyedVersion {
		if err := l.saveKeys(); err != nil {
			return err
		}
	}
	return l.saveMark(true)
}

func join(dir, name string) string { return filepath.Join(dir, name) }
