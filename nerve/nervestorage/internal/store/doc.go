// Package store is a map of keys to values in a log of package seglog, made for a queue that is
// kept in such a map: the sending queue of the OpenTelemetry Collector. It knows no type of the
// collector.
//
// Keys that are decimal numbers are items: their values stay in the log, one record each, and are
// found by runs of numbers that lie together there. All other keys are held in memory and logged.
//
// # What a batch costs
//
// A batch that sets an item is one append. One that reads or deletes items, and sets other keys
// with it, changes memory alone: what it did is pending, and goes into the record of the next
// append, or into one of its own after [Options.AckInterval]. All that is pending goes into one. So
// what a crash leaves is always the state after some earlier batch, never parts of one. The one
// exception keeps items: a batch of deletes alone, see the method deletes.
//
// # Where space goes
//
// Every 64 MiB, and at Close, the state without the items is written as a snapshot, which is where
// Open begins to read. Segments below the oldest item and the snapshot are trimmed. Items that hold
// more than a few segments alone are copied to the end.
package store
