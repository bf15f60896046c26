// Package seglog is the embedded log of package nerve: a folder of segment
// files, written by one process and read by any number.
//
//	log, err := seglog.Open("events", seglog.Options{})
//	queue := nerve.New(log, nerve.Options{})
//
// # How it works
//
// A batch is appended with one write and one sync to the last segment, which
// was filled with zeros ahead of time, so that the sync has nothing but the
// data to wait for. Each batch carries its first id, checksums of itself, the
// checksum of the batch before, and up to which id all was durable when it was
// written. A full segment gets an index by id and time at its end. A small
// state file says how far the log reaches and holds the consumers' pointers;
// it is written after each commit without waiting, and synced when a pointer
// or a trim must last.
//
// Large batches that are synced each bypass the cache of the system, where that
// is possible: they are written from memory of the log, and cursors near the end
// read from there, see [Options.NoDirect].
//
// A cursor reads 128 KiB at a time into memory of its own, checks, and yields
// views. Nothing is mapped, so a file that is cut or a disk that fails is an
// error, never a signal. At the end it waits to be woken; only a read-only log,
// which follows a writer in another process, looks every 50 ms.
//
// # After a crash
//
// Open reads the last segment. A batch at the end that is not whole and that
// nobody was told is durable is cut off, see [Log.Recovery]. If it had been
// durable, by what later batches or the state say, it is damage, and Open
// refuses: giving its ids to other records would be worse. [Verify] names every
// damage in a folder and [Repair] gives up what is damaged, under its ids.
//
// # Errors
//
// A failed write, a full disk among them, is undone and returned as a
// nerve.IOError; the log goes on when the cause is gone. After a failed sync
// nobody knows what the disk has: the log returns nerve.FailedError for all
// writes until it is opened again, and stays readable.
//
// The bytes are drawn in docs/format/seglog.md.
package seglog
