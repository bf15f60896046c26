// Package open opens what a command line names as a place: an address of package nerve/open, or a
// queue on a server that a file of the user names.
package open

import (
	"context"
	"net/url"
	"os"
	"strings"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/open"
	"github.com/octopus-framework/octopus/nerve/remote"
	"github.com/octopus-framework/octopus/nerve/seglog"
)

// tokenVariable is where the token for nerve:// is, so that it is in no history of
// commands.
const tokenVariable = "NERVE_TOKEN"

// Mode says what a log is opened for.
type Mode = open.Mode

// The modes.
const (
	Read   = open.Read
	Write  = open.Write
	Create = open.Create
)

// Forms are the places that there are, for help texts.
const Forms = open.Forms + `
      (or the token is NERVE_TOKEN)
  @SERVER/QUEUE                                       one on a server that is named, with its
      parameters, in the file servers of the folder nerve of your settings, or NERVE_SERVERS`

// PlaceError says that a place is none of Forms.
type PlaceError struct{ *open.AddressError }

// Error implements error.
func (e *PlaceError) Error() string {
	return "nerve: there are no queues at " + e.Scheme + "://; a place is one of\n" + Forms
}

// Unwrap returns the error of package open.
func (e *PlaceError) Unwrap() error { return e.AddressError }

// IsFolder reports whether a place is a folder. One whose name begins with @ is ./@NAME.
func IsFolder(place string) bool { return open.IsFolder(place) && !strings.HasPrefix(place, "@") }

// IsServer reports whether a place is on a server of nerve.
func IsServer(place string) bool { return strings.HasPrefix(place, "@") || open.IsServer(place) }

// QueueOf is the name of a queue on a server.
func QueueOf(place string) string {
	if full, err := Expand(place); err == nil {
		place = full
	}
	if u, err := url.Parse(place); err == nil {
		return strings.Trim(u.Path, "/")
	}
	return ""
}

// Ask asks the server of a place, see [remote.Ask].
func Ask(ctx context.Context, place, path string, v any) error {
	place, err := Expand(place)
	if err != nil {
		return err
	}
	return remote.Ask(ctx, place, remote.Options{Token: os.Getenv(tokenVariable)}, path, v)
}

// Name is a place without its password, see [open.Name].
func Name(place string) string {
	if full, err := Expand(place); err == nil {
		place = full
	}
	return open.Name(place)
}

// forever is longer than any --timeout.
const forever = 1<<63 - 1

// Log opens the queue at a place. Options are those of a folder; what a server
// needs to know is in its URL.
func Log(ctx context.Context, place string, mode Mode, folder seglog.Options) (nerve.Log, error) {
	address, err := Expand(place)
	if err != nil {
		return nil, err
	}
	log, err := open.Log(ctx, address, mode, open.Options{Folder: folder,
		// ctx says how long it waits.
		Server: remote.Options{Token: os.Getenv(tokenVariable), Wait: forever}})
	if wrong, ok := err.(*open.AddressError); ok {
		return nil, &PlaceError{wrong}
	}
	return log, err
}
