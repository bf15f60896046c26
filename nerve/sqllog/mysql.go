package sqllog

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"log"
	"net/url"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"
)

const mysqlNow = "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))"

// mysqlSchema is version 1. Names compare by their bytes. What a server that
// fell down has left of it is no error.
const mysqlSchema = `
CREATE TABLE IF NOT EXISTS nerve_schema (
  version INT NOT NULL PRIMARY KEY
) ENGINE=InnoDB;
CREATE TABLE IF NOT EXISTS nerve_queues (
  queue_id BIGINT NOT NULL PRIMARY KEY,
  name VARBINARY(128) NOT NULL UNIQUE,
  format INT NOT NULL,
  next_id BIGINT NOT NULL,
  first_id BIGINT NOT NULL,
  last_nano BIGINT NOT NULL,
  epoch BIGINT NOT NULL,
  owner VARBINARY(255) NOT NULL,
  lease_until BIGINT NOT NULL
) ENGINE=InnoDB;
CREATE TABLE IF NOT EXISTS nerve_batches (
  queue_id BIGINT NOT NULL,
  last_id BIGINT NOT NULL,
  first_id BIGINT NOT NULL,
  nano BIGINT NOT NULL,
  token BIGINT NOT NULL,
  codec INT NOT NULL,
  crc BIGINT NOT NULL,
  body LONGBLOB NOT NULL,
  PRIMARY KEY (queue_id, last_id),
  KEY by_time (queue_id, nano, last_id)
) ENGINE=InnoDB;
CREATE TABLE IF NOT EXISTS nerve_producers (
  queue_id BIGINT NOT NULL,
  producer BIGINT NOT NULL,
  seq BIGINT NOT NULL,
  first_id BIGINT NOT NULL,
  last_id BIGINT NOT NULL,
  nano BIGINT NOT NULL,
  PRIMARY KEY (queue_id, producer, seq)
) ENGINE=InnoDB;
CREATE TABLE IF NOT EXISTS nerve_pointers (
  queue_id BIGINT NOT NULL,
  name VARBINARY(128) NOT NULL,
  id BIGINT NOT NULL,
  hold INT NOT NULL,
  exact INT NOT NULL,
  meta VARBINARY(256) NOT NULL,
  saved BIGINT NOT NULL,
  PRIMARY KEY (queue_id, name)
) ENGINE=InnoDB;
CREATE TABLE IF NOT EXISTS nerve_claims (
  queue_id BIGINT NOT NULL,
  name VARBINARY(128) NOT NULL,
  epoch BIGINT NOT NULL,
  owner VARBINARY(255) NOT NULL,
  lease_until BIGINT NOT NULL,
  PRIMARY KEY (queue_id, name)
) ENGINE=InnoDB;
CREATE TABLE IF NOT EXISTS nerve_barriers (
  slot INT NOT NULL PRIMARY KEY,
  n BIGINT NOT NULL
) ENGINE=InnoDB;
CREATE TABLE IF NOT EXISTS nerve_outbox (
  outbox_id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
  queue_id BIGINT NOT NULL,
  producer BIGINT NOT NULL,
  seq BIGINT NOT NULL,
  codec INT NOT NULL,
  crc BIGINT NOT NULL,
  body LONGBLOB NOT NULL,
  KEY by_queue (queue_id, outbox_id)
) ENGINE=InnoDB;
`

// mysqlProgress has what consumers did above their pointers: NULL is nothing.
const mysqlProgress = `
ALTER TABLE nerve_pointers ADD COLUMN progress BLOB NULL;
`

// mysqlIDs has the ids of appends, with a running number of each.
const mysqlIDs = `
CREATE TABLE IF NOT EXISTS nerve_ids (
  queue_id BIGINT NOT NULL,
  id BINARY(16) NOT NULL,
  n BIGINT NOT NULL,
  first_id BIGINT NOT NULL,
  last_id BIGINT NOT NULL,
  nano BIGINT NOT NULL,
  PRIMARY KEY (queue_id, id),
  KEY by_number (queue_id, n)
) ENGINE=InnoDB;
`

func mysqlDialect() *dialect {
	return &dialect{
		name: "mysql",
		open: openMySQL,
		db:   mysqlDB,
		sql: makeStatements("START TRANSACTION", mysqlNow,
			"ON DUPLICATE KEY UPDATE "+
				"id = IF(exact = 1 AND id > VALUES(id), id, VALUES(id)), "+
				"hold = VALUES(hold), exact = GREATEST(exact, VALUES(exact)), "+
				"meta = VALUES(meta), saved = VALUES(saved), progress = VALUES(progress)"),
		migrations:   []string{mysqlSchema, mysqlProgress, mysqlIDs},
		lockSchema:   "DO GET_LOCK('nerve_schema', 60)",
		unlockSchema: "DO RELEASE_LOCK('nerve_schema')",
		check:        checkMySQL,
		barrier: "INSERT INTO nerve_barriers (slot, n) VALUES (?, 1) " +
			"ON DUPLICATE KEY UPDATE n = n + 1",
		fault: mysqlFault,
	}
}

// mysqlBackend keeps connections in a pool of database/sql.
type mysqlBackend struct{ db *sql.DB }

func openMySQL(u *url.URL) (backend, error) {
	db, err := mysqlDB(u)
	return &mysqlBackend{db: db}, err
}

func mysqlDB(u *url.URL) (*sql.DB, error) {
	place := "tcp(" + u.Host + ")"
	if u.Port() == "" {
		place = "tcp(" + u.Host + ":3306)"
	}
	query := u.Query()
	if socket := query.Get("socket"); socket != "" {
		place = "unix(" + socket + ")"
	}
	query.Del("socket")
	// The rest of the options are the driver's, which wants them in a form of
	// its own, with the address: that is checked in certificates.
	cfg, err := mysql.ParseDSN(place + "/?" + query.Encode())
	if err != nil {
		return nil, err
	}
	cfg.User = u.User.Username()
	cfg.Passwd, _ = u.User.Password()
	cfg.DBName = strings.TrimPrefix(u.Path, "/")
	cfg.Logger = log.New(discard{}, "", 0) // what it logs it also returns
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		return nil, err
	}
	db := sql.OpenDB(&isolated{connector})
	db.SetMaxIdleConns(8)
	// The server ends connections that are idle for long by itself.
	db.SetConnMaxIdleTime(30 * time.Second)
	return db, nil
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }

// isolated sets up each new connection: every SELECT sees what was committed
// when it began, and values that do not fit are errors.
type isolated struct{ driver.Connector }

var mysqlSession = []string{
	"SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED",
	"SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION'",
	// A transaction whose client is gone without a word gives its locks up.
	"SET SESSION wait_timeout = 60",
}

func (c *isolated) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	for _, statement := range mysqlSession {
		if _, err := conn.(driver.ExecerContext).ExecContext(ctx, statement, nil); err != nil {
			return nil, errors.Join(err, conn.Close())
		}
	}
	return conn, nil
}

func (m *mysqlBackend) connect(ctx context.Context) (conn, error) {
	c, err := m.db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	return &mysqlConn{conn: c, prepared: make(map[string]*sql.Stmt)}, nil
}

func (m *mysqlBackend) close() error { return m.db.Close() }

// mysqlConn prepares what has arguments, once: to write a blob into the text of
// a statement would double it.
type mysqlConn struct {
	conn     *sql.Conn
	prepared map[string]*sql.Stmt
}

func (c *mysqlConn) prepare(ctx context.Context, query string) (*sql.Stmt, error) {
	if s := c.prepared[query]; s != nil {
		return s, nil
	}
	s, err := c.conn.PrepareContext(ctx, query)
	if err == nil {
		c.prepared[query] = s
	}
	return s, err
}

func (c *mysqlConn) exec(ctx context.Context, query string, args ...any) (int64, error) {
	if len(args) == 0 {
		return affected(c.conn.ExecContext(ctx, query))
	}
	s, err := c.prepare(ctx, query)
	if err != nil {
		return 0, err
	}
	return affected(s.ExecContext(ctx, args...))
}

// affected is the number of rows of a result that came with err.
func affected(result sql.Result, err error) (int64, error) {
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

func (c *mysqlConn) query(
	ctx context.Context, query string, args []any, each func(scan) error,
) error {
	s, err := c.prepare(ctx, query)
	if err != nil {
		return err
	}
	rows, err := s.QueryContext(ctx, args...)
	return scanAll(rows, err, each)
}

// scanAll calls each for the rows of a query that returned err.
func scanAll(rows *sql.Rows, err error, each func(scan) error) error {
	if err != nil {
		return err
	}
	for rows.Next() {
		if err := each(rows.Scan); err != nil {
			return errors.Join(err, rows.Close())
		}
	}
	return errors.Join(rows.Err(), rows.Close())
}

func (c *mysqlConn) rows(
	ctx context.Context, query string, args []any, each func(*row) error,
) error {
	var r row
	var body sql.RawBytes
	return c.query(ctx, query, args, func(scan scan) error {
		if err := scan(&r.last, &r.first, &r.nano, &r.codec, &r.crc, &body); err != nil {
			return err
		}
		r.body = body
		return each(&r)
	})
}

func (c *mysqlConn) close(broken bool) {
	if broken {
		// The pool closes a connection of which this is said.
		_ = c.conn.Raw(func(any) error { return driver.ErrBadConn })
	} else {
		for _, s := range c.prepared {
			_ = s.Close() // a connection that fails here fails for its next user
		}
	}
	_ = c.conn.Close()
}

// The numbers are those of the errors of MySQL and MariaDB.
func mysqlFault(err error) fault {
	var e *mysql.MySQLError
	if !errors.As(err, &e) {
		return connectionFault(err)
	}
	switch e.Number {
	case 1040, 1053, 1077, 1078, 1079, 1080, 1152, 1159, 1160, 1161, 1203, 1226, 1927, 3024, 4031:
		return faultConnection
	case 1213, 1205, 1020, 1637:
		return faultConflict
	case 1062:
		return faultDuplicate
	case 1044, 1142, 1143, 1227, 1370:
		return faultDenied
	case 1045, 1698:
		return faultPassword
	case 1021, 1114:
		return faultDiskFull
	case 3, 1026: // a write to a file failed, and only the text says why
		if strings.Contains(e.Message, ": 28 ") {
			return faultDiskFull
		}
	case 1290, 1792, 1836:
		return faultReadOnly
	case 1146, 1051:
		return faultNoTable
	case 1054, 1136, 1364, 1366, 1264, 1406:
		return faultForeignTable
	case 1060:
		return faultColumnThere
	case 1049, 1046:
		return faultNoDatabase
	case 1153:
		return faultTooLarge
	}
	return faultOther
}

// checkMySQL reads the settings that decide whether a commit survives.
func checkMySQL(ctx context.Context, x execer, o *Options) (*settings, error) {
	var flush, binlog, syncBinlog, packet, readOnly int64
	var isolation string
	var engine string
	_, err := queryRow(ctx, x, "SELECT @@GLOBAL.innodb_flush_log_at_trx_commit, @@GLOBAL.log_bin, "+
		"@@GLOBAL.sync_binlog, @@GLOBAL.max_allowed_packet, @@GLOBAL.read_only", nil,
		&flush, &binlog, &syncBinlog, &packet, &readOnly)
	if err != nil {
		return nil, err
	}
	// The name changed: MariaDB before 11.1 knows the first one alone, MySQL
	// 8 the second one.
	if _, err = queryRow(ctx, x, "SELECT @@GLOBAL.tx_isolation", nil, &isolation); err != nil {
		_, err = queryRow(ctx, x, "SELECT @@GLOBAL.transaction_isolation", nil, &isolation)
		if err != nil {
			return nil, err
		}
	}
	// With a binary log that is synced, InnoDB shows what is in it.
	s := settings{early: binlog != 1 || syncBinlog != 1}
	if flush != 1 {
		s.weak = append(s.weak, fmt.Sprintf(
			"innodb_flush_log_at_trx_commit is %d and must be 1", flush))
	}
	if binlog == 1 && syncBinlog != 1 {
		s.weak = append(s.weak, fmt.Sprintf("sync_binlog is %d and must be 1", syncBinlog))
	}
	if need := int64(o.Limits.Batch) + packetOverhead; packet < need && !o.ReadOnly {
		s.wrong = append(s.wrong, fmt.Sprintf("max_allowed_packet is %d and must be %d "+
			"for batches of %d bytes", packet, need, o.Limits.Batch))
	}
	if readOnly == 1 && !o.ReadOnly {
		s.wrong = append(s.wrong, "read_only is on: this is a replica, or in maintenance")
	}
	if isolation == "READ-UNCOMMITTED" {
		s.wrong = append(s.wrong, "the isolation is READ-UNCOMMITTED and must be "+
			"READ-COMMITTED or REPEATABLE-READ, or readers of pointers see what is rolled back")
	}
	err = x.query(ctx, "SELECT table_name, engine FROM information_schema.tables "+
		"WHERE table_schema = DATABASE() AND table_name LIKE 'nerve\\_%'", nil,
		func(scan scan) error {
			var table string
			if err := scan(&table, &engine); err != nil {
				return err
			}
			if !strings.EqualFold(engine, "InnoDB") {
				s.wrong = append(s.wrong, fmt.Sprintf(
					"table %s has engine %s and must have InnoDB", table, engine))
			}
			return nil
		})
	return &s, err
}

// packetOverhead is what a packet holds beside the body of a batch.
const packetOverhead = 64 << 10
