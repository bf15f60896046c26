package nerve

import (
	"fmt"
	"sync"
)

// RecordCheck tells what is wrong with a record, nil if nothing is. Any number of goroutines may
// call it at a time. It must neither keep nor change the record.
type RecordCheck func(record []byte) error

// DeepUnmarshaler is what [EncodingCheck] needs of a reader: generated Reader types have it.
type DeepUnmarshaler[R any] interface {
	Unmarshaler[R]
	CheckEncoding() error
}

// EncodingCheck returns a check that records are encodings of R's message, all of it: the structure
// at each level, UTF-8, required fields. Its errors say where: the position and the path. For types
// that are known at run time only there is the method CheckEncoding of dynamic.Type.
//
//	queue := nerve.New(log, nerve.Options{Check: nerve.EncodingCheck[DepositReader]()})
func EncodingCheck[R any, P DeepUnmarshaler[R]]() RecordCheck {
	readers := sync.Pool{New: func() any { return new(R) }}
	return func(record []byte) error {
		r := readers.Get().(*R)
		err := P(r).Unmarshal(record)
		if err == nil {
			err = P(r).CheckEncoding()
		}
		*r = *new(R) // it keeps no record
		readers.Put(r)
		return err
	}
}

// CheckError says that [Options.Check] refused a record. Nothing of the append was written.
type CheckError struct {
	Index int // index of the record among those that were to be appended together, from 0
	Err   error
}

// Error implements error.
func (e *CheckError) Error() string {
	return fmt.Sprintf("nerve: record %d of the append is refused: %v", e.Index, e.Err)
}

// Unwrap returns the cause.
func (e *CheckError) Unwrap() error { return e.Err }

// check returns a CheckError for the first record of b that is refused, or a
// KeyError if it has ids and the log does not know them.
func (q *Queue) check(b *Batch) error {
	if _, ok := q.log.(Deduplicator); !ok && len(b.places.parts) > 0 {
		return &KeyError{Reason: "this log remembers none"}
	}
	if q.options.Check == nil {
		return nil
	}
	i := 0
	for rec := range b.All() {
		if err := q.options.Check(rec.Data); err != nil {
			return &CheckError{Index: i, Err: err}
		}
		i++
	}
	return nil
}

// checkRecord is check for an append of one record.
func (q *Queue) checkRecord(record []byte) error {
	if q.options.Check == nil {
		return nil
	}
	if err := q.options.Check(record); err != nil {
		return &CheckError{Err: err}
	}
	return nil
}

// refusal returns a DecodeError, which is counted, for a record that the consumer's check refuses.
func (c *Consumer) refusal(rec Record) error {
	if c.options.Check == nil {
		return nil
	}
	err := c.options.Check(rec.Data)
	if err == nil {
		return nil
	}
	c.countUndecodable()
	return &DecodeError{ID: rec.ID, Err: err}
}
