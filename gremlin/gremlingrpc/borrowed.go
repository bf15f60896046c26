package gremlingrpc

import (
	"bytes"
	"errors"

	"google.golang.org/grpc/mem"

	"github.com/octopus-framework/octopus/gremlin"
	"github.com/octopus-framework/octopus/gremlin/guard"
)

// Borrowed is a target of RecvMsg whose Reader is on the buffer that grpc received instead of on a
// copy, which spares memory and time for messages of more than a KiB. It is used for one message
// after the other:
//
//	var b gremlingrpc.Borrowed[shopv1.DepositReader, *shopv1.DepositReader]
//	defer b.Release()
//	for stream.RecvMsg(&b) == nil {
//		sum += b.Reader().GetAmount()
//	}
//
// The Reader, those nested in it, and all strings and byte slices of them are valid until the next
// RecvMsg into it or Release, whichever is first. What is to stay longer is copied before: with
// Keep, or strings.Clone. After that the Reader reads as empty, but strings that were taken from it
// hold what somebody else received; GREMLIN_GUARD=1 shows that (package guard). Use it where a
// profile shows the copies. A Borrowed is used by one goroutine at a time, and not copied.
type Borrowed[R any, P interface {
	*R
	gremlin.Reader
}] struct {
	reader R
	loan
}

// loan is a buffer of grpc that a message is on.
type loan struct {
	buf      mem.Buffer
	guarded  []byte // what the message is on, while package guard is on
	released bool
}

var errBorrowedReleased = errors.New(
	"gremlingrpc: a Borrowed was sent after its Release: send it before, or what Keep returned")

// Reader returns the Reader of the message that was received last. It is empty when there is none.
func (b *Borrowed[R, P]) Reader() *R { return &b.reader }

// Keep returns a Reader on a copy of the message, which does not depend on b.
func (b *Borrowed[R, P]) Keep() *R {
	r := new(R)
	_ = P(r).Unmarshal(bytes.Clone(P(&b.reader).Raw())) // it was read before
	return r
}

// Release gives the buffer back. It may be called when there is none.
func (b *Borrowed[R, P]) Release() {
	_ = P(&b.reader).Unmarshal(nil) // an empty message is never malformed
	b.giveBack()
}

// String says what b is and nothing of the message: grpc's tracing calls it later, when the buffer
// may belong to another.
func (b *Borrowed[R, P]) String() string { return "borrowed " + P(nil).GremlinTable().Name }

// borrower is what the codec sees of a Borrowed.
type borrower interface {
	borrow(data mem.BufferSlice, c *codec) error
	share() (mem.BufferSlice, error)
}

func (b *Borrowed[R, P]) borrow(data mem.BufferSlice, c *codec) error {
	b.Release()
	err := c.read(b.take(data, c), P(&b.reader))
	b.taken(err)
	return err
}

// take returns the bytes of data in a buffer that is kept.
func (l *loan) take(data mem.BufferSlice, c *codec) []byte {
	l.buf = data.MaterializeToBuffer(c.pool)
	message := l.buf.ReadOnlyData()
	if guard.On {
		l.guarded = guard.Copy(message)
		message = l.guarded
	}
	return message
}

// taken gives the buffer back at once if the message could not be read.
func (l *loan) taken(err error) {
	if err != nil {
		l.buf.Free()
		l.buf = nil
		return
	}
	l.released = false
}

func (l *loan) giveBack() {
	if l.buf != nil {
		l.buf.Free()
	}
	guard.Release(l.guarded)
	l.buf, l.guarded, l.released = nil, nil, true
}

func (l *loan) share() (mem.BufferSlice, error) {
	switch {
	case l.released:
		return nil, errBorrowedReleased
	case l.buf == nil:
		return nil, nil
	}
	l.buf.Ref()
	return mem.BufferSlice{l.buf}, nil
}
