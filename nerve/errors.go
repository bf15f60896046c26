package nerve

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

var (
	// ErrClosed is returned by everything after Close.
	ErrClosed = errors.New("nerve: closed")
	// ErrReadOnly is returned by writes to a log that was opened read-only.
	ErrReadOnly = errors.New("nerve: the log is open read-only")
)

// inside is the text of an error within that of another one of this package: the
// name of the package is said once.
func inside(err error) string { return strings.TrimPrefix(err.Error(), "nerve: ") }

// TrimmedError says that a record was given up by retention. To go on, start
// again at First, knowing that the records between are lost to this reader.
type TrimmedError struct {
	ID    ID // the record asked for
	First ID // the oldest there is
}

// Error implements error.
func (e *TrimmedError) Error() string {
	return fmt.Sprintf("nerve: record %d was trimmed; the oldest record is %d", e.ID, e.First)
}

// FutureError says that an id is beyond the one that comes next.
type FutureError struct {
	ID   ID // the record asked for
	Next ID // the id that the next append gets
}

// Error implements error.
func (e *FutureError) Error() string {
	return fmt.Sprintf("nerve: record %d does not exist yet; the next id is %d", e.ID, e.Next)
}

// TooLargeError says that a record, a batch, the metadata of a pointer or the
// number of consumers is over its limit. Nothing of it was written.
type TooLargeError struct {
	What  string // "record", "batch", "pointer metadata", "ids" or "consumers"
	Size  int    // bytes, consumers, or ids of a batch
	Limit int    // the same
}

// Error implements error.
func (e *TooLargeError) Error() string {
	if e.What == "consumers" {
		return fmt.Sprintf(
			"nerve: %d consumers are over the limit of %d; remove one that is not needed",
			e.Size, e.Limit)
	}
	if e.What == "ids" {
		return fmt.Sprintf("nerve: %d ids in one batch are over the limit of %d", e.Size, e.Limit)
	}
	return fmt.Sprintf("nerve: %s of %d bytes is over the limit of %d", e.What, e.Size, e.Limit)
}

// FullError says that an append would make a log larger than it may become. Nothing was
// written; there is room when records were trimmed.
type FullError struct {
	What  string // "log", or what else has a bound
	Size  int64  // size that it would have, in bytes
	Limit int64
}

// Error implements error.
func (e *FullError) Error() string {
	return fmt.Sprintf("nerve: the %s is full: %d bytes are over its limit of %d", e.What, e.Size,
		e.Limit)
}

// NameError says that a string is no name for a consumer or a queue.
type NameError struct{ Name, Reason string }

// Error implements error.
func (e *NameError) Error() string {
	return fmt.Sprintf("nerve: %q is no name for a consumer or a queue: %s", e.Name, e.Reason)
}

// CorruptError says that stored bytes are not what was written. The records of
// other ranges stay readable.
type CorruptError struct {
	File        string // the damaged file
	Offset      int64  // where in it, in bytes
	First, Last ID     // the records lost by it, as far as known; Last may be First-1
	Reason      string
}

// Error implements error.
func (e *CorruptError) Error() string {
	s := fmt.Sprintf("nerve: %s is damaged at offset %d: %s", e.File, e.Offset, e.Reason)
	if e.Last >= e.First && e.First > 0 {
		s += fmt.Sprintf(" (records %d to %d)", e.First, e.Last)
	}
	return s
}

// LostError says that records were given up by a repair. A cursor that meets
// the range reports it; to go on, read from Last+1.
type LostError struct{ First, Last ID }

// Error implements error.
func (e *LostError) Error() string {
	return fmt.Sprintf(
		"nerve: records %d to %d were damaged and given up by a repair; read on from %d",
		e.First, e.Last, e.Last+1)
}

// LockedError says that the log is open for writing already, in another process
// or in this one.
type LockedError struct{ Path string }

// Error implements error.
func (e *LockedError) Error() string {
	return fmt.Sprintf(
		"nerve: %s is open for writing elsewhere; close it there or open it read-only",
		e.Path)
}

// FormatError says that a folder or file is not of a format that this version
// can read.
type FormatError struct{ Path, Reason string }

// Error implements error.
func (e *FormatError) Error() string { return fmt.Sprintf("nerve: %s: %s", e.Path, e.Reason) }

// IOError is a failed operation on a file. Err is the cause, often a
// syscall.Errno: errors.Is(err, syscall.ENOSPC) tells a full disk. What failed
// was undone; the caller may try again.
type IOError struct {
	Op, Path string
	Err      error
}

// Error implements error.
func (e *IOError) Error() string { return fmt.Sprintf("nerve: %s %s: %v", e.Op, e.Path, e.Err) }

// Unwrap returns the cause.
func (e *IOError) Unwrap() error { return e.Err }

// FailedError says that the log no longer accepts writes, because after Cause
// the disk may hold less than what was written. Records read until now stay
// readable; open the log again to check and continue.
type FailedError struct{ Cause error }

// Error implements error.
func (e *FailedError) Error() string {
	return fmt.Sprintf(
		"nerve: the log takes no more writes until it is opened again, because of: %s",
		inside(e.Cause))
}

// Unwrap returns the cause.
func (e *FailedError) Unwrap() error { return e.Cause }

// AckError says that an id was acknowledged that the consumer did not deliver.
type AckError struct{ ID, Delivered ID }

// Error implements error.
func (e *AckError) Error() string {
	return fmt.Sprintf("nerve: ack of record %d, but only records up to %d were delivered",
		e.ID, e.Delivered)
}

// OpenError says that a consumer is open already: a name is for one reader at a
// time.
type OpenError struct {
	Name string
	// Where says who has it, such as a host and a process. Empty is this
	// queue.
	Where string
	// Lease is how long the claim of the other lasts unless it is renewed, 0
	// if it does not end by itself.
	Lease time.Duration
}

// Error implements error.
func (e *OpenError) Error() string {
	where := ""
	if e.Where != "" {
		where = " in " + e.Where
	}
	s := fmt.Sprintf("nerve: consumer %q is already open%s; a name is for one reader at a time",
		e.Name, where)
	if e.Lease > 0 {
		s += fmt.Sprintf("; if that one is dead, the name is free in %v at most", e.Lease)
	}
	return s
}

// FencedError says that somebody else took over what this process had claimed,
// because the claim was not renewed in time. What it was about to write was not
// written. Open the consumer or log again to claim it back.
type FencedError struct {
	What  string // "consumer" or "writer"
	Name  string // name of the consumer or log
	Epoch uint64 // epoch of the claim that was lost
}

// Error implements error.
func (e *FencedError) Error() string {
	return fmt.Sprintf("nerve: %s %q was taken over by another process (claim %d is lost); "+
		"open it again to claim it back", e.What, e.Name, e.Epoch)
}

// OutcomeError says that nobody knows whether an append was stored: the server
// stopped answering after it was sent. The batch may be found, whole, then or
// later. Appending it again with the same Key stores it once; without a key
// look at the end of the log first.
type OutcomeError struct {
	Key   Key
	Cause error
}

// Error implements error.
func (e *OutcomeError) Error() string {
	what := "append it again with the same key"
	if e.Key == (Key{}) {
		what = "look at the end of the log before appending it again, or use keys"
	}
	return fmt.Sprintf("nerve: the outcome of an append is unknown; %s: %s", what, inside(e.Cause))
}

// Unwrap returns the cause.
func (e *OutcomeError) Unwrap() error { return e.Cause }

// KeyError says that the key of a batch, or an id of an append, cannot be used.
// Nothing was written.
type KeyError struct {
	Key    Key    // zero if it is an id
	Last   uint64 // the newest Seq of the producer, 0 if none is known
	Reason string
}

// Error implements error.
func (e *KeyError) Error() string {
	if e.Key == (Key{}) {
		return "nerve: an append with an id: " + e.Reason
	}
	s := fmt.Sprintf("nerve: append %d of producer %x: %s", e.Key.Seq, e.Key.Producer, e.Reason)
	if e.Last > 0 {
		s += fmt.Sprintf("; the newest is %d", e.Last)
	}
	return s
}

// ConnectionError says that a server cannot be reached, or that the connection
// was lost before anything was changed. Try again.
type ConnectionError struct {
	Op, Server string
	Err        error
}

// Error implements error.
func (e *ConnectionError) Error() string {
	return fmt.Sprintf("nerve: %s: no connection to %s: %s", e.Op, e.Server, inside(e.Err))
}

// Unwrap returns the cause.
func (e *ConnectionError) Unwrap() error { return e.Err }

// SetupError says that a server, schema or topic cannot keep the contract as it
// is set up: a right is missing, the isolation or durability is too weak, the
// topic is compacted. Nothing was written.
type SetupError struct {
	Server string // and what of it: a database, table or topic
	Reason string // what does not fit
	Advice string // what to do about it: a statement, a setting, an option
	Err    error  // error of the server, if there is one
}

// Error implements error.
func (e *SetupError) Error() string {
	s := fmt.Sprintf("nerve: %s: %s", e.Server, e.Reason)
	if e.Err != nil {
		s += ": " + inside(e.Err)
	}
	if e.Advice != "" {
		s += "; " + e.Advice
	}
	return s
}

// Unwrap returns the error of the server.
func (e *SetupError) Unwrap() error { return e.Err }

// TimeoutError says that a call to the log took longer than
// [Options.CallTimeout].
type TimeoutError struct{ After time.Duration }

// Error implements error.
func (e *TimeoutError) Error() string {
	return fmt.Sprintf("nerve: the log did not answer within %v", e.After)
}

// Timeout says that this is one, as net.Error does.
func (e *TimeoutError) Timeout() bool { return true }

// Is makes it a context.DeadlineExceeded.
func (e *TimeoutError) Is(target error) bool { return target == context.DeadlineExceeded }
