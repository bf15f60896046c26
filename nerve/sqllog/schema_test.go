//go:build linux

package sqllog_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/octopus-framework/octopus/internal/oracle/sqlservers"
	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/sqllog"
)

// fresh makes an empty database.
func fresh(t *testing.T, server *sqlservers.Server, name string) string {
	t.Helper()
	database(t, server.URL()).must(t, "CREATE DATABASE "+name)
	return strings.Replace(server.URL(), "/nerve?", "/"+name+"?", 1)
}

// TestSchema runs what Schema prints in an empty database and opens it.
func TestSchema(t *testing.T) {
	if sqllog.Schema("oracle") != "" {
		t.Error("there is a schema for an unknown dialect")
	}
	onEach(t, func(t *testing.T, server *sqlservers.Server) {
		address := fresh(t, server, "by_hand")
		queue := withQueue(t, address, "q")
		fixed := sqllog.Options{NoMigration: true}
		_, err := sqllog.Open(testContext(t), queue, fixed)
		if e := wantError[*nerve.FormatError](t, err); !strings.Contains(e.Reason, "version 0") {
			t.Fatalf("%+v", e)
		}
		db := database(t, address)
		for statement := range strings.SplitSeq(sqllog.Schema(db.kind), ";\n") {
			if strings.TrimSpace(statement) != "" {
				db.must(t, statement)
			}
		}
		l := open(t, queue, fixed)
		if id, err := l.Append(testContext(t), records("a")); err != nil || id != 1 {
			t.Fatalf("Append = %d, %v", id, err)
		}
		// A version of the future, and tables that were changed.
		db.must(t, "INSERT INTO nerve_schema (version) VALUES (99)")
		_, err = sqllog.Open(testContext(t), queue, sqllog.Options{})
		if e := wantError[*nerve.FormatError](t, err); !strings.Contains(e.Reason,
			"newer version") {
			t.Fatalf("%+v", e)
		}
		db.must(t, "DELETE FROM nerve_schema WHERE version = 99")
		// Whoever changes the format fences the writers of before.
		db.must(t, "UPDATE nerve_queues SET format = 99, epoch = epoch + 1")
		_, err = sqllog.Open(testContext(t), queue, sqllog.Options{})
		if e := wantError[*nerve.FormatError](t, err); !strings.Contains(e.Reason, "format 99") {
			t.Fatalf("%+v", e)
		}
		_, err = l.Append(testContext(t), records("b"))
		wantError[*nerve.FormatError](t, err)
		db.must(t, "UPDATE nerve_queues SET format = 1")
		db.must(t, "ALTER TABLE nerve_batches DROP COLUMN token")
		_, err = l.Append(testContext(t), records("b"))
		wantError[*nerve.FormatError](t, err)
		db.must(t, "DROP TABLE nerve_batches")
		_, err = l.Append(testContext(t), records("b"))
		wantError[*nerve.FormatError](t, err)
	})
}

// TestHalfSchema goes on where a server fell down in the middle of the schema.
func TestHalfSchema(t *testing.T) {
	onEach(t, func(t *testing.T, server *sqlservers.Server) {
		address := fresh(t, server, "by_half")
		db := database(t, address)
		statements := strings.Split(sqllog.Schema(db.kind), ";\n")
		for _, statement := range statements[:len(statements)/2] {
			db.must(t, statement)
		}
		l := open(t, withQueue(t, address, "q"), sqllog.Options{})
		if id, err := l.Append(testContext(t), records("a")); err != nil || id != 1 {
			t.Fatalf("Append = %d, %v", id, err)
		}
	})
}

// TestForeignSchema refuses tables of somebody else with our names.
func TestForeignSchema(t *testing.T) {
	onEach(t, func(t *testing.T, server *sqlservers.Server) {
		address := fresh(t, server, "of_others")
		database(t, address).must(t, "CREATE TABLE nerve_schema (something INT)")
		_, err := sqllog.Open(testContext(t), withQueue(t, address, "q"), sqllog.Options{})
		if e := wantError[*nerve.FormatError](t, err); !strings.Contains(e.Reason,
			"not one of this") {
			t.Fatalf("%+v", e)
		}
	})
}

// TestMigration opens an empty database from many places at once, and then
// with a program that knows one version more.
func TestMigration(t *testing.T) {
	onEach(t, func(t *testing.T, server *sqlservers.Server) {
		address := fresh(t, server, "by_many")
		var all sync.WaitGroup
		errs := make([]error, 8)
		for i := range errs {
			all.Go(func() {
				l, err := sqllog.Open(testContext(t), withQueue(t, address, "q"), sqllog.Options{})
				if errs[i] = err; err == nil {
					_, errs[i] = l.Append(context.Background(), records("a"))
					l.Close()
				}
			})
		}
		all.Wait()
		for _, err := range errs {
			if err != nil {
				t.Fatal(err)
			}
		}
		db := database(t, address)
		versions := db.number(t, "SELECT MAX(version) FROM nerve_schema")
		if n := db.number(t, "SELECT COUNT(*) FROM nerve_schema"); n != versions || n == 0 {
			t.Fatalf("%d versions of the schema were made in %d times", versions, n)
		}
		newer, err := sqllog.OpenNewer(testContext(t), withQueue(t, address, "q"),
			"ALTER TABLE nerve_queues ADD COLUMN added INT;\n")
		if err != nil {
			t.Fatal(err)
		}
		defer newer.Close()
		if got, err := contents(testContext(t), newer); err != nil || len(got) != len(errs) {
			t.Fatalf("%d records, %v", len(got), err)
		}
		if n := db.number(t, "SELECT MAX(version) FROM nerve_schema"); n != versions+1 {
			t.Fatalf("the schema has version %d", n)
		}
		_, err = sqllog.Open(testContext(t), withQueue(t, address, "q"), sqllog.Options{})
		wantError[*nerve.FormatError](t, err)
	})
}
