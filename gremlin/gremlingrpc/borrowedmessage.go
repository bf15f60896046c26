package gremlingrpc

import (
	"google.golang.org/grpc/mem"

	"github.com/octopus-framework/octopus/gremlin"
)

// BorrowedMessage is Borrowed for a Message: a target of RecvMsg that is decoded with
// gremlin.Borrow and gremlin.Reuse, so that one message after the other takes no memory.
//
//	var b gremlingrpc.BorrowedMessage[shopv1.Deposit, *shopv1.Deposit]
//	defer b.Release()
//	for stream.RecvMsg(&b) == nil {
//		sum += b.Message().Amount
//	}
//
// The Message and all that it refers to, strings and lists alike, are valid until the next RecvMsg
// into it or Release, whichever is first. What is to stay longer is copied before: with Clone,
// which owns what it holds, or strings.Clone. GREMLIN_GUARD=1 shows what was not (package guard).
// With the option MemoryLimit strings are copied. It is used by one goroutine at a time, and not
// copied.
type BorrowedMessage[M any, P gremlin.Reusable[M]] struct {
	message gremlin.Reused[M, P]
	loan
}

// Message returns the message that was received last. It is empty when there is none.
func (b *BorrowedMessage[M, P]) Message() *M { return b.message.Message() }

// Release gives the buffer back, and lets go of the memory of the Message. It may be called when
// there is none.
func (b *BorrowedMessage[M, P]) Release() {
	b.message.Reset()
	b.giveBack()
}

// String says what b is and nothing of the message, as that of Borrowed.
func (b *BorrowedMessage[M, P]) String() string { return "borrowed " + P(nil).GremlinTable().Name }

func (b *BorrowedMessage[M, P]) borrow(data mem.BufferSlice, c *codec) error {
	b.giveBack()
	message := b.take(data, c)
	var err error
	if c.memory > 0 {
		err = gremlin.UnmarshalWithin(message, P(b.message.Message()), c.memory)
	} else {
		_, err = b.message.Unmarshal(message, gremlin.Borrow)
	}
	if err != nil {
		b.message.Reset()
	}
	b.taken(err)
	return err
}
