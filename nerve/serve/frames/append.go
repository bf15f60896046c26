package frames

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/internal/wire"
	"github.com/octopus-framework/octopus/nerve/serve/core"
)

// smallFrame is up to where a connection keeps memory of its own for what it is
// sent. What is larger comes out of the budget of the server.
const smallFrame = 64 << 10

// large is memory for large appends. What is in use is bounded by the budget.
var large = sync.Pool{New: func() any { return new([]byte) }}

// pending is an append whose outcome the client is to get.
type pending struct {
	outcome
}

// append reads an append and hands it to the queue.
func (c *conn) append(h wire.Header, head *[wire.HeaderSize]byte) error {
	access := c.access.Load()
	if h.Size < wire.AppendHead {
		return &nerve.ProtocolError{Reason: "an append without its head"}
	}
	if err := access.Need(core.Append); err != nil { // before anything is taken for it
		return c.discard(h, err)
	}
	memory, release, err := c.memory(h.Size, smallFrame)
	if err != nil {
		return err
	}
	defer release()
	if _, err := io.ReadFull(c.in, memory); err != nil {
		return slow(err)
	}
	if err := h.Check(head, memory); err != nil {
		return err
	}
	f := wire.NewFields(memory)
	seq := f.Uint64()
	key := nerve.Key{Producer: f.Uint64(), Seq: f.Uint64()}
	o, found, lost := c.session.before(seq)
	if lost {
		o = outcome{seq: seq, err: &nerve.OutcomeError{Key: key,
			Cause: errors.New("it was repeated too late")}}
	}
	if !found && !lost {
		if o, err = c.commit(seq, key, f.Rest()); err != nil {
			return err
		}
		c.session.note(o)
	}
	select {
	case c.acks <- pending{o}:
		return nil
	case <-c.closed:
		return context.Cause(c.ctx)
	}
}

// commit hands packed records to the queue, which copies them.
func (c *conn) commit(seq uint64, key nerve.Key, packed []byte) (outcome, error) {
	c.ends = nerve.AppendEnds(c.ends[:0], packed)
	if n := len(c.ends); n == 0 && len(packed) > 0 || n > 0 && int(c.ends[n-1]) != len(packed) {
		return outcome{}, &nerve.ProtocolError{Reason: "the records of an append are not whole"}
	}
	var b nerve.Batch
	b.View(0, 0, packed, c.ends)
	b.Key = key
	if cap(c.ends) > smallFrame/4 {
		defer func() { c.ends = nil }()
	}
	h, err := c.access.Load().AppendAsync(c.ctx, &b)
	if err != nil && c.ctx.Err() != nil {
		return outcome{}, err
	}
	return outcome{seq: seq, handle: h, err: err}, nil
}

// discard reads over an append that is refused, and says so.
func (c *conn) discard(h wire.Header, reason error) error {
	var seq [8]byte
	if _, err := io.ReadFull(c.in, seq[:]); err != nil {
		return slow(err)
	}
	if _, err := io.CopyN(io.Discard, c.in, int64(h.Size-len(seq))); err != nil {
		return slow(err)
	}
	select {
	case c.acks <- pending{outcome{seq: wire.NewFields(seq[:]).Uint64(), err: reason}}:
		return nil
	case <-c.closed:
		return context.Cause(c.ctx)
	}
}

// memory returns n bytes, and what gives them back. Up to small they are the
// connection's own, good until the next frame.
func (c *conn) memory(n, small int) (b []byte, release func(), err error) {
	if n <= small {
		if cap(c.buf) < n {
			c.buf = make([]byte, n, max(n, min(smallFrame, 2*n)))
		}
		return c.buf[:n], func() {}, nil
	}
	give, err := c.server.root.Budget().Acquire(c.ctx, n)
	if err != nil {
		return nil, nil, err
	}
	c.await(n) // the time begins when there is room
	p := large.Get().(*[]byte)
	if cap(*p) < n {
		*p = make([]byte, n)
	}
	return (*p)[:n], func() { large.Put(p); give() }, nil
}

// answer sends the outcomes of appends in their order, and the bounds now and
// then, until the connection ends.
func (c *conn) answer() {
	tick := time.NewTicker(pushEvery)
	defer tick.Stop()
	var pushed [2]nerve.ID
	silent := time.Duration(0)
	for {
		select {
		case p := <-c.acks:
			if err := c.answerAll(p); err != nil {
				c.end(err)
				return
			}
			silent = 0
		case <-tick.C:
			first, last := c.access.Load().Bounds()
			silent += pushEvery
			if now := [2]nerve.ID{first, last}; now != pushed || silent >= pingEvery {
				pushed, silent = now, 0
				if err := c.send(wire.Bounds, 0, func(b []byte) []byte {
					return wire.AppendUints(b, uint64(first), uint64(last))
				}); err != nil {
					return
				}
			}
		case <-c.closed:
			return
		}
	}
}

// answerAll sends the outcome of p when there is one, and with it those that are
// known by then.
func (c *conn) answerAll(p pending) error {
	out := make([]byte, 0, 64)
	for more := true; more; {
		if !p.known() {
			if err := c.flush(&out); err != nil {
				return err
			}
			select {
			case <-p.handle.Done():
			case <-c.closed:
				return context.Cause(c.ctx)
			}
		}
		out = c.appendOutcome(out, p)
		select {
		case p = <-c.acks:
		default:
			more = false
		}
	}
	return c.flush(&out)
}

// known reports whether there is an outcome.
func (p pending) known() bool {
	if p.err != nil {
		return true
	}
	select {
	case <-p.handle.Done():
		return true
	default:
		return false
	}
}

// flush writes whole frames and empties out.
func (c *conn) flush(out *[]byte) error {
	if len(*out) == 0 {
		return nil
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	err := c.write(*out)
	*out = (*out)[:0]
	return err
}

func (c *conn) appendOutcome(out []byte, p pending) []byte {
	first, err := nerve.ID(0), p.err
	if err == nil {
		first, err = p.handle.Wait(c.ctx)
	}
	if err != nil {
		err = c.server.root.Public(err)
		return wire.AppendFrame(out, wire.Refused, 0, func(b []byte) []byte {
			return wire.AppendError(wire.AppendUints(b, p.seq), err)
		})
	}
	return wire.AppendFrame(out, wire.Appended, 0, func(b []byte) []byte {
		return wire.AppendUints(b, p.seq, uint64(first), uint64(p.handle.UnixNano()))
	})
}
