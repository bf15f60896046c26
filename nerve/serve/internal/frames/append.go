package frames

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/internal/wire"
	"github.com/octopus-framework/octopus/nerve/serve/internal/core"
)

// pending is an append whose outcome the client is to get.
type pending struct {
	outcome
}

// append reads an append and hands it to the queue.
func (c *conn) append(h wire.Header, head *[wire.HeaderSize]byte) error {
	access := c.access.Load()
	if h.Type == wire.Append && h.Size < wire.AppendHead || h.Size < wire.OnceHead {
		return &nerve.ProtocolError{Reason: "an append without its head"}
	}
	if err := access.Need(core.Append); err != nil { // before anything is taken for it
		return c.discard(h, err)
	}
	o, err := c.outcomeOf(h, head)
	if err != nil {
		return err
	}
	select {
	case c.acks <- pending{o}:
		return nil
	case <-c.closed:
		return context.Cause(c.ctx)
	}
}

// outcomeOf reads an append and hands it to the queue, unless it came before. The
// memory for it is given back before the client is sent anything.
func (c *conn) outcomeOf(h wire.Header, head *[wire.HeaderSize]byte) (o outcome, err error) {
	memory, release, err := c.receive(h, head, smallFrame)
	if err != nil {
		return o, err
	}
	defer release()
	f := wire.NewFields(memory)
	seq := f.Uint64()
	var key nerve.Key
	var parts []nerve.Part
	if h.Type == wire.Append {
		key = nerve.Key{Producer: f.Uint64(), Seq: f.Uint64()}
	} else if parts = c.ownIDs(f.Parts()); len(parts) == 0 {
		return o, &nerve.ProtocolError{Reason: "an append with ids without them"}
	}
	if seq == 0 {
		return o, errNoSequence
	}
	o, found, lost := c.session.before(seq)
	switch {
	case found:
		return o, nil
	case lost:
		return outcome{seq: seq, err: &nerve.OutcomeError{Key: key,
			Cause: errors.New("it was repeated too late")}}, nil
	}
	if o, err = c.commit(seq, key, parts, f.Rest()); err == nil {
		c.session.note(o)
	}
	return o, err
}

// commit hands packed records to the queue, which copies them.
func (c *conn) commit(
	seq uint64, key nerve.Key, parts []nerve.Part, packed []byte,
) (outcome, error) {
	c.ends = nerve.AppendEnds(c.ends[:0], packed)
	if n := len(c.ends); n == 0 && len(packed) > 0 || n > 0 && int(c.ends[n-1]) != len(packed) {
		return outcome{}, &nerve.ProtocolError{Reason: "the records of an append are not whole"}
	}
	var b nerve.Batch
	b.View(0, 0, packed, c.ends)
	b.Key = key
	b.SetParts(parts)
	if cap(c.ends) > smallFrame/4 {
		defer func() { c.ends = nil }()
	}
	h, err := c.access.Load().AppendAsync(c.ctx, &b)
	if err != nil && c.ctx.Err() != nil {
		return outcome{}, err
	}
	return outcome{seq: seq, handle: h, err: err}, nil
}

// ownIDs makes the ids of a client those of its principal: who has another name
// cannot take an id before somebody else comes with it.
func (c *conn) ownIDs(parts []nerve.Part) []nerve.Part {
	if name := c.principal.Name(); name != "" {
		for i := range parts {
			if parts[i].ID != (nerve.DedupID{}) { // which is refused
				parts[i].ID = nerve.DedupIDOf([]byte(name), parts[i].ID[:])
			}
		}
	}
	return parts
}

// errNoSequence refuses an append whose number no session remembers: they begin with 1.
var errNoSequence = &nerve.ProtocolError{Reason: "an append with sequence 0"}

// discard reads over an append that is refused, and says so.
func (c *conn) discard(h wire.Header, reason error) error {
	var seq [8]byte
	if _, err := io.ReadFull(c.in, seq[:]); err != nil {
		return slow(err)
	}
	if seq == [8]byte{} {
		return errNoSequence
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

// answer sends the outcomes of appends in their order, and the bounds now and
// then, until the connection ends.
func (c *conn) answer() error {
	tick := time.NewTicker(pushEvery)
	defer tick.Stop()
	var pushed [2]nerve.ID
	silent := time.Duration(0)
	for {
		select {
		case p := <-c.acks:
			if err := c.answerAll(p); err != nil {
				return err
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
					return err
				}
			}
		case <-c.closed:
			return nil
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
	if parts := p.handle.Parts(); len(parts) > 0 {
		return wire.AppendFrame(out, wire.AppendedOnce, 0, func(b []byte) []byte {
			base, nano := p.handle.At(firstNew(parts))
			return wire.AppendRepeated(wire.AppendUints(b, p.seq, uint64(base), uint64(nano)),
				parts)
		})
	}
	return wire.AppendFrame(out, wire.Appended, 0, func(b []byte) []byte {
		return wire.AppendUints(b, p.seq, uint64(first), uint64(p.handle.UnixNano()))
	})
}

// firstNew returns the first record that was not there before; if all of them were it
// may be one that does not exist.
func firstNew(parts []nerve.Part) int {
	at := 0
	for _, p := range parts {
		if p.Start > at || !p.Repeated {
			break
		}
		at = p.End
	}
	return at
}
