package nerve

import "fmt"

// AccessError says that a server knows who asks and does not let him do this.
// Nothing was done.
type AccessError struct {
	Who   string // the name that the caller's token or certificate stands for
	Queue string
	Role  string // what would be needed: "read", "append", "consume" or "admin"
}

// Error implements error.
func (e *AccessError) Error() string {
	return fmt.Sprintf("nerve: %q may not do this in queue %q; it takes the role %q", e.Who, e.Queue,
		e.Role)
}

// CredentialsError says that a server does not know who asks: there is no token
// or certificate, or none that it knows. Nothing was done.
type CredentialsError struct{ Reason string }

// Error implements error.
func (e *CredentialsError) Error() string { return "nerve: not authenticated: " + e.Reason }

// NotFoundError says that a server has no queue of that name, or none that the
// caller may know of.
type NotFoundError struct{ Queue string }

// Error implements error.
func (e *NotFoundError) Error() string {
	return fmt.Sprintf("nerve: there is no queue %q", e.Queue)
}

// BusyError says that a limit of a server is reached. Nothing was done: try again
// later, or raise the limit there.
type BusyError struct {
	What  string // "connections", "readers", "calls", "appends", "attempts to authenticate"
	Limit int
}

// Error implements error.
func (e *BusyError) Error() string {
	return fmt.Sprintf("nerve: the server is at its limit of %d %s; try again later", e.Limit, e.What)
}

// ProtocolError says that the other end of a connection does not speak as agreed:
// it is something else, damaged on its way, or of a version that is not known.
type ProtocolError struct{ Reason string }

// Error implements error.
func (e *ProtocolError) Error() string { return "nerve: protocol: " + e.Reason }
