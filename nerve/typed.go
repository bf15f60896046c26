package nerve

import (
	"bytes"
	"context"
	"fmt"
	"iter"

	"github.com/octopus-framework/octopus/gremlin/guard"
)

// Marshaler is what [AppendMessage] needs of a message: generated Message types
// have it.
type Marshaler interface {
	MarshalAppend(dst []byte) []byte
}

// Unmarshaler is what [Typed] needs of a reader: a pointer to R that takes its
// content from bytes. Generated Reader types have it.
type Unmarshaler[R any] interface {
	*R
	Unmarshal(data []byte) error
}

// Item is a record with its decoded content, both valid only until the loop
// that yielded them asks for the next one: Value is one reader, used again for
// every record, and it reads from the log's own memory. Keep makes a copy for
// longer.
type Item[R any] struct {
	Record
	Value *R

	unmarshal func(*R, []byte) error // nil if the record does not decode
}

// Keep returns the item with bytes and a reader of its own, which live as long
// as they are needed and share nothing with the log or the loop.
func (i Item[R]) Keep() Item[R] {
	i.Data = bytes.Clone(i.Data)
	if i.unmarshal != nil {
		i.Value = new(R)
		_ = i.unmarshal(i.Value, i.Data) // it has decoded these bytes before
	}
	return i
}

// Owned is Typed with items that are kept, for programs that hand them on: to
// other goroutines, into maps and lists. It copies each record once.
func Owned[R any, P Unmarshaler[R]](ctx context.Context, c *Consumer) iter.Seq2[Item[R], error] {
	return func(yield func(Item[R], error) bool) {
		for item, err := range Typed[R, P](ctx, c) {
			if !yield(item.Keep(), err) {
				return
			}
		}
	}
}

// DecodeError says that a record is not what the consumer's type decodes. The
// consumer is past the record and can go on: ack it, or leave it for a repair.
type DecodeError struct {
	ID  ID
	Err error
}

// Error implements error.
func (e *DecodeError) Error() string { return fmt.Sprintf("nerve: record %d: %v", e.ID, e.Err) }

// Unwrap returns the cause.
func (e *DecodeError) Unwrap() error { return e.Err }

// Typed yields the records of c decoded as R, as Records does with bytes: the
// yielded values alias the log's memory and live until the next one. A record
// that does not decode is yielded with a [DecodeError] and the loop goes on;
// any other error is the last.
//
//	for deposit, err := range nerve.Typed[DepositReader](ctx, consumer) {
//		if err != nil { return err }
//		total += deposit.Value.GetCents()
//		consumer.Ack(deposit.ID)
//	}
func Typed[R any, P Unmarshaler[R]](ctx context.Context, c *Consumer) iter.Seq2[Item[R], error] {
	return func(yield func(Item[R], error) bool) {
		value := new(R)
		var copied []byte // of the record that was yielded last, while package guard is on
		unmarshal := func(r *R, data []byte) error { return P(r).Unmarshal(data) }
		for rec, err := range c.Records(ctx) {
			if guard.On {
				guard.Release(copied)
				copied = guard.Copy(rec.Data)
				rec.Data, value = copied, new(R)
			}
			item := Item[R]{Record: rec, Value: value}
			if err != nil {
				item.Value = new(R) // not the record before
			} else {
				if bad := unmarshal(value, rec.Data); bad != nil {
					err = &DecodeError{ID: rec.ID, Err: bad}
					c.countUndecodable()
				} else {
					item.unmarshal = unmarshal
				}
			}
			if !yield(item, err) {
				return
			}
		}
	}
}

// AppendMessage commits one message, as [Queue.Append] does with bytes. The
// message is marshaled into memory of the queue.
func AppendMessage[M Marshaler](ctx context.Context, q *Queue, m M) (ID, error) {
	b := q.emptyBatch()
	defer q.recycle(b)
	b.packed = m.MarshalAppend(append(b.packed, 0, 0, 0, 0))
	b.endRecord(0)
	return q.AppendBatch(ctx, b)
}
