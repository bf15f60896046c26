package sqllog

import (
	"context"
	"errors"
	"fmt"
	"syscall"

	"github.com/octopus-framework/octopus/nerve"
)

// fault is what an error of a database means for us.
type fault int

const (
	faultOther        fault = iota
	faultConnection         // the connection is lost, or was never made
	faultConflict           // deadlock, lock timeout, serialization
	faultDuplicate          // a row with this key is there
	faultDenied             // a right is missing
	faultPassword           // the server does not let this user in
	faultDiskFull           // or a table is, or a quota
	faultReadOnly           // the server takes no writes
	faultNoTable            // a table is not there
	faultColumnThere        // a column that is to be added is there
	faultForeignTable       // a table is not as we made it
	faultNoDatabase         // the database is not there
	faultTooLarge           // over max_allowed_packet
)

// connectionFault is for errors that are not a server's: of the network, of the
// driver about the connection, or of a context, after which a connection cannot
// be used either.
func connectionFault(err error) fault {
	var ours interface{ sqllog() }
	if errors.As(err, &ours) {
		return faultOther
	}
	return faultConnection
}

// unknownError wraps an error of a COMMIT: it may have happened.
type unknownError struct{ error }

func (e *unknownError) Unwrap() error { return e.error }

// dataError is an error about what was read, not about the connection.
type dataError struct{ error }

func (e *dataError) Unwrap() error { return e.error }
func (e *dataError) sqllog()       {}

// explain turns an error of the database into one that says what to do.
func (l *Log) explain(ctx context.Context, op string, err error) error {
	var data *dataError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &data):
		return data.error
	case ours(err):
		return err
	}
	setup := func(reason, advice string) error {
		return &nerve.SetupError{Server: l.server, Reason: op + ": " + reason, Advice: advice,
			Err: err}
	}
	switch l.dialect.fault(err) {
	case faultConnection:
		if ctx.Err() != nil {
			// The cause of the context is what a caller looks for.
			err = fmt.Errorf("%w (%w)", context.Cause(ctx), err)
		}
		return &nerve.ConnectionError{Op: op, Server: l.server, Err: err}
	case faultConflict:
		return &ConflictError{Op: op, Server: l.server, Err: err}
	case faultDenied:
		return setup("the user lacks a right", "grant SELECT, INSERT, UPDATE and DELETE on the "+
			"nerve_ tables, and CREATE to whoever opens the queue first")
	case faultPassword:
		return setup("the server does not let this user in", "correct the user and the password, "+
			"or allow the user to log in from here")
	case faultDiskFull:
		return &nerve.IOError{Op: op, Path: l.server, Err: errors.Join(err, syscall.ENOSPC)}
	case faultReadOnly:
		return setup("the server takes no writes", "use the primary, or Options.ReadOnly")
	case faultNoTable, faultForeignTable:
		return l.foreign(err)
	case faultNoDatabase:
		return setup("there is no such database", "create it, or correct the URL")
	case faultTooLarge:
		return setup("the server refuses packets of this size", fmt.Sprintf(
			"set max_allowed_packet to %d, or lower Options.Limits.Batch",
			l.options.Limits.Batch+packetOverhead))
	}
	return &nerve.IOError{Op: op, Path: l.server, Err: err}
}

// ours says whether err is one that callers get as it is.
func ours(err error) bool {
	return is[*nerve.SetupError](err) || is[*nerve.FormatError](err) ||
		is[*nerve.FencedError](err) || is[*nerve.OpenError](err) ||
		is[*nerve.LockedError](err) || is[*nerve.KeyError](err) ||
		is[*nerve.TrimmedError](err) || is[*nerve.FutureError](err) ||
		is[*nerve.CorruptError](err) || is[*nerve.FailedError](err) ||
		is[*DatabaseError](err) || is[*RewoundError](err) || is[*ConflictError](err) ||
		errors.Is(err, nerve.ErrClosed)
}

func is[E error](err error) bool {
	var e E
	return errors.As(err, &e)
}

// ConflictError says that the database chose a transaction to give way: a
// deadlock, a lock that was waited for too long, or a row that changed after a
// transaction of REPEATABLE READ or SERIALIZABLE on PostgreSQL began. Nothing
// was written. In a transaction of the caller's: roll it back and run it again;
// to have fewer of them, begin it with READ COMMITTED and append last.
type ConflictError struct {
	Op, Server string
	Err        error
}

// Error implements error.
func (e *ConflictError) Error() string {
	return fmt.Sprintf("nerve: %s: %s had the transaction give way; roll it back and run it "+
		"again, with READ COMMITTED and the append last: %v", e.Op, e.Server, e.Err)
}

// Unwrap returns the error of the server.
func (e *ConflictError) Unwrap() error { return e.Err }

// DatabaseError says that a transaction is not one of the database in which the
// queue is. Nothing was written.
type DatabaseError struct{ Queue, Server string }

// Error implements error.
func (e *DatabaseError) Error() string {
	return fmt.Sprintf("nerve: the transaction is not one of %s, where queue %q is; "+
		"begin it with a connection to that database", e.Server, e.Queue)
}
