package remote

import (
	"context"
	"errors"
	"io"
	"sync"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/internal/wire"
)

// spareFrames is how many buffers a cursor keeps for frames to come.
const spareFrames = 8

// cursor is a reader on the server. What came and was not taken lies in queue;
// the server sends no more than the cursor gave it credit for.
type cursor struct {
	log    *Log
	next   nerve.ID // what Next delivers
	frame  []byte   // the batches of a frame that are not delivered yet
	whole  []byte   // the memory of frame
	taken  int      // bytes of frames that were taken since the last credit
	ends   []uint32
	link   *link // where the stream is, nil for none
	stream uint16

	once   sync.Once
	closed chan struct{}

	mu    sync.Mutex
	on    *link    // the link with the frames in queue
	queue [][]byte // payloads behind their head
	left  int      // bytes that the server may send; its last frame may go below zero
	spare [][]byte
	over  bool // the stream ended with err
	err   error
	more  chan struct{} // a signal that queue or over changed
}

// Read implements nerve.Log.
func (l *Log) Read(ctx context.Context, from nerve.ID) (nerve.Cursor, error) {
	if err := l.check(ctx, false); err != nil {
		return nil, err
	}
	c := &cursor{log: l, next: from, closed: make(chan struct{}), more: make(chan struct{}, 1)}
	if err := c.open(ctx); err != nil {
		return nil, err
	}
	return c, nil
}

// open begins a stream at next, over as many connections as it takes.
func (c *cursor) open(ctx context.Context) error {
	payload := wire.AppendUints(nil, uint64(c.next), uint64(c.log.options.Window))
	for {
		k, err := c.log.current(ctx, "read")
		if err != nil {
			return err
		}
		c.mu.Lock()
		c.on, c.queue, c.over, c.err = k, nil, false, nil
		c.left = c.log.options.Window
		c.mu.Unlock()
		w := &waiter{cursor: c}
		id, err := k.ask(ctx, wire.Read, w, payload)
		switch {
		case errors.Is(err, errLost):
			c.log.detach(k)
			continue
		case err != nil:
			if ctx.Err() != nil && id != 0 {
				k.stop(id) // it may be open by now
			}
			return err
		}
		c.link, c.stream, c.taken = k, id, 0
		return nil
	}
}

// stop ends a stream.
func (k *link) stop(id uint16) {
	k.mu.Lock()
	delete(k.readers, id)
	ended := k.err != nil
	k.mu.Unlock()
	if !ended {
		_ = k.write(wire.AppendFrame(nil, wire.Stop, id, nil))
	}
}

// batches reads a frame of records into memory of its cursor.
func (k *link) batches(h wire.Header, head *[wire.HeaderSize]byte) error {
	k.mu.Lock()
	c := k.readers[h.Stream]
	k.mu.Unlock()
	if h.Size < wire.BatchesHead {
		return &nerve.ProtocolError{Reason: "a frame of batches is too short"}
	}
	var payload []byte
	if c != nil {
		if !c.expects(k, h.Size) {
			return &nerve.ProtocolError{Reason: "the server sends more than it was given credit for"}
		}
		payload = c.memory(h.Size)
	} else { // of a cursor that was closed
		payload = make([]byte, h.Size)
	}
	if _, err := io.ReadFull(k.in, payload); err != nil {
		return err
	}
	if err := h.Check(head, payload); err != nil {
		return err
	}
	f := wire.NewFields(payload[:wire.BatchesHead])
	k.log.note(nerve.ID(f.Uint64()), nerve.ID(f.Uint64()))
	if c != nil {
		c.arrived(k, payload)
	}
	return nil
}

// expects takes the credit for a frame of n bytes that begins to come over k, and reports whether
// there was some. Without it a server decides how much memory a reader takes that does not read.
func (c *cursor) expects(k *link, n int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.on != k {
		return true // arrived drops it
	}
	had := c.left > 0
	c.left -= n
	return had
}

// memory returns n bytes.
func (c *cursor) memory(n int) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := len(c.spare) - 1; i >= 0; i-- {
		if b := c.spare[i]; cap(b) >= n {
			c.spare = append(c.spare[:i], c.spare[i+1:]...)
			return b[:n]
		}
	}
	return make([]byte, n)
}

// arrived takes a frame that came over k.
func (c *cursor) arrived(k *link, payload []byte) {
	c.mu.Lock()
	if c.on == k {
		c.queue = append(c.queue, payload)
	}
	c.mu.Unlock()
	c.signal()
}

// ended notes that the server ended the stream.
func (c *cursor) ended(k *link, err error) {
	c.mu.Lock()
	if c.on == k {
		c.over, c.err = true, err
	}
	c.mu.Unlock()
	c.signal()
}

func (c *cursor) signal() {
	select {
	case c.more <- struct{}{}:
	default:
	}
}

// Next implements nerve.Cursor.
func (c *cursor) Next(ctx context.Context, b *nerve.Batch) error {
	for {
		if err := c.check(ctx); err != nil {
			return err
		}
		if len(c.frame) > 0 {
			return c.yield(b)
		}
		if err := c.credit(); err != nil {
			return err
		}
		if err := c.wait(ctx); err != nil {
			return err
		}
	}
}

func (c *cursor) check(ctx context.Context) error {
	select {
	case <-c.closed:
		return nerve.ErrClosed
	default:
	}
	if err := c.log.check(ctx, false); err != nil {
		return err
	}
	// What was sent ahead may have been trimmed since.
	if first, _ := c.log.Bounds(); c.next < first {
		return &nerve.TrimmedError{ID: c.next, First: first}
	}
	return nil
}

// wait makes the next frame the one to deliver. It may return without one.
func (c *cursor) wait(ctx context.Context) error {
	if c.link == nil {
		return c.open(ctx)
	}
	c.mu.Lock()
	if c.whole != nil && len(c.spare) < spareFrames {
		c.spare = append(c.spare, c.whole)
		c.whole = nil
	}
	if len(c.queue) > 0 {
		c.whole = c.queue[0]
		c.frame = c.whole[wire.BatchesHead:]
		c.taken += len(c.whole)
		c.queue = c.queue[1:]
		c.mu.Unlock()
		return nil
	}
	over, err := c.over, c.err
	c.mu.Unlock()
	if over {
		c.link = nil
		if err == nil || errors.Is(err, nerve.ErrClosed) {
			return nil // the server is being stopped: begin again where it goes on
		}
		return err
	}
	select {
	case <-c.more:
	case <-c.link.ended:
		c.mu.Lock()
		left := len(c.queue) > 0
		c.mu.Unlock()
		if !left {
			c.link = nil
		}
	case <-c.closed:
	case <-c.log.stop:
	case <-ctx.Done():
	}
	return nil
}

// yield makes b a view of the next batch of the frame.
func (c *cursor) yield(b *nerve.Batch) error {
	f := wire.NewFields(c.frame)
	first, nano, size := nerve.ID(f.Uint64()), f.Int64(), f.Uint64()
	if len(c.frame) < wire.BatchHead || size > uint64(len(c.frame)-wire.BatchHead) {
		return c.broken("a batch is longer than its frame")
	}
	packed := c.frame[wire.BatchHead : wire.BatchHead+size]
	c.ends = nerve.AppendEnds(c.ends[:0], packed)
	n := len(c.ends)
	switch {
	case n == 0 || int(c.ends[n-1]) != len(packed):
		return c.broken("the records of a batch are not whole")
	case first != c.next:
		return c.broken("a batch is not the one that comes next")
	}
	b.View(first, nano, packed, c.ends)
	c.next = b.Last() + 1
	c.frame = c.frame[wire.BatchHead+size:]
	return nil
}

// broken ends the connection that brought nonsense; Next begins again.
func (c *cursor) broken(reason string) error {
	err := &nerve.ProtocolError{Reason: reason}
	c.frame = nil
	if c.link != nil {
		c.link.fail(err)
		c.link = nil
	}
	return err
}

// credit gives the server credit for what was delivered, when it is worth a frame.
func (c *cursor) credit() error {
	if c.link == nil || c.taken < c.log.options.Window/4 {
		return nil
	}
	n := c.taken
	c.taken = 0
	c.mu.Lock()
	c.left += n
	c.mu.Unlock()
	frame := wire.AppendFrame(nil, wire.Credit, c.stream, func(b []byte) []byte {
		return wire.AppendUints(b, uint64(n))
	})
	_ = c.link.write(frame) // a connection that is lost needs no credit
	return nil
}

// Close implements nerve.Cursor.
func (c *cursor) Close() error {
	err := nerve.ErrClosed
	c.once.Do(func() {
		close(c.closed)
		err = nil
		c.mu.Lock()
		k := c.on
		c.mu.Unlock()
		if k != nil {
			k.leave(c)
		}
	})
	return err
}

// leave ends the stream of a cursor.
func (k *link) leave(c *cursor) {
	k.mu.Lock()
	id := uint16(0)
	for at, reader := range k.readers {
		if reader == c {
			id = at
		}
	}
	k.mu.Unlock()
	if id != 0 {
		k.stop(id)
	}
}
