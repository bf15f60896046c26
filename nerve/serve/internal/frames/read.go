package frames

import (
	"context"
	"sync"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/internal/wire"
	"github.com/octopus-framework/octopus/nerve/serve/internal/core"
)

const (
	// maxCredit bounds what a client may let itself be sent without asking again.
	maxCredit = 64 << 20
	// directBatch is from where a batch is written from the memory of its cursor,
	// and not copied beside others.
	directBatch = 32 << 10
)

// stream is an open reader. What it was not given credit for is not sent: then it
// holds no memory but that of its cursor.
type stream struct {
	conn   *conn
	id     uint16
	access *core.Access
	next   nerve.ID
	ctx    context.Context
	cancel context.CancelFunc

	mu     sync.Mutex
	credit int64 // bytes of payload; the last frame may go below zero
	more   chan struct{}
}

// read opens a reader: the payload is its first id and its credit.
func (c *conn) read(id uint16, payload []byte) error {
	f := wire.NewFields(payload)
	from, credit := nerve.ID(f.Uint64()), f.Uint64()
	if err := f.Err(wire.Read); err != nil {
		return err
	}
	c.mu.Lock()
	_, used := c.streams[id]
	full := len(c.streams) >= maxStreams
	c.mu.Unlock()
	if used {
		return &nerve.ProtocolError{Reason: "a stream is opened twice"}
	}
	if full {
		c.server.root.Metrics.RefusedByLimits.Add(1)
		return c.sendError(id, &nerve.BusyError{What: "readers of a connection", Limit: maxStreams})
	}
	access := c.access.Load()
	cur, err := access.Read(c.ctx, from)
	if err != nil {
		return c.sendError(id, err)
	}
	s := &stream{
		conn: c, id: id, access: access, next: from,
		credit: int64(min(credit, maxCredit)), more: make(chan struct{}, 1),
	}
	s.ctx, s.cancel = context.WithCancel(c.ctx)
	c.mu.Lock()
	c.streams[id] = s
	c.mu.Unlock()
	if err := c.send(wire.Answer, id, nil); err != nil {
		cur.Close()
		return err
	}
	c.start(func() error { return s.run(cur) })
	return nil
}

// credit adds to that of a stream. One that ended meanwhile needs none.
func (c *conn) credit(id uint16, payload []byte) error {
	f := wire.NewFields(payload)
	n := f.Uint64()
	if err := f.Err(wire.Credit); err != nil {
		return err
	}
	c.mu.Lock()
	s := c.streams[id]
	c.mu.Unlock()
	if s == nil {
		return nil
	}
	s.mu.Lock()
	s.credit = min(s.credit+int64(min(n, maxCredit)), maxCredit)
	s.mu.Unlock()
	select {
	case s.more <- struct{}{}:
	default:
	}
	return nil
}

// stop ends a stream for the client, who may use its number again at once.
func (c *conn) stop(id uint16) {
	c.mu.Lock()
	s := c.streams[id]
	delete(c.streams, id)
	c.mu.Unlock()
	if s != nil {
		s.cancel()
	}
}

// run sends batches until the stream is stopped or fails. Its error is one of the
// connection.
func (s *stream) run(cur nerve.Cursor) error {
	defer s.cancel()
	err := s.sendAll(cur)
	c := s.conn
	c.mu.Lock()
	mine := c.streams[s.id] == s
	if mine {
		delete(c.streams, s.id)
	}
	c.mu.Unlock()
	if mine && c.ctx.Err() == nil {
		return c.sendError(s.id, err) // under the number, which is free after it
	}
	return nil
}

// sendAll sends batches, and closes the cursor.
func (s *stream) sendAll(cur nerve.Cursor) error {
	defer cur.Close()
	var b nerve.Batch
	var out []byte
	for {
		if err := s.waitCredit(); err != nil {
			return err
		}
		if err := cur.Next(s.ctx, &b); err != nil {
			return err
		}
		out = s.begin(out[:0])
		if b.Size() >= directBatch {
			if err := s.sendDirect(out, &b); err != nil {
				return err
			}
			continue
		}
		out = s.add(out, &b)
		err := s.fill(cur, &b, &out)
		wire.Finish(out, 0, wire.Batch, s.id)
		if sendErr := s.write(out, nil); sendErr != nil {
			return sendErr
		}
		if err != nil {
			return err
		}
	}
}

// fill adds the batches that are there already, until the frame is full.
func (s *stream) fill(cur nerve.Cursor, b *nerve.Batch, out *[]byte) error {
	for len(*out) < wire.FillBatch {
		if _, last := s.access.Bounds(); s.next > last {
			return nil
		}
		if err := cur.Next(s.ctx, b); err != nil {
			return err
		}
		*out = s.add(*out, b)
	}
	return nil
}

// begin begins a frame.
func (s *stream) begin(out []byte) []byte {
	first, last := s.access.Bounds()
	return wire.AppendUints(wire.Begin(out), uint64(first), uint64(last))
}

func (s *stream) addHead(out []byte, b *nerve.Batch) []byte {
	s.next = b.Last() + 1
	return wire.AppendUints(out, uint64(b.First), uint64(b.UnixNano), uint64(b.Size()))
}

func (s *stream) add(out []byte, b *nerve.Batch) []byte {
	return append(s.addHead(out, b), b.Packed()...)
}

// sendDirect sends a batch from the memory of the cursor.
func (s *stream) sendDirect(out []byte, b *nerve.Batch) error {
	out = s.addHead(out, b)
	packed := b.Packed()
	wire.FinishParts(out, wire.Batch, s.id, packed)
	return s.write(out, packed)
}

// write writes a frame in one or two parts and takes its credit.
func (s *stream) write(head, rest []byte) error {
	c := s.conn
	s.mu.Lock()
	s.credit -= int64(len(head) + len(rest) - wire.HeaderSize)
	s.mu.Unlock()
	c.writing.Lock()
	defer c.writing.Unlock()
	if s.ctx.Err() != nil { // stopped: the number may be another stream's now
		return context.Cause(s.ctx)
	}
	if rest == nil {
		return c.write(head)
	}
	return c.write(head, rest)
}

// waitCredit returns when there is credit.
func (s *stream) waitCredit() error {
	for stalled := false; ; stalled = true {
		s.mu.Lock()
		has := s.credit > 0
		s.mu.Unlock()
		if has {
			return nil
		}
		if !stalled {
			s.conn.server.root.Metrics.StalledReaders.Add(1)
		}
		select {
		case <-s.more:
		case <-s.ctx.Done():
			return context.Cause(s.ctx)
		}
	}
}
