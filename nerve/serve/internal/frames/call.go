package frames

import (
	"bytes"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/internal/wire"
	"github.com/octopus-framework/octopus/nerve/serve/internal/core"
)

// smallCall is up to where the payload of a call is no matter of the budget.
const smallCall = 4 << 10

// call is a request that has one answer. Those of a connection are done one after
// the other.
type call struct {
	stream  uint16
	payload []byte
	release func()
}

// accept reads a call and hands it to the goroutine for them. When too many wait
// it waits, and so does the client. A large one is read when no other waits: its
// memory is not for a client to keep who does not take his answers.
func (c *conn) accept(h wire.Header, head *[wire.HeaderSize]byte) error {
	if h.Size > smallCall {
		c.calling.Wait()
	}
	payload, release, err := c.receive(h, head, smallCall)
	if err != nil {
		return err
	}
	if h.Size <= smallCall {
		payload = bytes.Clone(payload)
	}
	if c.calls == nil {
		c.calls = make(chan call, maxCalls)
		c.start(c.doAll)
	}
	c.calling.Add(1)
	select {
	case c.calls <- call{h.Stream, payload, release}:
	case <-c.closed:
		release()
		c.calling.Done()
	}
	return nil
}

// doAll makes the calls that were accepted, until there are no more.
func (c *conn) doAll() error {
	for call := range c.calls {
		if err := c.guard(func() error { return c.do(call) }); err != nil {
			c.end(err) // and goes on, to release what waits
		}
		call.release()
		c.calling.Done()
	}
	return nil
}

// do makes a call and answers it. The error is one of the connection.
func (c *conn) do(call call) error {
	if c.ctx.Err() != nil {
		return nil // nobody would get the answer
	}
	f := wire.NewFields(call.payload)
	code := wire.CallCode(f.Uint16())
	if code == wire.CallTake { // others need not wait for its answer
		return c.take(call.stream, f)
	}
	if !code.Known() { // of a newer client
		return c.sendError(call.stream, &nerve.ProtocolError{
			Reason: "the server does not know this call; it is older than the client"})
	}
	answer, err := c.result(code, f)
	if bad := f.Err(wire.Call); bad != nil {
		err = bad
	}
	call.release() // nothing of it is in the answer
	if err != nil {
		return c.sendError(call.stream, err)
	}
	return c.send(wire.Answer, call.stream, func(b []byte) []byte { return append(b, answer...) })
}

// read reads all fields of a call before it is made: one that is cut off does
// nothing.
func read[T any](f *wire.Fields, get func() T) (value T, err error) {
	value = get()
	return value, f.Err(wire.Call)
}

func (c *conn) result(code wire.CallCode, f *wire.Fields) ([]byte, error) {
	a := c.access.Load()
	switch code {
	case wire.CallSeek:
		nano, err := read(f, f.Int64)
		if err != nil {
			return nil, err
		}
		id, err := a.Seek(c.ctx, time.Unix(0, nano))
		return wire.AppendUints(nil, uint64(id)), err
	case wire.CallTrim:
		below, err := read(f, f.Uint64)
		if err != nil {
			return nil, err
		}
		id, err := a.Trim(c.ctx, nerve.ID(below))
		return wire.AppendUints(nil, uint64(id)), err
	case wire.CallPointers:
		list, err := a.Pointers(c.ctx)
		return wire.AppendPointers(nil, list), err
	case wire.CallProgress:
		list, err := a.Pointers(c.ctx)
		return wire.AppendProgress(nil, list), err
	case wire.CallBounds:
		first, last := a.Bounds()
		return wire.AppendUints(nil, uint64(first), uint64(last)), nil
	case wire.CallLast:
		producer, err := read(f, f.Uint64)
		if err != nil {
			return nil, err
		}
		found, err := a.LastAppended(c.ctx, producer)
		return wire.AppendAppended(nil, found), err
	}
	return c.consumerResult(a, code, f)
}

// consumerResult is the result of the calls about consumers.
func (c *conn) consumerResult(
	a *core.Access, code wire.CallCode, f *wire.Fields,
) ([]byte, error) {
	switch code {
	case wire.CallSave:
		list, err := read(f, f.Pointers)
		if err != nil {
			return nil, err
		}
		return nil, a.SavePointers(c.ctx, list)
	case wire.CallSaveProgress:
		list, err := read(f, f.Progress)
		if err != nil {
			return nil, err
		}
		return nil, a.SavePointers(c.ctx, list)
	case wire.CallRemove:
		name, err := read(f, f.String)
		if err != nil {
			return nil, err
		}
		return nil, a.RemovePointer(c.ctx, name)
	case wire.CallJoin, wire.CallSettle, wire.CallLeave:
		return c.workResult(a, code, f)
	case wire.CallClaim:
		name := f.String()
		nonce, err := read(f, f.Uint64)
		if err != nil {
			return nil, err
		}
		claim, err := a.Claim(c.ctx, name, c.name, nonce)
		return wire.AppendClaim(nil, claim), err
	}
	claim, err := read(f, f.Claim)
	if err != nil {
		return nil, err
	}
	if code == wire.CallRelease {
		return nil, a.Release(c.ctx, claim)
	}
	claim, err = a.Renew(c.ctx, claim, c.name)
	return wire.AppendClaim(nil, claim), err
}
