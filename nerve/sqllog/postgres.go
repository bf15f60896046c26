package sqllog

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
)

const postgresNow = "(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000)::bigint"

// postgresSchema is version 1, see mysqlSchema. Bodies are compressed already.
const postgresSchema = `
CREATE TABLE IF NOT EXISTS nerve_schema (
  version INT NOT NULL PRIMARY KEY
);
CREATE TABLE IF NOT EXISTS nerve_queues (
  queue_id BIGINT NOT NULL PRIMARY KEY,
  name TEXT COLLATE "C" NOT NULL UNIQUE,
  format BIGINT NOT NULL,
  next_id BIGINT NOT NULL,
  first_id BIGINT NOT NULL,
  last_nano BIGINT NOT NULL,
  epoch BIGINT NOT NULL,
  owner TEXT NOT NULL,
  lease_until BIGINT NOT NULL
) WITH (fillfactor = 10, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
CREATE TABLE IF NOT EXISTS nerve_batches (
  queue_id BIGINT NOT NULL,
  last_id BIGINT NOT NULL,
  first_id BIGINT NOT NULL,
  nano BIGINT NOT NULL,
  token BIGINT NOT NULL,
  codec BIGINT NOT NULL,
  crc BIGINT NOT NULL,
  body BYTEA NOT NULL,
  PRIMARY KEY (queue_id, last_id)
);
ALTER TABLE nerve_batches ALTER COLUMN body SET STORAGE EXTERNAL;
CREATE INDEX IF NOT EXISTS nerve_batches_by_time ON nerve_batches (queue_id, nano, last_id);
CREATE TABLE IF NOT EXISTS nerve_producers (
  queue_id BIGINT NOT NULL,
  producer BIGINT NOT NULL,
  seq BIGINT NOT NULL,
  first_id BIGINT NOT NULL,
  last_id BIGINT NOT NULL,
  nano BIGINT NOT NULL,
  PRIMARY KEY (queue_id, producer, seq)
);
CREATE TABLE IF NOT EXISTS nerve_pointers (
  queue_id BIGINT NOT NULL,
  name TEXT COLLATE "C" NOT NULL,
  id BIGINT NOT NULL,
  hold BIGINT NOT NULL,
  exact BIGINT NOT NULL,
  meta BYTEA NOT NULL,
  saved BIGINT NOT NULL,
  PRIMARY KEY (queue_id, name)
) WITH (fillfactor = 50);
CREATE TABLE IF NOT EXISTS nerve_claims (
  queue_id BIGINT NOT NULL,
  name TEXT COLLATE "C" NOT NULL,
  epoch BIGINT NOT NULL,
  owner TEXT NOT NULL,
  lease_until BIGINT NOT NULL,
  PRIMARY KEY (queue_id, name)
) WITH (fillfactor = 50);
CREATE TABLE IF NOT EXISTS nerve_outbox (
  outbox_id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  queue_id BIGINT NOT NULL,
  producer BIGINT NOT NULL,
  seq BIGINT NOT NULL,
  codec BIGINT NOT NULL,
  crc BIGINT NOT NULL,
  body BYTEA NOT NULL
);
ALTER TABLE nerve_outbox ALTER COLUMN body SET STORAGE EXTERNAL;
CREATE INDEX IF NOT EXISTS nerve_outbox_by_queue ON nerve_outbox (queue_id, outbox_id);
`

// postgresProgress has what consumers did above their pointers: NULL is nothing.
const postgresProgress = `
ALTER TABLE nerve_pointers ADD COLUMN IF NOT EXISTS progress BYTEA;
`

// postgresIDs has the ids of appends, with a running number of each.
const postgresIDs = `
CREATE TABLE IF NOT EXISTS nerve_ids (
  queue_id BIGINT NOT NULL,
  id BYTEA NOT NULL,
  n BIGINT NOT NULL,
  first_id BIGINT NOT NULL,
  last_id BIGINT NOT NULL,
  nano BIGINT NOT NULL,
  PRIMARY KEY (queue_id, id)
);
CREATE INDEX IF NOT EXISTS nerve_ids_by_number ON nerve_ids (queue_id, n);
`

func postgresDialect() *dialect {
	s := makeStatements("BEGIN", postgresNow, "ON CONFLICT (queue_id, name) DO UPDATE SET "+
		"id = CASE WHEN p.exact = 1 THEN GREATEST(p.id, EXCLUDED.id) ELSE EXCLUDED.id END, "+
		"hold = EXCLUDED.hold, exact = GREATEST(p.exact, EXCLUDED.exact), "+
		"meta = EXCLUDED.meta, saved = EXCLUDED.saved, progress = EXCLUDED.progress")
	s.savePointer = strings.Replace(s.savePointer, "nerve_pointers", "nerve_pointers AS p", 1)
	return &dialect{
		name:       "postgres",
		open:       openPostgres,
		db:         postgresDB,
		sql:        s.mapped(numbered),
		migrations: []string{postgresSchema, postgresProgress, postgresIDs},
		// Half a key each, so that it is not that of somebody else by chance.
		lockSchema:   "SELECT pg_advisory_lock(1852142198, 1935894637)",
		unlockSchema: "SELECT pg_advisory_unlock(1852142198, 1935894637)",
		check:        checkPostgres,
		fault:        postgresFault,
	}
}

// postgresBackend keeps some connections that are not in use.
type postgresBackend struct {
	config *pgx.ConnConfig

	mu     sync.Mutex
	idle   []*pgx.Conn
	closed bool
}

const maxIdle = 8

func openPostgres(u *url.URL) (backend, error) {
	config, err := postgresConfig(u)
	return &postgresBackend{config: config}, err
}

func postgresDB(u *url.URL) (*sql.DB, error) {
	config, err := postgresConfig(u)
	if err != nil {
		return nil, err
	}
	return stdlib.OpenDB(*config), nil
}

func postgresConfig(u *url.URL) (*pgx.ConnConfig, error) {
	config, err := pgx.ParseConfig(u.String())
	if err != nil {
		return nil, err
	}
	// A SELECT sees what was committed when it began. A transaction whose
	// client is gone without a word gives its locks up.
	config.RuntimeParams["default_transaction_isolation"] = "read committed"
	config.RuntimeParams["idle_in_transaction_session_timeout"] = "60s"
	if config.RuntimeParams["application_name"] == "" {
		config.RuntimeParams["application_name"] = "nerve"
	}
	return config, nil
}

func (p *postgresBackend) connect(ctx context.Context) (conn, error) {
	p.mu.Lock()
	if n := len(p.idle); n > 0 {
		c := p.idle[n-1]
		p.idle = p.idle[:n-1]
		p.mu.Unlock()
		return &postgresConn{backend: p, conn: c}, nil
	}
	p.mu.Unlock()
	c, err := pgx.ConnectConfig(ctx, p.config)
	if err != nil {
		return nil, err
	}
	return &postgresConn{backend: p, conn: c}, nil
}

func (p *postgresBackend) close() error {
	p.mu.Lock()
	idle := p.idle
	p.idle, p.closed = nil, true
	p.mu.Unlock()
	for _, c := range idle {
		endPostgres(c)
	}
	return nil
}

// endPostgres ends a connection. One that does not say goodbye in time is
// dropped, which is as good.
func endPostgres(c *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = c.Close(ctx)
}

type postgresConn struct {
	backend *postgresBackend
	conn    *pgx.Conn
}

func (c *postgresConn) exec(ctx context.Context, query string, args ...any) (int64, error) {
	tag, err := c.conn.Exec(ctx, query, args...)
	return tag.RowsAffected(), err
}

func (c *postgresConn) query(
	ctx context.Context, query string, args []any, each func(scan) error,
) error {
	rows, err := c.conn.Query(ctx, query, args...)
	return scanRows(rows, err, each)
}

// scanRows calls each for the rows of a query that returned err.
func scanRows(rows pgx.Rows, err error, each func(scan) error) error {
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := each(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}

func (c *postgresConn) rows(
	ctx context.Context, query string, args []any, each func(*row) error,
) error {
	rows, err := c.conn.Query(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	var r row
	for rows.Next() {
		err := rows.Scan(&r.last, &r.first, &r.nano, &r.codec, &r.crc, (*driverBytes)(&r.body))
		if err != nil {
			return err
		}
		if err := each(&r); err != nil {
			return err
		}
	}
	return rows.Err()
}

// driverBytes is a column of bytes in the memory of the driver.
type driverBytes []byte

// ScanBytes implements pgtype.BytesScanner.
func (b *driverBytes) ScanBytes(v []byte) error {
	*b = v
	return nil
}

func (c *postgresConn) close(broken bool) {
	p := c.backend
	if !broken && !c.conn.IsClosed() && c.conn.PgConn().TxStatus() == 'I' {
		p.mu.Lock()
		if !p.closed && len(p.idle) < maxIdle {
			p.idle = append(p.idle, c.conn)
			p.mu.Unlock()
			return
		}
		p.mu.Unlock()
	}
	endPostgres(c.conn)
}

func postgresFault(err error) fault {
	var e *pgconn.PgError
	if !errors.As(err, &e) {
		return connectionFault(err)
	}
	switch e.Code {
	case "40001", "40P01", "55P03", "25P03":
		return faultConflict
	case "23505":
		return faultDuplicate
	case "42501":
		return faultDenied
	case "28000", "28P01":
		return faultPassword
	case "53100":
		return faultDiskFull
	case "25006":
		return faultReadOnly
	case "42P01", "3F000":
		return faultNoTable
	case "42703", "42804", "42883", "22003", "22001":
		return faultForeignTable
	case "3D000":
		return faultNoDatabase
	}
	switch e.Code[:2] {
	case "08", "57", "53":
		return faultConnection
	}
	return faultOther
}

// checkPostgres reads the settings that decide whether a commit survives.
func checkPostgres(ctx context.Context, x execer, o *Options) (*settings, error) {
	var fsync, pages, commit, isolation string
	var version int64
	var recovery bool
	_, err := queryRow(ctx, x, "SELECT current_setting('fsync'), "+
		"current_setting('full_page_writes'), current_setting('synchronous_commit'), "+
		"current_setting('default_transaction_isolation'), "+
		"current_setting('server_version_num')::bigint, pg_is_in_recovery()", nil,
		&fsync, &pages, &commit, &isolation, &version, &recovery)
	if err != nil {
		return nil, err
	}
	var s settings
	if fsync != "on" {
		s.weak = append(s.weak, fmt.Sprintf("fsync is %s and must be on", fsync))
	}
	if pages != "on" {
		s.weak = append(s.weak, fmt.Sprintf("full_page_writes is %s and must be on", pages))
	}
	if commit == "off" {
		s.weak = append(s.weak, "synchronous_commit is off and must be on")
	}
	if version < 12_00_00 {
		s.wrong = append(s.wrong, fmt.Sprintf("the server has version %d.%d and must have 12",
			version/10000, version%10000))
	}
	if recovery && !o.ReadOnly {
		s.wrong = append(s.wrong, "the server is a replica; use the primary")
	}
	if !strings.EqualFold(isolation, "read committed") {
		s.wrong = append(s.wrong, fmt.Sprintf(
			"the isolation of new transactions is %s although read committed was asked for; "+
				"look for a pooler that drops settings", isolation))
	}
	return &s, nil
}
