package query

import (
	"fmt"

	"github.com/octopus-framework/octopus/nerve"
)

// MemoryError says that a query needs more memory than it may have.
type MemoryError struct {
	Groups int64 // or rows, so far
	Rows   bool  // it is about rows that are to be sorted
	Limit  int64 // the limit in bytes
}

// Error names the count, and what to do.
func (e *MemoryError) Error() string {
	if e.Rows {
		return fmt.Sprintf("%d rows to sort need more than the limit of %d bytes of memory;"+
			" set a limit of rows, a narrower condition, or more memory", e.Groups, e.Limit)
	}
	return fmt.Sprintf("%d groups need more than the limit of %d bytes of memory;"+
		" group by something coarser, or set more memory", e.Groups, e.Limit)
}

// RecordError is the first record that a strict query met which does not decode, or for which an
// expression has no value.
type RecordError struct {
	ID     nerve.ID
	Reason string
	Err    error // a *LimitError, or nil
}

// Unwrap returns Err.
func (e *RecordError) Unwrap() error { return e.Err }

// Error names the record.
func (e *RecordError) Error() string { return fmt.Sprintf("record %d: %s", e.ID, e.Reason) }
