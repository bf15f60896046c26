// Package open maps what a command line names to the log that is meant: a folder,
// or the URL of a queue in a database or in Kafka.
package open

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/kafkalog"
	"github.com/octopus-framework/octopus/nerve/remote"
	"github.com/octopus-framework/octopus/nerve/seglog"
	"github.com/octopus-framework/octopus/nerve/sqllog"
)

// tokenVariable is where the token for nerve:// is, so that it is in no history of
// commands.
const tokenVariable = "NERVE_TOKEN"

// Mode says what a log is opened for.
type Mode int

// The modes.
const (
	Read   Mode = iota // changes nothing, beside a writer if there is one
	Write              // a queue that exists: a mistyped name makes none
	Create             // makes the queue if need be
)

// Forms are the places that there are, for help texts.
const Forms = `  DIR                                        a folder
  mysql://USER:PASSWORD@HOST/DATABASE?queue=NAME      MariaDB or MySQL
  postgres://USER:PASSWORD@HOST/DATABASE?queue=NAME   PostgreSQL
  kafka://HOST:PORT/TOPIC?partition=0                 Kafka
  nerve://HOST:PORT/QUEUE                             nerve serve, nerves:// with TLS;
      the token is NERVE_TOKEN or ?token=FILE, certificates ?ca=FILE&cert=FILE&key=FILE`

// PlaceError says that a place is none of Forms.
type PlaceError struct{ Scheme string }

// Error implements error.
func (e *PlaceError) Error() string {
	return fmt.Sprintf("nerve: there are no queues at %s://; a place is one of\n%s", e.Scheme,
		Forms)
}

// scheme returns that of a URL, empty for a folder.
func scheme(place string) string {
	s, _, found := strings.Cut(place, "://")
	if !found || strings.ContainsAny(s, "/.\\") {
		return ""
	}
	return s
}

// IsFolder reports whether a place is a folder.
func IsFolder(place string) bool { return scheme(place) == "" }

// Name is a place without its password, the same for each way to say it as far
// as is known: for messages, and to know a place again.
func Name(place string) string {
	if IsFolder(place) {
		if path, err := filepath.Abs(place); err == nil {
			return path
		}
		return place
	}
	head, rest, _ := strings.Cut(place, "://")
	authority, path, _ := strings.Cut(rest, "/")
	path, query, _ := strings.Cut(path, "?")
	authority = authority[strings.LastIndexByte(authority, '@')+1:]
	name := head + "://" + authority + "/" + path
	values, err := url.ParseQuery(query)
	if err != nil {
		return name
	}
	kept := url.Values{}
	// what tells queues apart
	for _, key := range []string{"queue", "partition", "socket", "host"} {
		if v := values.Get(key); v != "" {
			kept.Set(key, v)
		}
	}
	if len(kept) > 0 {
		name += "?" + kept.Encode()
	}
	return name
}

// Log opens the queue at a place. Options are those of a folder; what a server
// needs to know is in its URL.
func Log(ctx context.Context, place string, mode Mode, folder seglog.Options) (nerve.Log, error) {
	if mode != Write {
		return open(ctx, place, mode, folder)
	}
	log, err := open(ctx, place, Read, folder)
	if err != nil {
		return nil, err
	}
	if err := log.Close(); err != nil {
		return nil, err
	}
	return open(ctx, place, Create, folder)
}

func open(ctx context.Context, place string, mode Mode, folder seglog.Options) (nerve.Log, error) {
	switch s := scheme(place); s {
	case "":
		folder.ReadOnly = mode == Read
		return checked(seglog.Open(place, folder))
	case "mysql", "postgres":
		return checked(sqllog.Open(ctx, place, sqllog.Options{ReadOnly: mode == Read}))
	case "kafka":
		return checked(kafkalog.Open(ctx, place, kafkalog.Options{
			ReadOnly: mode == Read, Create: mode == Create,
		}))
	case "nerve", "nerves":
		return checked(remote.Open(ctx, place, remote.Options{
			Token: os.Getenv(tokenVariable), ReadOnly: mode == Read, Create: mode == Create,
		}))
	default:
		return nil, &PlaceError{Scheme: s}
	}
}

// checked keeps a nil pointer from becoming a Log.
func checked[L nerve.Log](log L, err error) (nerve.Log, error) {
	if err != nil {
		return nil, err
	}
	return log, nil
}
