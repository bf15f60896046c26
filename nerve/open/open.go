// Package open opens any queue by its address: a folder, or the URL of a queue in a database, in
// Kafka or behind nerve serve. It is a module of its own, because it requires the drivers of them
// all; a program that knows what it uses imports that package alone.
//
//	log, err := open.Log(ctx, os.Getenv("EVENTS"), open.Create, open.Options{})
//	queue := nerve.New(log, nerve.Options{})
package open

import (
	"context"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/kafkalog"
	"github.com/octopus-framework/octopus/nerve/remote"
	"github.com/octopus-framework/octopus/nerve/seglog"
	"github.com/octopus-framework/octopus/nerve/sqllog"
)

// Mode says what a log is opened for.
type Mode int

// The modes.
const (
	Read   Mode = iota // changes nothing, beside a writer if there is one
	Write              // a queue that exists: a mistyped name makes none
	Create             // makes the queue if need be
)

// Forms are the addresses that there are, for help texts.
const Forms = `  DIR                                        a folder
  mysql://USER:PASSWORD@HOST/DATABASE?queue=NAME      MariaDB or MySQL
  postgres://USER:PASSWORD@HOST/DATABASE?queue=NAME   PostgreSQL
  kafka://HOST:PORT/TOPIC?partition=0                 Kafka
  nerve://HOST:PORT/QUEUE                             nerve serve, nerves:// with TLS;
      the token is in ?token=FILE, certificates ?ca=FILE&cert=FILE&key=FILE`

// AddressError says that an address is none of [Forms].
type AddressError struct{ Scheme string }

// Error implements error.
func (e *AddressError) Error() string {
	return fmt.Sprintf("nerve: there are no queues at %s://; an address is one of\n%s", e.Scheme,
		Forms)
}

// Options are those of the kinds of logs. What an address says of them counts more, and what the
// mode says counts most. The zero value is that of each kind.
type Options struct {
	Folder seglog.Options
	SQL    sqllog.Options
	Kafka  kafkalog.Options
	Server remote.Options
}

// scheme returns that of a URL, empty for a folder.
func scheme(address string) string {
	s, _, found := strings.Cut(address, "://")
	if !found || strings.ContainsAny(s, "/.\\") {
		return ""
	}
	return s
}

// IsFolder reports whether an address is a folder.
func IsFolder(address string) bool { return scheme(address) == "" }

// IsServer reports whether an address is on a server of nerve.
func IsServer(address string) bool {
	s := scheme(address)
	return s == "nerve" || s == "nerves"
}

// Name is an address without its password, the same for each way to say it as far as is known: for
// messages, and to know an address again.
func Name(address string) string {
	if IsFolder(address) {
		if path, err := filepath.Abs(address); err == nil {
			return path
		}
		return address
	}
	head, rest, _ := strings.Cut(address, "://")
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

// Log opens the queue at an address. Errors are those of the kind of log, and an [AddressError].
// The caller closes the log, which [nerve.Queue.Close] does.
func Log(ctx context.Context, address string, mode Mode, options Options) (nerve.Log, error) {
	if mode != Write {
		return open(ctx, address, mode, options)
	}
	log, err := open(ctx, address, Read, options)
	if err != nil {
		return nil, err
	}
	if err := log.Close(); err != nil {
		return nil, err
	}
	return open(ctx, address, Create, options)
}

func open(ctx context.Context, address string, mode Mode, o Options) (nerve.Log, error) {
	readOnly, create := mode == Read, mode == Create
	switch s := scheme(address); s {
	case "":
		o.Folder.ReadOnly = readOnly
		return checked(seglog.Open(address, o.Folder))
	case "mysql", "postgres":
		o.SQL.ReadOnly = readOnly
		return checked(sqllog.Open(ctx, address, o.SQL))
	case "kafka":
		o.Kafka.ReadOnly, o.Kafka.Create = readOnly, create
		return checked(kafkalog.Open(ctx, address, o.Kafka))
	case "nerve", "nerves":
		o.Server.ReadOnly, o.Server.Create = readOnly, create
		return checked(remote.Open(ctx, address, o.Server))
	default:
		return nil, &AddressError{Scheme: s}
	}
}

// checked keeps a nil pointer from becoming a Log.
func checked[L nerve.Log](log L, err error) (nerve.Log, error) {
	if err != nil {
		return nil, err
	}
	return log, nil
}
