// Package nerve is a persistent, totally ordered queue of byte records.
//
// One logical writer appends; any number of readers read everything again, in
// order, each with a durable pointer of its own. It is made for event
// pipelines: millions of encoded messages a second, written once and read many
// times.
//
// # A quick start
//
//	log, err := seglog.Open("events", seglog.Options{}) // a folder
//	queue := nerve.New(log, nerve.Options{})
//	defer queue.Close() // saves pointers, closes the log
//
//	id, err := queue.Append(ctx, []byte("hello")) // returns when it is on disk
//
//	billing, err := queue.Consumer("billing", nerve.ConsumerOptions{})
//	for rec, err := range billing.Records(ctx) { // waits for more at the tail
//		if err != nil { return err }
//		handle(rec.Data)
//		billing.Ack(rec.ID)
//	}
//
// # The parts
//
// A [Log] stores batches and pointers: package seglog in a folder of files,
// package memlog in memory. A [Queue] over it adds what every log needs in the
// same way: group commit of concurrent appends, handles for asynchronous ones,
// back-pressure, consumers. What a Log owes is written on the interface and is
// executable as package nervetest.
//
// What only some logs can do, they say by an interface: a [Repeatable] log
// stores an append with a [Key] once, however often it is repeated, and a
// [Claimer] gives each consumer name to one process at a time.
//
// # Words
//
// append: add records at the end. read: take them in order without side
// effect. ack: say that a consumer is done with a record. pointer: the id up to
// which a consumer acknowledged everything. trim: give up the oldest records.
// A batch is what is committed together, all of it or none.
//
// # Delivery
//
// A consumer gets each record at least once. After a crash it gets every record
// above its saved pointer again; none is skipped. Exactly-once effects come
// from saving [Record.ID] together with the effect, in the same transaction,
// and starting the consumer there ([StartAfter]).
package nerve
