//go:build linux

package sqllog_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/octopus-framework/octopus/internal/oracle"
	"github.com/octopus-framework/octopus/internal/oracle/sqlservers"
	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/sqllog"
)

// wantSetup opens a queue, which must be refused for these reasons.
func wantSetup(t *testing.T, address string, options sqllog.Options, reasons ...string) {
	t.Helper()
	l, err := sqllog.Open(testContext(t), address, options)
	if err == nil {
		l.Close()
		t.Fatalf("Open succeeded; want %q", reasons)
	}
	e := wantError[*nerve.SetupError](t, err)
	for _, reason := range reasons {
		if !strings.Contains(e.Reason, reason) {
			t.Errorf("the reason is %q, want %q in it", e.Reason, reason)
		}
	}
	if e.Advice == "" || e.Server == "" {
		t.Errorf("%+v does not say where or what to do", e)
	}
	if strings.Contains(err.Error(), "hunter2") {
		t.Errorf("%v shows the password", err)
	}
}

// TestWeakSettings refuses servers that may lose what they committed, unless
// that is accepted, in one error that names all.
func TestWeakSettings(t *testing.T) {
	proof(t)
	for _, test := range []struct {
		kind     *sqlservers.Kind
		settings []string
		weak     []string
	}{
		{sqlservers.MariaDB(), []string{"innodb-flush-log-at-trx-commit=2", "log-bin",
			"sync-binlog=0"},
			[]string{"innodb_flush_log_at_trx_commit is 2", "sync_binlog is 0"}},
		{sqlservers.Postgres(), []string{"synchronous_commit=off", "fsync=off",
			"full_page_writes=off"},
			[]string{"synchronous_commit is off", "fsync is off", "full_page_writes is off"}},
	} {
		t.Run(test.kind.Name, func(t *testing.T) {
			server := own(t, test.kind, test.settings...)
			address := withQueue(t, server.URL(), newQueue())
			wantSetup(t, address, sqllog.Options{}, test.weak...)
			l := open(t, address, sqllog.Options{AllowWeakDurability: true})
			if _, err := l.Append(testContext(t), records("a")); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// TestWrongSettings refuses what nobody can accept.
func TestWrongSettings(t *testing.T) {
	proof(t)
	t.Run("mariadb", func(t *testing.T) {
		server := own(t, sqlservers.MariaDB(), "transaction-isolation=READ-UNCOMMITTED",
			"max-allowed-packet=1M")
		address := withQueue(t, server.URL(), newQueue())
		wantSetup(t, address, sqllog.Options{AllowWeakDurability: true},
			"isolation is READ-UNCOMMITTED", "max_allowed_packet is 1048576 and must be 8454144")
		db := database(t, address)
		db.must(t, "SET GLOBAL tx_isolation = 'READ-COMMITTED'")
		limits := nerve.Limits{Record: 1 << 10, Batch: 100 << 10}
		open(t, address, sqllog.Options{Limits: limits}).Close()
		db.must(t, "ALTER TABLE nerve_pointers ENGINE=MyISAM")
		wantSetup(t, address, sqllog.Options{Limits: limits}, "nerve_pointers has engine MyISAM")
		db.must(t, "ALTER TABLE nerve_pointers ENGINE=InnoDB")
		db.must(t, "SET GLOBAL read_only = 1")
		wantSetup(t, address, sqllog.Options{Limits: limits}, "read_only is on")
	})
	t.Run("postgres", func(t *testing.T) {
		server := shared(t, sqlservers.Postgres())
		address := withQueue(t, server.URL(), newQueue())
		wantSetup(t, address+"&default_transaction_read_only=on", sqllog.Options{},
			"takes no writes")
		open(t, address, sqllog.Options{}).Close()
		// A queue can be read where nothing can be written.
		open(t, address+"&default_transaction_read_only=on", sqllog.Options{ReadOnly: true}).Close()
	})
}

// TestAddresses refuses what does not name a queue.
func TestAddresses(t *testing.T) {
	for address, reason := range map[string]string{
		"sqlite:///tmp/x?queue=a":                   `scheme "sqlite"`,
		"/var/lib/queue":                            `scheme ""`,
		"mysql://u:hunter2@127.0.0.1:1/db":          "no name",
		"mysql://u:hunter2@ /db?queue=a":            "not a URL",
		"mysql://u@127.0.0.1/db?queue=a&timeout=xx": "driver refuses",
		"postgres://u:hunter2@h/db?queue=a&port=xx": "driver refuses",
		"mysql://u:hunter2@h/db?queue=a'; DROP":     "parameters of the URL",
		"postgres://u:hunter2@h/db?queue=a&x=%zz":   "parameters of the URL",
	} {
		wantSetup(t, address, sqllog.Options{}, reason)
	}
	_, err := sqllog.Open(testContext(t), "mysql://u@h/db?queue=a%20b", sqllog.Options{})
	if e := wantError[*nerve.NameError](t, err); !strings.Contains(e.Error(), "queue") {
		t.Errorf("%v", e)
	}
}

// TestWrongPassword is refused for that, and not for want of rights.
func TestWrongPassword(t *testing.T) {
	onEach(t, func(t *testing.T, server *sqlservers.Server) {
		who := "stranger@"
		if admin := database(t, server.URL()); admin.kind == "mysql" {
			admin.must(t, "CREATE USER locked@localhost IDENTIFIED BY 'right'")
			who = "locked:hunter2@"
		}
		address := strings.Replace(server.URL(), "nerve@", who, 1)
		wantSetup(t, withQueue(t, address, newQueue()), sqllog.Options{},
			"does not let this user in")
	})
}

// TestServerIsAway says so, with the cause of the context, when nobody answers.
func TestServerIsAway(t *testing.T) {
	for _, address := range []string{
		"mysql://u:hunter2@127.0.0.1:1/db?queue=a", "postgres://u:hunter2@127.0.0.1:1/db?queue=a",
	} {
		cause := errors.New("enough")
		ctx, cancel := context.WithTimeoutCause(context.Background(), 50*time.Millisecond, cause)
		defer cancel()
		_, err := sqllog.Open(ctx, address, sqllog.Options{})
		e := wantError[*nerve.ConnectionError](t, err)
		if !errors.Is(err, cause) || !strings.Contains(e.Server, "127.0.0.1:1") ||
			strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%v", err)
		}
	}
}

// TestRights opens with users that lack some.
func TestRights(t *testing.T) {
	onEach(t, func(t *testing.T, server *sqlservers.Server) {
		admin := database(t, server.URL())
		user, grant := "CREATE USER poor@localhost", "GRANT SELECT ON nerve_%s TO poor@localhost"
		if admin.kind == "postgres" {
			user, grant = "CREATE USER poor", "GRANT SELECT ON nerve_%s TO poor"
			admin.must(t, "REVOKE CREATE ON SCHEMA public FROM PUBLIC")
		}
		admin.must(t, user)
		poor := func(database string) string {
			return strings.Replace(strings.Replace(server.URL(), "nerve@", "poor@", 1),
				"/nerve?", "/"+database+"?", 1)
		}
		queue := newQueue()
		log := open(t, withQueue(t, server.URL(), queue), sqllog.Options{})
		if _, err := log.Append(testContext(t), records("a")); err != nil {
			t.Fatal(err)
		}
		// Not even to look.
		wantSetup(t, withQueue(t, poor("nerve"), queue), sqllog.Options{}, "lacks a right")
		for _, table := range []string{
			"schema", "queues", "batches", "pointers", "producers", "claims", "outbox",
		} {
			admin.must(t, strings.Replace(grant, "%s", table, 1))
		}
		reader := sqllog.Options{ReadOnly: true, AllowWeakDurability: true}
		read := open(t, withQueue(t, poor("nerve"), queue), reader)
		if got, err := contents(testContext(t), read); err != nil || len(got) != 1 {
			t.Fatalf("a reader reads %q, %v", got, err)
		}
		if _, err := read.Append(testContext(t), records("b")); !errors.Is(err, nerve.ErrReadOnly) {
			t.Fatalf("Append = %v", err)
		}
		// To look and not to write.
		writer := open(t, withQueue(t, poor("nerve"), queue),
			sqllog.Options{AllowWeakDurability: true})
		_, err := writer.Append(testContext(t), records("b"))
		e := wantError[*nerve.SetupError](t, err)
		if !strings.Contains(e.Reason, "lacks a right") || !strings.Contains(e.Advice, "grant") {
			t.Fatalf("%+v", e)
		}
		wantSetup(t, withQueue(t, poor("nerve"), "another"),
			sqllog.Options{AllowWeakDurability: true},
			"lacks a right")
		// Tables cannot be made.
		admin.must(t, "CREATE DATABASE bare")
		if admin.kind == "mysql" {
			admin.must(t, "GRANT SELECT ON bare.* TO poor@localhost")
		} else {
			address := strings.Replace(server.URL(), "/nerve?", "/bare?", 1)
			database(t, address).must(t, "REVOKE CREATE ON SCHEMA public FROM PUBLIC")
		}
		wantSetup(t, withQueue(t, poor("bare"), "q"), sqllog.Options{}, "may not create tables")
		wantSetup(t, withQueue(t, strings.Replace(server.URL(), "/nerve?", "/nowhere?", 1), "q"),
			sqllog.Options{}, "no such database")
		wantBounds(t, log, 1, 1)
	})
}

func wantBounds(t *testing.T, log nerve.Log, first, last nerve.ID) {
	t.Helper()
	if f, l := log.Bounds(); f != first || l != last {
		t.Fatalf("Bounds = %d, %d; want %d, %d", f, l, first, last)
	}
}

// TestDiskFull gives an error that is ENOSPC, stores nothing of the batch, and
// goes on when there is space.
func TestDiskFull(t *testing.T) {
	proof(t)
	for _, kind := range sqlservers.Kinds() {
		t.Run(kind.Name, func(t *testing.T) {
			if err := kind.Missing(); err != nil {
				oracle.Skip(t, kind.Name, err.Error())
			}
			dir, err := os.MkdirTemp("/tmp", "small-disk-")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { os.RemoveAll(dir) })
			if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=400m,mode=777"); err != nil {
				oracle.Skip(t, "tmpfs", "a small disk cannot be mounted: "+err.Error())
			}
			t.Cleanup(func() {
				if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
					t.Error(err)
				}
			})
			var settings []string
			if kind.Name == "mariadb" {
				settings = []string{"innodb-log-file-size=8M"}
			}
			server, err := sqlservers.StartIn(dir, kind, settings...)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if t.Failed() {
					t.Logf("the server said:\n%s", server.Output())
				}
				_ = server.Stop()
			})
			log := open(t, withQueue(t, server.URL(), newQueue()),
				sqllog.Options{NoCompression: true})
			fillDisk(t, dir, server, log)
		})
	}
}

// fillDisk appends until nothing fits, makes room, and goes on.
func fillDisk(t *testing.T, dir string, server *sqlservers.Server, log *sqllog.Log) {
	big := records(strings.Repeat("x", 1<<20))
	stored := nerve.ID(0)
	add := func() error {
		ctx, cancel := context.WithTimeout(testContext(t), 10*time.Second)
		defer cancel()
		_, err := log.Append(ctx, big)
		if err == nil {
			stored++
		}
		return err
	}
	for range 30 { // the logs of the server take their place
		if err := add(); err != nil {
			t.Fatal(err)
		}
	}
	// All but some of it is taken by somebody else.
	var free syscall.Statfs_t
	if err := syscall.Statfs(dir, &free); err != nil {
		t.Fatal(err)
	}
	ballast := filepath.Join(dir, "ballast")
	size := int(free.Bavail)*int(free.Bsize) - 30<<20
	if err := os.WriteFile(ballast, make([]byte, size), 0o600); err != nil {
		t.Fatal(err)
	}
	err := add()
	for err == nil && stored < 200 {
		err = add()
	}
	full := errors.Is(err, syscall.ENOSPC)
	if full {
		wantError[*nerve.IOError](t, err)
	}
	wantBounds(t, log, 1, stored)
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	if !full && server.Kind.Name == "mariadb" &&
		strings.Contains(server.Output(), "(Out of disk space) in rollback") {
		// MariaDB falls down when it has no place to undo the row in.
		wantError[*nerve.ConnectionError](t, err)
		if err := errors.Join(server.Kill(), server.Restart()); err != nil {
			t.Fatal(err)
		}
	} else if !full {
		t.Fatalf("%v is not ENOSPC", err)
	}
	if err := add(); err != nil {
		t.Fatal(err)
	}
	wantBounds(t, log, 1, stored)
	if got, err := contents(testContext(t), log); err != nil || len(got) != int(stored) {
		t.Fatalf("%d records, %v; want %d", len(got), err, stored)
	}
	t.Logf("%d records stored, the server reported a full disk: %t", stored, full)
}

// TestTableFull is a tablespace of MariaDB that may not grow.
func TestTableFull(t *testing.T) {
	proof(t)
	server := own(t, sqlservers.MariaDB(), "innodb-file-per-table=0",
		"innodb-data-file-path=ibdata1:12M:autoextend:max:60M")
	log := open(t, withQueue(t, server.URL(), newQueue()), sqllog.Options{NoCompression: true})
	big := records(strings.Repeat("x", 1<<20))
	var err error
	stored := nerve.ID(0)
	for ; err == nil && stored < 60; stored++ {
		_, err = log.Append(testContext(t), big)
	}
	stored--
	wantError[*nerve.IOError](t, err)
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("%v is not ENOSPC", err)
	}
	wantBounds(t, log, 1, stored)
	// Somebody makes room.
	server.Set("innodb-file-per-table=0", "innodb-data-file-path=ibdata1:12M:autoextend:max:200M")
	if err := errors.Join(server.Kill(), server.Restart()); err != nil {
		t.Fatal(err)
	}
	if id, err := log.Append(testContext(t), big); err != nil || id != stored+1 {
		t.Fatalf("Append = %d, %v; want %d", id, err, stored+1)
	}
	got, err := contents(testContext(t), log)
	if err != nil || len(got) != int(stored)+1 {
		t.Fatalf("%d records, %v; want %d", len(got), err, stored+1)
	}
}
