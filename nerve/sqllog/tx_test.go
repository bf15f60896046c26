//go:build linux

package sqllog_test

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/octopus-framework/octopus/internal/oracle/sqlservers"
	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/sqllog"
)

func wantError[E error](t *testing.T, err error) E {
	t.Helper()
	var e E
	if !errors.As(err, &e) {
		t.Fatalf("error is %T %v, want %T", err, err, e)
	}
	return e
}

// TestAppendTx appends with the commit and not with the rollback, between
// appends of the log, and wakes a reader that waits.
func TestAppendTx(t *testing.T) {
	onEach(t, func(t *testing.T, server *sqlservers.Server) {
		address := withQueue(t, server.URL(), newQueue())
		log, db := open(t, address, sqllog.Options{}), database(t, address)
		ctx := testContext(t)
		cur, err := log.Read(ctx, 1)
		if err != nil {
			t.Fatal(err)
		}
		defer cur.Close()

		tx := begin(t, db)
		if id, err := log.AppendTx(ctx, tx, records("a", "b")); err != nil || id != 1 {
			t.Fatalf("AppendTx = %d, %v", id, err)
		}
		if _, last := log.Bounds(); last != 0 {
			t.Fatalf("record %d is there before the commit", last)
		}
		if err := tx.Rollback(); err != nil {
			t.Fatal(err)
		}
		tx = begin(t, db)
		for i, want := range []nerve.ID{1, 3} { // twice in one transaction
			if id, err := log.AppendTx(ctx, tx, records("c", "d")); err != nil || id != want {
				t.Fatalf("AppendTx %d = %d, %v; want %d", i, id, err, want)
			}
		}
		commit(t, tx)
		var b nerve.Batch
		if err := cur.Next(ctx, &b); err != nil || b.First != 1 || b.Len() != 2 {
			t.Fatalf("Next = %d records from %d, %v", b.Len(), b.First, err)
		}
		if id, err := log.Append(ctx, records("e")); err != nil || id != 5 {
			t.Fatalf("Append = %d, %v", id, err)
		}
		tx = begin(t, db)
		if id, err := log.AppendTx(ctx, tx, records("f")); err != nil || id != 6 {
			t.Fatalf("AppendTx = %d, %v", id, err)
		}
		commit(t, tx)
		if id, err := log.Append(ctx, records("g")); err != nil || id != 7 {
			t.Fatalf("Append = %d, %v", id, err)
		}
		wantContents(t, address, "c", "d", "c", "d", "e", "f", "g")
	})
}

// TestAppendTxRepeats stores a key once, whether the first time was rolled back
// or not.
func TestAppendTxRepeats(t *testing.T) {
	onEach(t, func(t *testing.T, server *sqlservers.Server) {
		address := withQueue(t, server.URL(), newQueue())
		log, db := open(t, address, sqllog.Options{}), database(t, address)
		keyed := func() *nerve.Batch {
			b := records("once")
			b.Key = nerve.Key{Producer: 5, Seq: 1}
			return b
		}
		for try := range 4 {
			tx := begin(t, db)
			if id, err := log.AppendTx(testContext(t), tx, keyed()); err != nil || id != 1 {
				t.Fatalf("AppendTx %d = %d, %v; want 1", try, id, err)
			}
			if try == 0 {
				if err := tx.Rollback(); err != nil {
					t.Fatal(err)
				}
				continue
			}
			commit(t, tx)
		}
		wantContents(t, address, "once")
	})
}

// TestAppendPgx appends in transactions of pgx without database/sql.
func TestAppendPgx(t *testing.T) {
	server := shared(t, sqlservers.Postgres())
	address := withQueue(t, server.URL(), newQueue())
	log := open(t, address, sqllog.Options{})
	ctx := testContext(t)
	conn, err := pgx.Connect(ctx, server.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	for _, ends := range []func(pgx.Tx) error{
		func(tx pgx.Tx) error { return tx.Rollback(ctx) },
		func(tx pgx.Tx) error { return tx.Commit(ctx) },
	} {
		tx, err := conn.Begin(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if id, err := log.AppendPgx(ctx, tx, records("a")); err != nil || id != 1 {
			t.Fatalf("AppendPgx = %d, %v", id, err)
		}
		if err := log.Outbox().AppendPgx(ctx, tx, records("b")); err != nil {
			t.Fatal(err)
		}
		if err := ends(tx); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := log.Outbox().Move(ctx); err != nil || n != 1 {
		t.Fatalf("Move = %d, %v", n, err)
	}
	wantContents(t, address, "a", "b")
	tx, err := conn.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := log.AckPgx(ctx, tx, "c", 2); err != nil {
		t.Fatal(err)
	}
	if err := tx.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	if p, err := log.Pointers(ctx); err != nil || len(p) != 1 || p[0].ID != 2 {
		t.Fatalf("Pointers = %v, %v", p, err)
	}
}

// TestForeignTransaction refuses transactions of another database.
func TestForeignTransaction(t *testing.T) {
	onEach(t, func(t *testing.T, server *sqlservers.Server) {
		log := open(t, withQueue(t, server.URL(), newQueue()), sqllog.Options{})
		here := database(t, server.URL())
		// One without our tables, and one with them.
		for _, name := range []string{"foreign_empty", "foreign_queues"} {
			here.must(t, "CREATE DATABASE "+name)
			address := strings.Replace(server.URL(), "/nerve?", "/"+name+"?", 1)
			if name == "foreign_queues" {
				open(t, withQueue(t, address, log.Queue()), sqllog.Options{}).Close()
			}
			tx := begin(t, database(t, address))
			_, err := log.AppendTx(testContext(t), tx, records("a"))
			wantError[*sqllog.DatabaseError](t, err)
		}
	})
}

// TestIsolations appends in transactions of every isolation: all are safe, and
// one that must give way says so.
func TestIsolations(t *testing.T) {
	onEach(t, func(t *testing.T, server *sqlservers.Server) {
		for _, level := range []sql.IsolationLevel{
			sql.LevelReadUncommitted, sql.LevelReadCommitted, sql.LevelRepeatableRead,
			sql.LevelSerializable,
		} {
			t.Run(level.String(), func(t *testing.T) {
				address := withQueue(t, server.URL(), newQueue())
				log, db := open(t, address, sqllog.Options{}), database(t, address)
				ctx := testContext(t)
				tx, err := db.BeginTx(ctx, &sql.TxOptions{Isolation: level})
				if err != nil {
					t.Fatal(err)
				}
				defer func() { _ = tx.Rollback() }()
				// The transaction has a snapshot, and then somebody else appends.
				var n int64
				if err := tx.QueryRow("SELECT COUNT(*) FROM nerve_queues").Scan(&n); err != nil {
					t.Fatal(err)
				}
				if _, err := log.Append(ctx, records("first")); err != nil {
					t.Fatal(err)
				}
				id, err := log.AppendTx(ctx, tx, records("second"))
				if server.Kind.Name == "postgres" && level >= sql.LevelRepeatableRead {
					wantError[*sqllog.ConflictError](t, err)
					wantContents(t, address, "first")
					return
				}
				if err != nil || id != 2 {
					t.Fatalf("AppendTx = %d, %v; want 2", id, err)
				}
				commit(t, tx)
				wantContents(t, address, "first", "second")
			})
		}
	})
}

// TestAckTx moves a pointer with the effect of the records, and never back.
func TestAckTx(t *testing.T) {
	onEach(t, func(t *testing.T, server *sqlservers.Server) {
		address := withQueue(t, server.URL(), newQueue())
		log, db := open(t, address, sqllog.Options{}), database(t, address)
		ctx := testContext(t)
		if _, err := log.Append(ctx, records("1", "2", "3", "4", "5")); err != nil {
			t.Fatal(err)
		}
		ack := func(id nerve.ID, ends func(*sql.Tx) error) error {
			tx := begin(t, db)
			if err := log.AckTx(ctx, tx, "c", id); err != nil {
				return errors.Join(err, tx.Rollback())
			}
			return ends(tx)
		}
		pointer := func(want nerve.ID, hold bool) {
			t.Helper()
			list, err := log.Pointers(ctx)
			if err != nil || len(list) != 1 || list[0].ID != want || list[0].Hold != hold {
				t.Fatalf("Pointers = %+v, %v; want %d, hold %t", list, err, want, hold)
			}
		}
		claim, err := log.Claim(ctx, "c")
		if err != nil {
			t.Fatal(err)
		}
		save := func(id nerve.ID) {
			t.Helper()
			p := nerve.Pointer{Name: "c", ID: id, Hold: true, Epoch: claim.Epoch}
			if err := log.SavePointers(ctx, []nerve.Pointer{p}); err != nil {
				t.Fatal(err)
			}
		}
		save(2)
		save(1) // back, as Seek does
		pointer(1, true)
		if err := ack(2, (*sql.Tx).Rollback); err != nil {
			t.Fatal(err)
		}
		pointer(1, true)
		if err := ack(3, (*sql.Tx).Commit); err != nil {
			t.Fatal(err)
		}
		pointer(3, true)
		// What the saver of the queue knew before the transaction.
		save(2)
		pointer(3, true)
		for _, id := range []nerve.ID{2, 3} {
			e := wantError[*sqllog.CountedError](t, ack(id, (*sql.Tx).Commit))
			if e.Pointer != 3 || e.ID != id {
				t.Fatalf("%+v", e)
			}
		}
		wantError[*nerve.FutureError](t, ack(6, (*sql.Tx).Commit))
		wantError[*nerve.NameError](t, log.AckTx(ctx, begin(t, db), "no name", 4))
		// Somebody else takes the name over.
		other := open(t, address, sqllog.Options{})
		tx := begin(t, db)
		wantError[*nerve.OpenError](t, other.AckTx(ctx, tx, "c", 4))
		if err := tx.Rollback(); err != nil {
			t.Fatal(err)
		}
		if err := sqllog.Lapse(log); err != nil {
			t.Fatal(err)
		}
		if _, err := other.Claim(ctx, "c"); err != nil {
			t.Fatal(err)
		}
		wantError[*nerve.FencedError](t, ack(4, (*sql.Tx).Commit))
		pointer(3, true)
	})
}

// TestOutbox keeps the order of each caller, drops repeated keys, and moves
// what was committed late.
func TestOutbox(t *testing.T) {
	onEach(t, func(t *testing.T, server *sqlservers.Server) {
		address := withQueue(t, server.URL(), newQueue())
		log, db := open(t, address, sqllog.Options{}), database(t, address)
		out := log.Outbox()
		ctx := testContext(t)
		put := func(tx *sql.Tx, b *nerve.Batch) {
			t.Helper()
			if err := out.AppendTx(ctx, tx, b); err != nil {
				t.Fatal(err)
			}
		}
		move := func(want int) {
			t.Helper()
			if n, err := out.Move(ctx); err != nil || n != want {
				t.Fatalf("Move = %d, %v; want %d", n, err, want)
			}
		}
		keyed := records("key")
		keyed.Key = nerve.Key{Producer: 1<<64 - 1, Seq: 1 << 63}
		move(0)
		late, early := begin(t, db), begin(t, db)
		put(late, records("late"))
		put(early, records("early", "bird")) // they do not wait for each other
		put(early, keyed)
		gone := begin(t, db)
		put(gone, records("gone"))
		if err := gone.Rollback(); err != nil {
			t.Fatal(err)
		}
		commit(t, early)
		move(2)
		commit(t, late)
		again := begin(t, db)
		put(again, keyed)
		put(again, records("again"))
		commit(t, again)
		move(3)
		move(0)
		want := []string{"early", "bird", "key", "late", "again"}
		wantContents(t, address, want...)

		// Run does it by itself, wherever it runs.
		runs, stop := context.WithCancelCause(ctx)
		enough := errors.New("enough")
		done := make(chan error)
		go func() { done <- out.Run(runs) }()
		cur, err := log.Read(ctx, 6)
		if err != nil {
			t.Fatal(err)
		}
		defer cur.Close()
		other := open(t, address, sqllog.Options{})
		for _, o := range []*sqllog.Outbox{out, other.Outbox()} {
			tx := begin(t, db)
			if err := o.AppendTx(ctx, tx, records("run")); err != nil {
				t.Fatal(err)
			}
			commit(t, tx)
			var b nerve.Batch
			if err := cur.Next(ctx, &b); err != nil || b.Len() != 1 {
				t.Fatalf("Next = %d records, %v", b.Len(), err)
			}
			want = append(want, "run")
		}
		stop(enough)
		if err := <-done; !errors.Is(err, enough) {
			t.Fatalf("Run = %v", err)
		}
		wantContents(t, address, want...)
	})
}

// TestOutboxIsLarge moves more than one transaction takes.
func TestOutboxIsLarge(t *testing.T) {
	onEach(t, func(t *testing.T, server *sqlservers.Server) {
		address := withQueue(t, server.URL(), newQueue())
		limits := nerve.Limits{Record: 1 << 10, Batch: 4 << 10}
		log, db := open(t, address, sqllog.Options{Limits: limits}), database(t, address)
		out := log.Outbox()
		ctx := testContext(t)
		var want []string
		tx := begin(t, db)
		for i := range 700 {
			data := strings.Repeat(string(rune('a'+i%26)), i%1000)
			want = append(want, data)
			if err := out.AppendTx(ctx, tx, records(data)); err != nil {
				t.Fatal(err)
			}
		}
		commit(t, tx)
		moved := 0
		for moved < len(want) {
			n, err := out.Move(ctx)
			if err != nil || n == 0 {
				t.Fatalf("Move = %d, %v after %d", n, err, moved)
			}
			moved += n
		}
		wantContents(t, address, want...)
	})
}

// TestLockIsHeld shows the price of AppendTx: the next one waits for the commit.
// That of an outbox does not.
func TestLockIsHeld(t *testing.T) {
	onEach(t, func(t *testing.T, server *sqlservers.Server) {
		address := withQueue(t, server.URL(), newQueue())
		log, db := open(t, address, sqllog.Options{}), database(t, address)
		ctx := testContext(t)
		tx := begin(t, db)
		if _, err := log.AppendTx(ctx, tx, records("a")); err != nil {
			t.Fatal(err)
		}
		impatient, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
		defer cancel()
		_, err := log.Append(impatient, records("b"))
		if e := wantError[*nerve.ConnectionError](t, err); !errors.Is(e, context.DeadlineExceeded) {
			t.Fatalf("%v does not wrap the cause of the context", err)
		}
		commit(t, tx)
		if id, err := log.Append(ctx, records("c")); err != nil || id != 2 {
			t.Fatalf("Append = %d, %v; want 2", id, err)
		}
		wantContents(t, address, "a", "c")
	})
}
