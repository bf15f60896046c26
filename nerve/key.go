package nerve

import "context"

// Key names an append so that it can be repeated: a log that is [Repeatable]
// stores one batch for each key, however often it is appended. The zero Key is
// no key.
//
// Producer is a number that nobody else uses, drawn at random once and kept
// with whatever the producer resumes from. Seq grows from batch to batch of a
// producer, from 1 or higher, by any step.
type Key struct{ Producer, Seq uint64 }

// Appended is where the records of an append with a key are. The zero Appended
// is none.
type Appended struct {
	Key         Key
	First, Last ID
	// UnixNano is the append time, 0 if the log no longer knows it.
	UnixNano int64
}

// RememberedAppends is how many of the newest appends of each producer a
// Repeatable log knows at least.
const RememberedAppends = 5

// Repeatable is a Log that remembers keys, also after it was closed, killed or
// cut from power. An append with a key that it remembers stores nothing: it
// returns the first id again and sets b.First and b.UnixNano to those of the
// first time. It may forget producers that have not appended for long and then
// takes their next key as that of a new one.
//
// A log that is not Repeatable refuses batches with a key with a [KeyError].
type Repeatable interface {
	Log

	// LastAppended returns the newest append of a producer, zero if the log
	// knows none: where a program that was interrupted goes on.
	LastAppended(ctx context.Context, producer uint64) (Appended, error)
}
