package seglog

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/octopus-framework/octopus/nerve"
)

// Append implements nerve.Log. An append that failed with an IOError is undone;
// only a power cut before the next durable append may bring it back, whole.
// After a FailedError it may be found, whole, when the log is opened again.
func (l *Log) Append(ctx context.Context, b *nerve.Batch) (nerve.ID, error) {
	if err := l.writable(ctx); err != nil {
		return 0, err
	}
	if err := l.Limits().Check(b); err != nil {
		return 0, err
	}
	l.write.Lock()
	defer l.write.Unlock()
	if l.closed.Load() {
		return 0, nerve.ErrClosed
	}
	if failed := l.failed.Load(); failed != nil {
		return 0, failed
	}
	first := nerve.ID(l.visible.Load()) + 1
	if b.Len() == 0 {
		return first, nil
	}
	if b.Key != (nerve.Key{}) {
		before, err := l.repeated(b)
		if err != nil {
			return 0, err
		}
		if before.First > 0 {
			b.First, b.UnixNano = before.First, before.UnixNano
			return b.First, nil
		}
	}
	now := max(time.Now().UnixNano(), l.lastNano)
	if len(b.Parts()) > 0 {
		return l.appendParts(b, first, now)
	}
	return first, l.appendAt(b, first, now)
}

// appendParts stores what is new of a batch with ids.
func (l *Log) appendParts(b *nerve.Batch, first nerve.ID, now int64) (nerve.ID, error) {
	if err := l.reachVersion(idsVersion); err != nil {
		return 0, err
	}
	rest := l.known.Sift(b, now)
	if rest.Len() > 0 {
		if err := l.appendAt(rest, first, now); err != nil {
			return 0, err
		}
	}
	b.Place(rest)
	l.known.AddParts(b)
	return b.First, nil
}

// appendAt stores the records of b and counts them.
func (l *Log) appendAt(b *nerve.Batch, first nerve.ID, now int64) error {
	err := l.checkRoom(b)
	if err == nil {
		err = l.appendBody(b, first, now)
	}
	if err != nil {
		l.counters.appendErrors.Add(1)
		return err
	}
	b.First, b.UnixNano = first, now
	l.counters.appends.Add(1)
	l.counters.appendedRecords.Add(uint64(b.Len()))
	l.counters.appendedBytes.Add(uint64(b.Size()))
	return nil
}

// checkRoom returns a FullError if the log would be larger than it may be with b.
func (l *Log) checkRoom(b *nerve.Batch) error {
	limit := l.options.MaxBytes
	if limit <= 0 {
		return nil
	}
	if size := l.Bytes() + keyedHeaderSize + int64(b.Size()); size > limit {
		l.wakeRetention() // consumers may hold less than when it looked last
		return &nerve.FullError{What: "log", Size: size, Limit: limit}
	}
	return nil
}

func (l *Log) appendBody(b *nerve.Batch, first nerve.ID, now int64) error {
	body, codec := l.pack.compress(b.Packed())
	kind := uint8(kindRecords)
	if b.Key != (nerve.Key{}) {
		kind = kindKeyed
	}
	l.ids = appendParts(l.ids[:0], b.Parts())
	if len(l.ids) > 0 {
		kind = kindIDs
	}
	stored := len(body) + len(l.ids)
	if err := l.makeRoom(headerSize(kind)+int64(stored), first); err != nil {
		return err
	}
	a := &l.active
	h := batchHeader{
		bodyCRC:  checksum(checksum(a.salt, body), l.ids),
		first:    first,
		unixNano: now,
		synced:   nerve.ID(l.synced.Load()),
		prevCRC:  a.prevCRC,
		count:    uint32(b.Len()),
		stored:   uint32(stored),
		raw:      uint32(b.Size()),
		codec:    codec,
		kind:     kind,
		key:      b.Key,
		parts:    uint32(len(b.Parts())),
	}
	if err := l.writeBatch(h.encode(a.salt, &l.head), body, l.ids, b.NoSync); err != nil {
		return err
	}
	last := h.last()
	if l.options.Durability == SyncAlways && !b.NoSync {
		if err := l.syncFile(); err != nil {
			return l.fail(err)
		}
		l.synced.Store(uint64(last))
	}
	if a.isDirect {
		l.ring.publish(a.size + h.size() + int64(h.stored))
		l.counters.directAppends.Add(1)
	}
	l.noteBatch(&h, a.size)
	l.visible.Store(uint64(last))
	if kind == kindKeyed {
		l.keys.Add(h.appended())
	}
	// A mark that cannot be written stops the log, but this batch is as durable
	// as the mode promises.
	_ = l.saveMark(false)
	l.wake()
	l.prepareSpare()
	return nil
}

// noteBatch moves the active segment past a batch at offset.
func (l *Log) noteBatch(h *batchHeader, offset int64) {
	a := &l.active
	if a.indexed == 0 || offset-a.indexed >= indexSpacing {
		a.indexed = offset
		l.mu.Lock()
		l.index = append(l.index, indexEntry{first: h.first, unixNano: h.unixNano, offset: offset})
		l.mu.Unlock()
	}
	a.size = offset + h.size() + int64(h.stored)
	l.tail.Store(a.size)
	a.last, a.lastNano = h.last(), h.unixNano
	a.prevCRC = h.crc
	l.lastNano = h.unixNano
}

// writeBatch writes at the end of the active segment, and takes back what was
// written when that fails.
func (l *Log) writeBatch(head, body, ids []byte, noSync bool) error {
	a := &l.active
	defer clear(l.parts[:])
	l.parts = [...][]byte{head, body, ids, nil}
	size := int64(len(head) + len(body) + len(ids))
	done, err := false, error(nil)
	if noSync {
		l.leaveDirect() // a direct write would have to be synced
	} else {
		done, err = l.goesDirect(size)
	}
	if done {
		done, err = l.writeDirect(l.parts[:3])
	}
	if !done && err == nil {
		l.parts[3] = a.padding(size)
		a.dirty = true
		_, err = a.file.WriteVecAt(l.parts[:], a.size)
	}
	if err == nil || l.failed.Load() != nil {
		return err
	}
	a.dirty = true
	err = ioError("write", a.path, err)
	if _, undo := a.file.WriteAt(make([]byte, batchHeaderSize), a.size); undo == nil {
		return err
	}
	// Without room to overwrite in place, cutting needs none.
	if undo := a.file.Truncate(a.size); undo != nil {
		return l.fail(errors.Join(err, undo))
	}
	a.prepared = false
	return err
}

// pageSize is the unit of the caches of most systems.
const pageSize = 4 << 10

var noBytes [pageSize]byte

// padding returns the zeros behind n bytes at the end of the segment that fill
// their last page. The file has zeros there already, but they may not be in
// memory, and the system would read them first to write a part of the page.
func (a *active) padding(n int64) []byte {
	end := a.size + n
	to := (end + pageSize - 1) &^ (pageSize - 1)
	if to > a.allocated {
		return nil // not in the file for certain
	}
	return noBytes[:to-end]
}

// limitBehind is how large a segment may become that follows one of size bytes;
// 0 for none. The first are small, so that a queue of little data takes little
// space, and each may be growth times as large as the one before.
func (l *Log) limitBehind(size int64) int64 {
	return min(l.options.SegmentSize, max(l.options.firstSegment, blockEnd(growth*size)))
}

const (
	firstSegment = 1 << 20
	growth       = 4
)

// footerRoom is how many bytes the index and trailer of a segment of that size
// can take.
func footerRoom(segmentSize int64) int64 {
	return (segmentSize/indexSpacing+2)*indexEntrySize + trailerSize
}

// makeRoom sees to it that the active segment takes need more bytes, beginning
// with record first.
func (l *Log) makeRoom(need int64, first nerve.ID) error {
	a := &l.active
	fits := a.size+need+footerRoom(a.limit) <= a.limit
	if a.file == nil || a.size > segmentHeaderSize && !fits {
		return l.roll(first, need)
	}
	if a.prepared {
		return nil
	}
	// The segment was closed with a footer, or cut back. Both end here.
	a.dirty = true
	if err := a.file.Truncate(a.size); err != nil {
		return ioError("truncate", a.path, err)
	}
	a.sealed = false
	l.replaceLast(a.segment)
	a.allocated = capacity(a.limit, a.size+need)
	if err := a.file.Allocate(a.allocated); err != nil {
		return ioError("allocate", a.path, err)
	}
	a.prepared = true
	return nil
}

// capacity is the size of the file of a segment with this limit that must take
// end bytes of data.
func capacity(limit, end int64) int64 {
	return blockEnd(max(limit, end+footerRoom(end)))
}

// roll closes the active segment and begins the one of record first, with room
// for need bytes. The new file is complete before it has its name, and the old
// one is durable before that, so a segment with a successor is always whole.
func (l *Log) roll(first nerve.ID, need int64) error {
	next, err := l.createSegment(first, l.active.prevCRC, need)
	if err != nil {
		return err
	}
	temp := next.path + tempSuffix
	abandon := func(err error) error {
		return errors.Join(err, next.file.Close(), l.disk.Remove(temp))
	}
	if l.active.file != nil {
		if err := l.sealActive(); err != nil {
			return abandon(err)
		}
		// Before the segment has a successor: after a crash the keys of the
		// last one alone are read.
		if l.state.current().version >= keyedVersion {
			if err := l.saveKeys(); err != nil {
				return abandon(err)
			}
		}
	}
	// It is opened before anything in it changes: without a descriptor for it the
	// append can be tried again.
	folder, err := l.disk.OpenDir(l.dir)
	if err != nil {
		return abandon(ioError("open", l.dir, err))
	}
	defer folder.Close()
	if err := l.disk.Rename(temp, next.path); err != nil {
		return abandon(ioError("rename", temp, err))
	}
	if err := folder.Sync(); err != nil {
		next.file.Close()
		return l.fail(ioError("sync", l.dir, err))
	}
	if l.active.file != nil {
		// Everything in it is synced; a close has nothing left to fail at.
		l.active.close()
	}
	l.active = next
	l.tail.Store(next.size)
	l.mu.Lock()
	l.segments = append(slices.Clone(l.segments), next.segment)
	l.index = nil
	l.mu.Unlock()
	l.counters.rolls.Add(1)
	l.wakeRetention()
	return nil
}

// createSegment makes the file of a new segment under a temporary name.
func (l *Log) createSegment(first nerve.ID, prevCRC uint32, need int64) (active, error) {
	logID := l.state.current().logID
	s := segment{
		first: first, last: first - 1,
		path:     join(l.dir, segmentName(first)),
		salt:     saltOf(logID, first),
		size:     segmentHeaderSize,
		lastNano: l.lastNano,
	}
	temp := s.path + tempSuffix
	limit := l.limitBehind(l.active.size)
	size := capacity(limit, segmentHeaderSize+need)
	f := l.takeSpare(temp, size)
	if f == nil {
		var err error
		if f, err = l.disk.Create(temp); err != nil {
			return active{}, ioError("create", temp, err)
		}
	}
	header := segmentHeader{logID: logID, first: first, prevCRC: prevCRC,
		created: time.Now().UnixNano()}
	err := f.Allocate(size)
	if err == nil {
		page := append(header.encode(), noBytes[segmentHeaderSize:]...)
		if _, err = f.WriteAt(page, 0); err == nil {
			err = f.Sync()
		}
	}
	if err != nil {
		return active{}, errors.Join(ioError("create", temp, err), f.Close(), l.disk.Remove(temp))
	}
	return active{segment: s, file: f, prepared: true, limit: limit, allocated: size,
		prevCRC: prevCRC}, nil
}

// sealActive writes the footer of the active segment, cuts the file behind it
// and syncs. It may be repeated, and the segment may be appended to again.
func (l *Log) sealActive() error {
	// A footer vouches for the batches before it, so they go first: of two
	// unsynced writes the disk may keep the second alone.
	if err := l.syncActive(); err != nil {
		return err
	}
	a := &l.active
	t := trailer{first: a.first, last: a.last, lastNano: a.lastNano, dataEnd: a.size,
		lastCRC: a.prevCRC}
	footer := encodeFooter(a.salt, l.index, t)
	a.prepared, a.isDirect, a.dirty = false, false, true
	if _, err := a.file.WriteAt(footer, a.size); err != nil {
		return ioError("write", a.path, err)
	}
	if err := a.file.Truncate(a.size + int64(len(footer))); err != nil {
		return ioError("truncate", a.path, err)
	}
	if err := l.syncFile(); err != nil {
		return l.fail(err)
	}
	l.synced.Store(l.visible.Load())
	a.sealed, a.lastCRC = true, a.prevCRC
	l.replaceLast(a.segment)
	return nil
}

// syncFile makes all that was written to the active segment durable.
func (l *Log) syncFile() error {
	l.counters.syncs.Add(1)
	if err := l.active.file.Sync(); err != nil {
		return ioError("sync", l.active.path, err)
	}
	l.active.dirty = false
	return nil
}

// replaceLast updates the last entry of the list of segments.
func (l *Log) replaceLast(s segment) {
	l.mu.Lock()
	list := slices.Clone(l.segments)
	list[len(list)-1] = s
	l.segments = list
	l.mu.Unlock()
}
