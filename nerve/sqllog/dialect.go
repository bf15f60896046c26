package sqllog

import (
	"context"
	"database/sql"
	"net/url"
	"reflect"
	"strconv"
	"strings"

	"github.com/octopus-framework/octopus/nerve"
)

// conn is a connection that one goroutine uses at a time.
type conn interface {
	execer
	// rows runs a query for batches; the body of a row is valid during each.
	rows(ctx context.Context, query string, args []any, each func(*row) error) error
	// close gives the connection back, or ends it if it is broken. A
	// transaction that is open on it is rolled back by the server.
	close(broken bool)
}

// execer runs statements: a connection of ours, or a transaction of a caller.
type execer interface {
	// exec returns the number of rows that the statement changed.
	exec(ctx context.Context, query string, args ...any) (int64, error)
	// query calls each for every row of the result.
	query(ctx context.Context, query string, args []any, each func(scan) error) error
}

// scan reads the columns of a row.
type scan func(dest ...any) error

// queryRow scans the first row of a result and reports whether there is one.
func queryRow(
	ctx context.Context, x execer, query string, args []any, dest ...any,
) (found bool, err error) {
	err = x.query(ctx, query, args, func(scan scan) error {
		if found {
			return nil
		}
		found = true
		return scan(dest...)
	})
	return found, err
}

// row is a row of nerve_batches.
type row struct {
	last, first, nano int64
	codec, crc        int64
	body              []byte
}

// backend makes connections to a database.
type backend interface {
	connect(ctx context.Context) (conn, error)
	// close ends the connections that are not in use.
	close() error
}

// dialect is what tells one kind of database from another.
type dialect struct {
	name string // the scheme of URLs, too
	// open parses the URL, which has no queue in it any more.
	open func(u *url.URL) (backend, error)
	// db does the same for a program.
	db  func(u *url.URL) (*sql.DB, error)
	sql statements
	ids idStatements
	// migrations lead from one version of the schema to the next.
	migrations []string
	// lockSchema keeps others from migrating until the transaction or
	// connection ends.
	lockSchema, unlockSchema string
	// barrier is a change whose commit makes durable all that was committed
	// before it. Empty if the database shows only what is durable.
	barrier string
	// check looks for settings that do not keep the contract.
	check func(ctx context.Context, x execer, o *Options) (*settings, error)
	// fault says what an error of the server means.
	fault func(err error) fault
}

// dialectOf returns the dialect for a scheme of a URL, nil if there is none.
func dialectOf(scheme string) *dialect {
	switch scheme {
	case "mysql", "mariadb":
		return mysqlDialect().withIDs(func(q string) string { return q })
	case "postgres", "postgresql":
		return postgresDialect().withIDs(numbered)
	}
	return nil
}

// statements are written with ? for arguments.
type statements struct {
	begin, commit, rollback string

	version, setVersion string

	findQueue, createQueue string
	state, lockState       string
	advance                string
	insertBatch            string
	findToken              string

	producer, insertProducer, pruneProducer, forgetProducers string

	newestID, deleteID, pruneIDs string

	read, seek string

	trim, held, trimStep, deleteBatches string

	pointers, pointer, savePointer, removePointer string
	pastEnd, clampPointers                        string
	progress, setProgress                         string

	claimOf, insertClaim, updateClaim, releaseClaim string
	takeQueue, renewQueue, leaveQueue               string

	insertOutbox, readOutbox, peekOutbox string
}

// makeStatements fills in what the dialects write in different ways: now is
// the time in microseconds since 1970 by the clock of the server, upsert is
// what follows an INSERT of a pointer.
func makeStatements(begin, now, upsert string) statements {
	const state = "SELECT next_id, first_id, last_nano, epoch, owner, " +
		"lease_until, format FROM nerve_queues WHERE queue_id = ?"
	return statements{
		begin: begin, commit: "COMMIT", rollback: "ROLLBACK",

		version:    "SELECT MAX(version) FROM nerve_schema",
		setVersion: "INSERT INTO nerve_schema (version) VALUES (?)",

		findQueue: "SELECT queue_id FROM nerve_queues WHERE name = ?",
		createQueue: "INSERT INTO nerve_queues (queue_id, name, format, next_id, first_id, " +
			"last_nano, epoch, owner, lease_until) VALUES (?, ?, ?, 1, 1, 0, 0, '', 0)",
		state: strings.Replace(state, "lease_until,", "lease_until - "+now+",", 1),
		lockState: strings.Replace(state, "lease_until,", "lease_until - "+now+",", 1) +
			" FOR UPDATE",
		advance: "UPDATE nerve_queues SET next_id = ?, last_nano = ? " +
			"WHERE queue_id = ? AND next_id = ? AND epoch = ?",
		insertBatch: "INSERT INTO nerve_batches (queue_id, last_id, first_id, nano, token, " +
			"codec, crc, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
		findToken: "SELECT first_id, nano FROM nerve_batches " +
			"WHERE queue_id = ? AND last_id = ? AND token = ?",

		producer: "SELECT seq, first_id, last_id, nano FROM nerve_producers " +
			"WHERE queue_id = ? AND producer = ? ORDER BY seq DESC LIMIT ?",
		insertProducer: "INSERT INTO nerve_producers (queue_id, producer, seq, first_id, " +
			"last_id, nano) VALUES (?, ?, ?, ?, ?, ?)",
		pruneProducer: "DELETE FROM nerve_producers " +
			"WHERE queue_id = ? AND producer = ? AND seq <= ?",
		forgetProducers: "DELETE FROM nerve_producers " +
			"WHERE queue_id = ? AND last_id < ? AND nano < ?",

		newestID: "SELECT COALESCE(MAX(n), 0) FROM nerve_ids WHERE queue_id = ?",
		deleteID: "DELETE FROM nerve_ids WHERE queue_id = ? AND id = ?",
		pruneIDs: "DELETE FROM nerve_ids WHERE queue_id = ? AND n <= ?",

		read: "SELECT last_id, first_id, nano, codec, crc, body FROM nerve_batches " +
			"WHERE queue_id = ? AND last_id >= ? AND last_id <= ? ORDER BY last_id LIMIT ?",
		seek: "SELECT first_id FROM nerve_batches " +
			"WHERE queue_id = ? AND nano >= ? ORDER BY nano, last_id LIMIT 1",

		trim: "UPDATE nerve_queues SET first_id = ? WHERE queue_id = ?",
		held: "SELECT COALESCE(MIN(id), -1) FROM nerve_pointers WHERE queue_id = ? AND hold = 1",
		trimStep: "SELECT last_id FROM nerve_batches WHERE queue_id = ? AND last_id < ? " +
			"ORDER BY last_id LIMIT 1 OFFSET ?",
		deleteBatches: "DELETE FROM nerve_batches WHERE queue_id = ? AND last_id <= ?",

		pointers: "SELECT p.name, p.id, p.hold, p.meta, p.saved, COALESCE(c.epoch, 0), " +
			"p.progress FROM nerve_pointers p LEFT JOIN nerve_claims c " +
			"ON c.queue_id = p.queue_id AND c.name = p.name " +
			"WHERE p.queue_id = ? ORDER BY p.name",
		pointer: "SELECT id, hold, meta, progress FROM nerve_pointers " +
			"WHERE queue_id = ? AND name = ? FOR UPDATE",
		savePointer: "INSERT INTO nerve_pointers (queue_id, name, id, hold, exact, meta, saved, " +
			"progress) VALUES (?, ?, ?, ?, ?, ?, ?, ?) " + upsert,
		pastEnd: "SELECT p.name, p.id, q.next_id - 1 FROM nerve_pointers p " +
			"JOIN nerve_queues q ON q.queue_id = p.queue_id " +
			"WHERE p.queue_id = ? AND p.id >= q.next_id ORDER BY p.name LIMIT 1",
		progress: "SELECT p.name, p.progress, q.next_id - 1 FROM nerve_pointers p " +
			"JOIN nerve_queues q ON q.queue_id = p.queue_id " +
			"WHERE p.queue_id = ? AND p.progress IS NOT NULL",
		setProgress:   "UPDATE nerve_pointers SET progress = ? WHERE queue_id = ? AND name = ?",
		clampPointers: "UPDATE nerve_pointers SET id = ? WHERE queue_id = ? AND id > ?",
		removePointer: "DELETE FROM nerve_pointers WHERE queue_id = ? AND name = ?",

		claimOf: "SELECT epoch, owner, lease_until - " + now + " FROM nerve_claims " +
			"WHERE queue_id = ? AND name = ? FOR UPDATE",
		insertClaim: "INSERT INTO nerve_claims (queue_id, name, epoch, owner, lease_until) " +
			"VALUES (?, ?, ?, ?, ? + " + now + ")",
		updateClaim: "UPDATE nerve_claims SET epoch = ?, owner = ?, lease_until = ? + " + now +
			" WHERE queue_id = ? AND name = ?",
		releaseClaim: "UPDATE nerve_claims SET owner = '', lease_until = 0 " +
			"WHERE queue_id = ? AND name = ? AND epoch = ?",

		takeQueue: "UPDATE nerve_queues SET epoch = ?, owner = ?, lease_until = ? + " + now +
			" WHERE queue_id = ?",
		renewQueue: "UPDATE nerve_queues SET lease_until = ? + " + now +
			" WHERE queue_id = ? AND epoch = ?",
		leaveQueue: "UPDATE nerve_queues SET owner = '', lease_until = 0 " +
			"WHERE queue_id = ? AND epoch = ?",

		insertOutbox: "INSERT INTO nerve_outbox (queue_id, producer, seq, codec, crc, body) " +
			"VALUES (?, ?, ?, ?, ?, ?)",
		readOutbox: "SELECT outbox_id, producer, seq, codec, crc, body FROM nerve_outbox " +
			"WHERE queue_id = ? ORDER BY outbox_id LIMIT ?",
		peekOutbox: "SELECT 1 FROM nerve_outbox WHERE queue_id = ? LIMIT 1",
	}
}

// mapped returns the statements, each changed by f.
func (s statements) mapped(f func(string) string) statements {
	fields := reflect.ValueOf(&s).Elem()
	for i := range fields.NumField() {
		// Package reflect sets exported fields alone.
		field := (*string)(fields.Field(i).Addr().UnsafePointer())
		*field = f(*field)
	}
	return s
}

// numbered turns each ? of a statement into $1, $2 and so on.
func numbered(query string) string {
	var b strings.Builder
	n := 0
	for _, c := range query {
		if c != '?' {
			b.WriteRune(c)
			continue
		}
		n++
		b.WriteByte('$')
		b.WriteString(strconv.Itoa(n))
	}
	return b.String()
}

// settings are those of a server that do not keep the contract.
type settings struct {
	weak  []string // may lose what was committed; can be accepted
	wrong []string // cannot be accepted
	// early says that the server shows what was committed before it is durable.
	early bool
}

// err is what the settings come to, as one error that says all.
func (s *settings) err(server string, o *Options) error {
	list, advice := s.wrong, "change these settings of the server"
	if !o.AllowWeakDurability {
		if len(s.wrong) == 0 && len(s.weak) > 0 {
			advice = "change them, or accept it by Options.AllowWeakDurability"
		}
		list = append(list, s.weak...)
	}
	if len(list) == 0 {
		return nil
	}
	return &nerve.SetupError{Server: server, Reason: strings.Join(list, "; "), Advice: advice}
}
