package nerve

import (
	"errors"
	"fmt"
)

var (
	// ErrClosed is returned by everything after Close.
	ErrClosed = errors.New("nerve: closed")
	// ErrReadOnly is returned by writes to a log that was opened read-only.
	ErrReadOnly = errors.New("nerve: the log is open read-only")
)

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

// TooLargeError says that a record, a batch or the number of consumers is over
// its limit. Nothing of it was written.
type TooLargeError struct {
	What  string // "record", "batch" or "consumers"
	Size  int    // bytes, or consumers
	Limit int    // bytes, or consumers
}

// Error implements error.
func (e *TooLargeError) Error() string {
	if e.What == "consumers" {
		return fmt.Sprintf("nerve: %d consumers are over the limit of %d; remove one that is not needed", e.Size, e.Limit)
	}
	return fmt.Sprintf("nerve: %s of %d bytes is over the limit of %d", e.What, e.Size, e.Limit)
}

// NameError says that a string does not name a consumer.
type NameError struct{ Name, Reason string }

// Error implements error.
func (e *NameError) Error() string {
	return fmt.Sprintf("nerve: %q is no consumer name: %s", e.Name, e.Reason)
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
	return fmt.Sprintf("nerve: records %d to %d were damaged and given up by a repair; read on from %d", e.First, e.Last, e.Last+1)
}

// LockedError says that the log is open for writing already, in another process
// or in this one.
type LockedError struct{ Path string }

// Error implements error.
func (e *LockedError) Error() string {
	return fmt.Sprintf("nerve: %s is open for writing elsewhere; close it there or open it read-only", e.Path)
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
	return fmt.Sprintf("nerve: the log takes no more writes until it is opened again, because of: %v", e.Cause)
}

// Unwrap returns the cause.
func (e *FailedError) Unwrap() error { return e.Cause }

// AckError says that an id was acknowledged that the consumer did not deliver.
type AckError struct{ ID, Delivered ID }

// Error implements error.
func (e *AckError) Error() string {
	return fmt.Sprintf("nerve: ack of record %d, but only records up to %d were delivered", e.ID, e.Delivered)
}
