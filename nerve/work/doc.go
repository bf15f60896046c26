// Package work handles the records of a queue on several workers: with retries, with an order by
// key, and with a second queue for records that cannot be handled.
//
//	orders := work.New(consumer, func(ctx context.Context, d *work.Delivery) error {
//		return charge(ctx, d.Data)
//	}, work.Options{Workers: 8, DeadLetters: dead})
//	err := orders.Run(ctx) // until ctx ends; then what is under way is finished
//
// # What is promised
//
// Each record is handled at least once: it is acknowledged when its handler returned nil, or when
// it lies in the queue of dead letters. After a crash those come again that were being handled, and
// those whose acks were not saved, see [Options.MaxUnsaved]; to count once, save the record's id
// together with the effect. Attempts are counted over restarts.
//
// A record that cannot be handled never stops the queue. A handler that returns an error or panics
// is called again after a delay, at most MaxAttempts times; then the record goes to the dead
// letters with the reason. While it waits it is not in memory, and is read again when it is due. A
// record that takes the whole process down is noticed, too: after a run in which nothing was
// acknowledged the records are handled one at a time, each attempt is saved before it is made, and
// the record that has no attempts left becomes a dead letter. For that, Run keeps a note in the
// metadata of the consumer's pointer.
//
// # Several processes
//
// A consumer's name is for one process. [NewShared] makes a group of a worker of package lease, of
// which any number share a consumer, in one process or over a server.
//
// # Order
//
// Without KeyBy records are handled in no particular order. With it, those that have one key are
// handled one after the other, in the order of the queue; a retry holds up its key and nothing
// else.
package work
