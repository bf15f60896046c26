package seglog

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"sync"
	"sync/atomic"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/vfs"
)

// cursor reads through a buffer of its own: a read from the page cache costs less
// than the faults of a mapping, and a file that is cut by someone else is an
// error instead of a signal.
type cursor struct {
	log  *Log
	next nerve.ID // what Next delivers

	file   vfs.File
	seg    segment
	offset int64 // offset in the file of the batch that holds next

	memory []byte
	buf    []byte   // what was read of the file, in memory
	at     int64    // offset in the file of buf[0]
	upper  nerve.ID // up to here buf and seg were read when it was visible

	end     int64    // where the batches seemed to end, 0 if unknown
	raw     []byte   // body of a compressed batch
	ends    []uint32 // where the records of the batch end
	prevCRC uint32
	chained bool // prevCRC is that of the batch before offset

	mu     sync.Mutex // guards file against Close
	closed chan struct{}
	shut   atomic.Bool // closed is
}

// Read implements nerve.Log.
func (l *Log) Read(ctx context.Context, from nerve.ID) (nerve.Cursor, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if l.closed.Load() {
		return nil, nerve.ErrClosed
	}
	if l.options.ReadOnly {
		if err := l.refresh(); err != nil {
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
	return &cursor{log: l, next: from, closed: make(chan struct{})}, nil
}

// Next implements nerve.Cursor.
func (c *cursor) Next(ctx context.Context, b *nerve.Batch) error {
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	if c.shut.Load() || c.log.closed.Load() {
		return nerve.ErrClosed
	}
	for {
		if c.next > c.upper {
			if err := c.advance(ctx); err != nil {
				return err
			}
		}
		ok, err := c.parse(b)
		if err != nil || ok {
			return err
		}
	}
}

// Close implements nerve.Cursor.
func (c *cursor) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.shut.Swap(true) {
		return nerve.ErrClosed
	}
	close(c.closed)
	if c.file != nil {
		return c.file.Close()
	}
	return nil
}

// advance waits until next is visible and places the cursor on it.
func (c *cursor) advance(ctx context.Context) error {
	visible, err := c.wait(ctx)
	if err != nil {
		return err
	}
	if first := nerve.ID(c.log.low.Load()); c.next < first {
		return &nerve.TrimmedError{ID: c.next, First: first}
	}
	// The list is read after visible: if the last segment is not sealed in it,
	// everything visible then was written to that segment.
	seg, index, ok := c.log.segmentOf(c.next)
	upper := visible
	if ok && seg.sealed {
		upper = min(upper, seg.last)
	}
	if !ok || upper < c.next {
		return c.log.missing(c.next, seg, ok)
	}
	if c.file == nil || c.seg.first != seg.first {
		if err := c.enter(seg, index); err != nil {
			return err
		}
	}
	c.seg.sealed, c.seg.last = seg.sealed, seg.last
	c.upper = upper
	c.end = seg.size
	if !seg.sealed {
		c.end = c.log.tail.Load()
	}
	// What was read ahead may be from before the write.
	c.buf = c.buf[:0]
	return nil
}

// missing tells why no segment holds id although it is visible.
func (l *Log) missing(id nerve.ID, before segment, found bool) error {
	if first := nerve.ID(l.low.Load()); id < first {
		return &nerve.TrimmedError{ID: id, First: first}
	}
	err := &nerve.CorruptError{File: join(l.dir, segmentName(id)), First: id,
		Last: nerve.ID(l.visible.Load()), Reason: "the segment is missing"}
	if found {
		err.First = before.last + 1
	}
	l.mu.RLock()
	defer l.mu.RUnlock()
	for _, s := range l.segments {
		if s.first > id {
			err.Last = s.first - 1
			break
		}
	}
	return err
}

// wait returns the last visible id once that is next or later.
func (c *cursor) wait(ctx context.Context) (nerve.ID, error) {
	l := c.log
	for {
		if l.closed.Load() {
			return 0, nerve.ErrClosed
		}
		if v := nerve.ID(l.visible.Load()); v >= c.next {
			return v, nil
		}
		moved := l.movedChan()
		if nerve.ID(l.visible.Load()) >= c.next || l.closed.Load() {
			continue
		}
		if l.options.ReadOnly {
			if err := c.poll(ctx); err != nil {
				return 0, err
			}
			continue
		}
		select {
		case <-moved:
		case <-c.closed:
			return 0, nerve.ErrClosed
		case <-ctx.Done():
			return 0, context.Cause(ctx)
		}
	}
}

// poll waits a moment and looks what the writer in another process did.
func (c *cursor) poll(ctx context.Context) error {
	timer := time.NewTimer(pollEvery)
	defer timer.Stop()
	select {
	case <-timer.C:
		return c.log.refresh()
	case <-c.closed:
		return nerve.ErrClosed
	case <-c.log.done:
		return nerve.ErrClosed
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// enter opens a segment and finds the batch that holds next.
func (c *cursor) enter(seg segment, index []indexEntry) error {
	f, err := c.log.openRead(seg)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			if first := c.log.lowNow(); c.next < first {
				return &nerve.TrimmedError{ID: c.next, First: first}
			}
		}
		return ioError("open", seg.path, err)
	}
	offset, err := int64(segmentHeaderSize), error(nil)
	follows := c.next == seg.first && c.chained
	if c.next != seg.first {
		if seg.sealed {
			index = seg.readIndex(f)
		}
		offset, err = seg.locate(f, index, c.next)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err == nil && c.shut.Load() {
		err = nerve.ErrClosed
	}
	if err != nil {
		f.Close()
		return err
	}
	if c.file != nil {
		c.file.Close()
	}
	c.file, c.seg, c.offset, c.chained = f, seg, offset, follows
	c.buf = c.buf[:0]
	return nil
}

// locate returns the offset of the batch that holds id. Around damage it goes
// on with the next batch that is whole.
func (s *segment) locate(f vfs.File, index []indexEntry, id nerve.ID) (int64, error) {
	offset := int64(segmentHeaderSize)
	for _, e := range index {
		if e.first > id {
			break
		}
		offset = e.offset
	}
	for {
		holds := int64(-1)
		reached := s.first
		end, reason, err := s.walk(f, offset, func(at found) bool {
			reached = at.last() + 1
			if at.last() >= id {
				holds = at.offset
				return false
			}
			return true
		})
		if err != nil {
			return 0, ioError("read", s.path, err)
		}
		if holds >= 0 {
			return holds, nil
		}
		next, ok, err := s.nextBatch(f, end+1)
		if err != nil {
			return 0, ioError("read", s.path, err)
		}
		if !ok || next.first > id {
			damage := &nerve.CorruptError{File: s.path, Offset: end, First: max(reached, s.first),
				Last: s.last, Reason: reason}
			if ok {
				damage.Last = next.first - 1
			}
			return 0, damage
		}
		offset = next.offset
	}
}

// parse makes b a view of the batch at offset. It returns false if the cursor
// has to advance first.
func (c *cursor) parse(b *nerve.Batch) (bool, error) {
	head, err := c.need(batchHeaderSize, batchHeaderSize)
	if err != nil {
		return false, err
	}
	if headerSize(head[57]) > batchHeaderSize {
		if head, err = c.need(keyedHeaderSize, keyedHeaderSize); err != nil {
			return false, err
		}
	}
	var h batchHeader
	if reason := h.decode(c.seg.salt, head); reason != "" {
		return false, c.corrupt(reason)
	}
	switch {
	case h.first > c.next || h.last() < c.next:
		return false, c.corrupt("the batch is not the one that belongs here")
	case c.chained && h.prevCRC != c.prevCRC:
		return false, c.corrupt("the batch does not follow the one before")
	case h.kind == kindLost:
		return false, &nerve.LostError{First: h.first, Last: h.last()}
	}
	body, err := c.body(&h)
	if err != nil {
		return false, err
	}
	if h.codec != CompressNone {
		if c.raw, err = decompress(c.raw, body, h.codec, int(h.raw)); err != nil {
			return false, c.corrupt(err.Error())
		}
		body = c.raw
		c.ends = nerve.AppendEnds(c.ends[:0], body)
	}
	if len(c.ends) != int(h.count) || int(c.ends[h.count-1]) != len(body) {
		return false, c.corrupt("the record lengths do not add up to the batch")
	}
	b.View(h.first, h.unixNano, body, c.ends)
	b.DropBefore(c.next)
	c.offset += h.size() + int64(h.stored)
	c.next = h.last() + 1
	c.prevCRC, c.chained = h.crc, true
	c.log.counters.readRecords.Add(uint64(b.Len()))
	c.log.counters.readBytes.Add(uint64(b.Size()))
	return true, nil
}

// body reads and checks what follows header h, piece by piece, each as soon as
// it comes: it is in the nearest cache then. It leaves the ends of the records of
// a body that is not compressed in c.ends.
func (c *cursor) body(h *batchHeader) ([]byte, error) {
	head, size := int(h.size()), int(h.stored)
	c.ends = c.ends[:0]
	crc := c.seg.salt
	for done := 0; done < size; {
		upTo := min(size, done+checkPiece)
		p, err := c.need(head+upTo, head+size)
		if err != nil {
			return nil, err
		}
		crc = checksum(crc, p[head+done:])
		if h.codec == CompressNone {
			c.ends = nerve.AppendEnds(c.ends, p[head:min(len(p), head+h.records())])
		}
		done = upTo
	}
	if crc != h.bodyCRC {
		return nil, c.corrupt("the checksum of the batch is wrong")
	}
	return c.buf[c.offset-c.at:][head : head+h.records()], nil
}

// need returns n bytes of the file from offset on, the beginning of a batch of
// which batch bytes are known to come. What was read before is kept, so that no
// byte is read twice.
func (c *cursor) need(n, batch int) ([]byte, error) {
	var have []byte
	from := c.offset - c.at
	if from >= 0 && from <= int64(len(c.buf)) {
		have = c.buf[from:]
	}
	if len(have) >= n {
		return have[:n], nil
	}
	size := c.window(batch)
	if from != 0 || cap(have) < size {
		var err error
		if have, err = c.makeRoom(have, size, batch); err != nil {
			return nil, err
		}
	}
	kept := len(have)
	got, err := c.file.ReadAt(have[kept:max(n, min(size, kept+readChunk))], c.offset+int64(kept))
	have = have[:kept+got]
	c.buf = c.buf[:len(c.buf)+got]
	if len(have) >= n {
		return have[:n], nil
	}
	if err != nil && err != io.EOF {
		if c.log.closed.Load() || errors.Is(err, fs.ErrClosed) {
			return nil, nerve.ErrClosed
		}
		return nil, ioError("read", c.seg.path, err)
	}
	return nil, c.corrupt("the file ends inside the batch")
}

// makeRoom moves what is there of a batch to the front of the memory, which
// takes size bytes then, and returns it. What is read behind it will be aligned:
// the system copies to other addresses a quarter slower.
func (c *cursor) makeRoom(have []byte, size, batch int) ([]byte, error) {
	memory := c.memory
	if len(memory) < size+readAlign {
		// A header may claim more than the file has.
		end, err := c.file.Size()
		if err != nil {
			return nil, ioError("read", c.seg.path, err)
		}
		if c.offset+int64(batch) > end {
			return nil, c.corrupt("the file ends inside the batch")
		}
		memory = make([]byte, max(size, readChunk)+readAlign)
	}
	pad := -len(have) & (readAlign - 1)
	c.buf = memory[pad : pad+copy(memory[pad:], have)]
	c.memory, c.at = memory, c.offset
	return c.buf, nil
}

// window returns how much to have in the buffer for a batch of n bytes: small
// batches come by the chunk, a large one alone with the header that follows it,
// so that little is left over to be moved to the front for the next.
func (c *cursor) window(n int) int {
	size := n + batchHeaderSize
	if size < readChunk/4 {
		size = readChunk
	}
	// Behind the last batch there are zeros. The bound is a hint only: it is
	// that of a moment ago, or of the segment after this one.
	if end := c.end - c.offset; c.end > 0 && int64(size) > end {
		size = int(max(end, 0))
	}
	return max(size, n)
}

// corrupt describes damage at offset, with the range of records that are lost
// by it: up to the next whole batch.
func (c *cursor) corrupt(reason string) error {
	damage := &nerve.CorruptError{File: c.seg.path, Offset: c.offset, First: c.next, Last: c.upper,
		Reason: reason}
	for from := c.offset + 1; ; {
		next, ok, err := c.seg.nextBatch(c.file, from)
		if err != nil || !ok || next.first > c.upper {
			return damage
		}
		if next.first > c.next {
			damage.Last = next.first - 1
			return damage
		}
		from = next.offset + 1
	}
}
