//go:build linux

package sqllog_test

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/sqllog"
)

// program is the database as a program has it that uses database/sql.
type program struct {
	*sql.DB
	kind string // "mysql" or "postgres"
}

// connect opens the database at a URL of sqllog.
func connect(address string) (*program, error) {
	db, err := sqllog.OpenDB(address)
	kind, _, _ := strings.Cut(address, ":")
	return &program{DB: db, kind: kind}, err
}

func database(t *testing.T, address string) *program {
	t.Helper()
	db, err := connect(address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// text writes ? as the server wants it.
func (p *program) text(query string) string {
	if p.kind == "mysql" {
		return query
	}
	for n := 1; strings.Contains(query, "?"); n++ {
		query = strings.Replace(query, "?", "$"+strconv.Itoa(n), 1)
	}
	return query
}

func (p *program) must(t *testing.T, query string, args ...any) {
	t.Helper()
	if _, err := p.ExecContext(testContext(t), p.text(query), args...); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
}

// number reads one number.
func (p *program) number(t *testing.T, query string, args ...any) (n int64) {
	t.Helper()
	if err := p.QueryRowContext(testContext(t), p.text(query), args...).Scan(&n); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return n
}

func begin(t *testing.T, db *program) *sql.Tx {
	t.Helper()
	tx, err := db.BeginTx(testContext(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tx.Rollback() })
	return tx
}

func commit(t *testing.T, tx *sql.Tx) {
	t.Helper()
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
}

// records packs strings.
func records(data ...string) *nerve.Batch {
	b := new(nerve.Batch)
	for _, d := range data {
		b.Append([]byte(d))
	}
	return b
}

// contents reads a log from its first to its last record, as of now.
func contents(ctx context.Context, log nerve.Log) (all []string, err error) {
	first, last := log.Bounds()
	return between(ctx, log, first, last)
}

func between(ctx context.Context, log nerve.Log, first, last nerve.ID) (all []string, err error) {
	cur, err := log.Read(ctx, first)
	if err != nil {
		return nil, err
	}
	defer cur.Close()
	var b nerve.Batch
	for next := first; next <= last; {
		if err := cur.Next(ctx, &b); err != nil {
			return all, err
		}
		for rec := range b.All() {
			if rec.ID != next {
				return all, fmt.Errorf("record %d follows %d", rec.ID, next-1)
			}
			all = append(all, string(rec.Data))
			next++
		}
	}
	return all, nil
}

func wantContents(t *testing.T, address string, want ...string) {
	t.Helper()
	log := open(t, address, sqllog.Options{})
	defer log.Close()
	got, err := contents(testContext(t), log)
	if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Fatalf("the queue holds %q, %v; want %q", got, err, want)
	}
}
