package seglog

import (
	"errors"
	"sync/atomic"
	"time"

	"github.com/octopus-framework/octopus/nerve/vfs"
)

// Large batches are written from memory of the log's own to the disk, without
// the cache of the system: new pages of that are slow where a host takes back
// what its guests do not use, and are copied to, kept and given back for
// consumers that read from the ring. Small batches go through the cache, where
// many of them share a page.
//
// The two kinds of writes to a file mix only with a sync between them. After an
// append in SyncAlways, the only mode with direct writes, all is synced; what is
// not is marked by active.dirty. Any error of a direct write leads back to the
// cache, over a sync, and there the ways of writes that fail are those of small
// batches.

const (
	// directFrom is the mean size in bytes of the last batches from which
	// writes are direct, directBelow that below which they are not any more.
	directFrom  = 64 << 10
	directBelow = 32 << 10
	// directMean is how many batches the mean is of.
	directMean = 8
	// maxTailMemory is how much memory the rings of all logs of the process
	// have together, at most.
	maxTailMemory = 256 << 20
	// minTailMemory is enough for the smallest pieces.
	minTailMemory = 2 * ringPieces * vfs.DirectBlock
	// ringPieces is how many writes of the largest size fit into the ring.
	ringPieces = 4
	// tailIdle is how long no large batch came when the memory is given back.
	tailIdle = 10 * time.Second
)

var errTooMuchTail = errors.New(
	"the logs of the process have all the memory for direct writes that they may have")

// direct is what decides how the next batch is written. It is guarded by the
// write lock, but for refused.
type direct struct {
	sizes   [directMean]int64 // sizes of the last batches
	sum     int64
	next    int
	large   bool // the last batches were
	freeing bool // the work that gives idle memory back was started
	idle    bool // no large batch came since that looked
	refused atomic.Pointer[string]
}

// note counts a batch of n bytes, and reports whether it is one of many that
// are large.
func (d *direct) note(n int64) bool {
	d.sum += n - d.sizes[d.next]
	d.sizes[d.next] = n
	d.next = (d.next + 1) % directMean
	limit := int64(directFrom * directMean)
	if d.large {
		limit = directBelow * directMean
	}
	d.large = d.sum >= limit
	return d.large
}

// goesDirect decides how a batch of n bytes is written, and prepares the active
// segment for it. An error has stopped the log.
func (l *Log) goesDirect(n int64) (bool, error) {
	if l.options.NoDirect || l.options.Durability != SyncAlways {
		return false, nil
	}
	a, large := &l.active, l.direct.note(n)
	if choose := l.options.chooseDirect; choose != nil {
		large = choose()
	}
	if !large || a.noDirect || blockEnd(a.size+n) > a.allocated {
		l.leaveDirect()
		return false, nil
	}
	l.direct.idle = false
	if a.isDirect {
		return true, nil
	}
	return l.enterDirect()
}

// enterDirect makes the next writes to the active segment direct.
func (l *Log) enterDirect() (bool, error) {
	a := &l.active
	if a.dirty {
		if err := l.syncFile(); err != nil {
			return false, l.fail(err)
		}
	}
	if err := l.openDirect(); err != nil {
		l.refuseDirect(err)
		return false, nil
	}
	from := blockStart(a.size)
	head := make([]byte, a.size-from)
	if len(head) > 0 {
		if _, err := a.file.ReadAt(head, from); err != nil {
			return false, nil // who reads there is told
		}
	}
	l.ring.begin(a.first, from, head)
	a.isDirect = true
	l.ring.writing.Store(true)
	return true, nil
}

// leaveDirect makes the next write to the active segment go through the cache.
func (l *Log) leaveDirect() {
	l.active.isDirect = false
	l.ring.writing.Store(false)
}

// openDirect opens what direct writes need and is not there yet.
func (l *Log) openDirect() (err error) {
	a := &l.active
	if a.direct == nil {
		if a.direct, err = a.file.OpenDirect(a.path); err != nil {
			return err
		}
	}
	if l.ring.memory != nil {
		return nil
	}
	if err := l.ring.take(l.disk, l.options.TailMemory); err != nil {
		return err
	}
	if !l.direct.freeing {
		l.direct.freeing = true
		l.every(tailIdle, nil, l.freeIdleTail)
	}
	return nil
}

// refuseDirect leaves the active segment to the cache, and says so once.
func (l *Log) refuseDirect(why error) {
	l.active.noDirect = true
	reason := why.Error()
	if l.direct.refused.Swap(&reason) == nil {
		l.options.Logger.Info("nerve: appends go through the cache of the system", "dir", l.dir,
			"reason", reason)
	}
}

// writeDirect writes a batch, and reports whether it is done with it. If not, it
// goes through the cache.
func (l *Log) writeDirect(parts [][]byte) (done bool, err error) {
	a := &l.active
	if err = l.ring.write(a.direct, a.size, parts); err == nil {
		return true, nil
	}
	l.leaveDirect()
	if failed := l.syncFile(); failed != nil {
		return true, l.fail(errors.Join(ioError("write", a.path, err), failed))
	}
	if vfs.RefusesDirect(err) {
		l.refuseDirect(err)
		return false, nil
	}
	return true, ioError("write", a.path, err)
}

// freeIdleTail gives the memory back if no large batch came since the last call.
func (l *Log) freeIdleTail() {
	l.write.Lock()
	defer l.write.Unlock()
	if l.direct.idle {
		l.leaveDirect()
		l.ring.release()
	}
	l.direct.idle = true
}
