package nerve

import "fmt"

// LeaseError says that a worker has no lease of a record any more, or never had one: its time
// ended, it was settled, or the worker left. Nothing was done. The record may be with another
// worker, or done.
type LeaseError struct{ ID ID }

// Error implements error.
func (e *LeaseError) Error() string {
	return fmt.Sprintf("nerve: there is no such lease of record %d any more; the record may be with "+
		"another worker", e.ID)
}
