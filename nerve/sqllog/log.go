package sqllog

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/binary"
	"fmt"
	"net/url"
	"os"
	"sync"
	"time"

	"github.com/octopus-framework/octopus/nerve"
)

// Log is a queue in a database. Create it with Open. It is safe for concurrent
// use.
type Log struct {
	dialect *dialect
	backend backend
	options Options
	server  string // name of the server for errors, without a password
	queue   string
	id      int64 // id of the queue; drawn at random, so no other database has it
	owner   string
	// early says that the server shows what is not durable yet, see barrier.
	early bool

	life context.Context // ends when the log is closed
	end  context.CancelCauseFunc
	done sync.WaitGroup // what runs in the background

	// writer holds a token: who has it appends and owns the fields up to mu.
	writer chan struct{}
	hint   hint
	conn   conn // connection of the writer, nil if there is none

	mu      sync.Mutex
	first   nerve.ID
	last    nerve.ID
	moved   chan struct{} // closed when last grows
	waiting int           // cursors at the end
	failed  error
	claims  map[string]uint64 // epochs of names that this log claimed
	lease   nerve.Claim       // lease of the only writer, zero if not Exclusive
	closed  bool

	kick chan struct{} // holds a token when a cursor began to wait
}

var (
	_ nerve.Log          = (*Log)(nil)
	_ nerve.Repeatable   = (*Log)(nil)
	_ nerve.Deduplicator = (*Log)(nil)
	_ nerve.Claimer      = (*Log)(nil)
)

// Open opens a queue of a database, and makes the tables and the queue if they
// are not there. The database must exist. The URL is one of
//
//	mysql://user:password@host:3306/database?queue=NAME
//	mysql://user@/database?socket=/run/mysqld/mysqld.sock&queue=NAME
//	postgres://user:password@host:5432/database?queue=NAME
//
// with further options of go-sql-driver or pgx, such as tls or sslmode. It must
// lead to the primary: a replica that lags shows a past in which records are
// missing that were acknowledged.
//
// Open tries until ctx ends while the server cannot be reached.
func Open(ctx context.Context, address string, options Options) (*Log, error) {
	options.setDefaults()
	l, err := prepare(address, options)
	if err != nil {
		return nil, err
	}
	if err := l.open(ctx); err != nil {
		l.end(nerve.ErrClosed)
		_ = l.backend.close() // nothing of it is in use
		return nil, err
	}
	l.done.Go(l.watch)
	if l.lease.Epoch != 0 {
		l.done.Go(l.keepLease)
	}
	return l, nil
}

// OpenDB opens the database at a URL as Open understands it, with database/sql,
// for a program that has no pool of connections of its own. Transactions are
// READ COMMITTED unless they are begun otherwise.
func OpenDB(address string) (*sql.DB, error) {
	a, err := parse(address)
	if err != nil {
		return nil, err
	}
	db, err := a.dialect.db(a.url)
	return db, a.refused(err)
}

// address is a URL, without the queue.
type address struct {
	url     *url.URL
	dialect *dialect
	server  string // name of the server for errors, without a password
	queue   string
}

func parse(text string) (*address, error) {
	u, err := url.Parse(text)
	if err != nil {
		// The text of the error holds the URL, and that a password.
		return nil, &nerve.SetupError{Server: "sqllog", Reason: "the address is not a URL",
			Advice: "write mysql://user:password@host/database?queue=NAME"}
	}
	a := &address{
		url: u, dialect: dialectOf(u.Scheme),
		server: (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String(),
	}
	if a.dialect == nil {
		return nil, &nerve.SetupError{Server: a.server,
			Reason: fmt.Sprintf("scheme %q is not one of a database", u.Scheme),
			Advice: "use mysql:// or postgres://"}
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil { // what it cannot read it would leave out
		return nil, &nerve.SetupError{Server: a.server,
			Reason: "the parameters of the URL cannot be read",
			Advice: "write ; as %3B and % as %25"}
	}
	a.queue = query.Get("queue")
	query.Del("queue")
	u.RawQuery = query.Encode()
	return a, nil
}

// refused is the error of a driver about the URL, nil if err is.
func (a *address) refused(err error) error {
	if err == nil {
		return nil
	}
	return &nerve.SetupError{
		Server: a.server, Reason: "the driver refuses the URL", Advice: "correct it", Err: err}
}

// prepare makes a log of a URL, without a contact.
func prepare(text string, options Options) (*Log, error) {
	a, err := parse(text)
	if err != nil {
		return nil, err
	}
	if options.Queue == "" {
		options.Queue = a.queue
	}
	if options.Queue == "" {
		return nil, &nerve.SetupError{Server: a.server, Reason: "the queue has no name",
			Advice: "add ?queue=NAME to the URL, or set Options.Queue"}
	}
	if err := nerve.CheckName(options.Queue); err != nil {
		return nil, err
	}
	b, err := a.dialect.open(a.url)
	if err != nil {
		return nil, a.refused(err)
	}
	host, _ := os.Hostname()
	l := &Log{
		dialect: a.dialect, backend: b, options: options, server: a.server, queue: options.Queue,
		owner:  fmt.Sprintf("%.200s, process %d", host, os.Getpid()),
		writer: make(chan struct{}, 1), kick: make(chan struct{}, 1),
		first: 1, moved: make(chan struct{}), claims: make(map[string]uint64),
	}
	l.life, l.end = context.WithCancelCause(context.Background())
	return l, nil
}

// open does what needs the server.
func (l *Log) open(ctx context.Context) error {
	err := l.retry(ctx, "open", func(ctx context.Context, c conn) error {
		if err := l.migrate(ctx, c); err != nil {
			return err
		}
		found, err := l.dialect.check(ctx, c, &l.options)
		if err != nil {
			return err
		}
		if err := found.err(l.server, &l.options); err != nil {
			return err
		}
		l.early = found.early && l.dialect.barrier != "" && !l.options.AllowWeakDurability
		return l.findQueue(ctx, c)
	})
	if err != nil {
		return err
	}
	if err := l.checkPointers(ctx); err != nil {
		return err
	}
	if l.options.Exclusive && !l.options.ReadOnly {
		if err := l.takeLease(ctx); err != nil {
			return err
		}
	}
	return l.refresh(ctx)
}

// findQueue looks the queue up and makes it if it is not there.
func (l *Log) findQueue(ctx context.Context, c conn) error {
	found, err := queryRow(ctx, c, l.dialect.sql.findQueue, []any{[]byte(l.queue)}, &l.id)
	if err != nil || found {
		return err
	}
	if l.options.ReadOnly {
		return &nerve.SetupError{Server: l.server,
			Reason: fmt.Sprintf("there is no queue %q", l.queue),
			Advice: "correct the name, or open it for writing once"}
	}
	_, err = c.exec(ctx, l.dialect.sql.createQueue, random(), []byte(l.queue), format)
	if err != nil && l.dialect.fault(err) != faultDuplicate {
		return err
	}
	_, err = queryRow(ctx, c, l.dialect.sql.findQueue, []any{[]byte(l.queue)}, &l.id)
	return err
}

// random returns a number that nobody else draws.
func random() int64 {
	var b [8]byte
	rand.Read(b[:]) // never fails
	return int64(binary.LittleEndian.Uint64(b[:]) >> 1)
}

// Limits implements nerve.Log.
func (l *Log) Limits() nerve.Limits { return l.options.Limits }

// Queue returns the name of the queue.
func (l *Log) Queue() string { return l.queue }

// closeTimeout bounds what Close says to the server.
const closeTimeout = 3 * time.Second

// Close implements nerve.Log. It gives up the claims of the log, so that others
// need not wait for the end of a lease; when the server does not answer within
// some seconds they do.
func (l *Log) Close() error {
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return nerve.ErrClosed
	}
	l.closed = true
	l.mu.Unlock()
	l.end(nerve.ErrClosed)
	l.writer <- struct{}{} // an append that was under way is over now
	l.done.Wait()
	l.dropConn(false)
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	l.releaseAll(ctx)
	return l.backend.close()
}

// check returns why nothing can be done, nil if something can.
func (l *Log) check(ctx context.Context) error {
	if l.life.Err() != nil {
		return nerve.ErrClosed
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

// checkWrite is check for what changes the queue.
func (l *Log) checkWrite(ctx context.Context) error {
	if err := l.check(ctx); err != nil {
		return err
	}
	if l.options.ReadOnly {
		return nerve.ErrReadOnly
	}
	return nil
}
