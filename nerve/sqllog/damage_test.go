//go:build linux

package sqllog_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/octopus-framework/octopus/internal/oracle/sqlservers"
	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/sqllog"
)

// TestDamage changes rows behind the back of the log: readers get a typed error
// that names the records, no wrong data, and can read on behind it.
func TestDamage(t *testing.T) {
	onEach(t, func(t *testing.T, server *sqlservers.Server) {
		db := database(t, server.URL())
		body := map[string]string{
			"mysql":    "INSERT(body, 5, 1, CHAR(ASCII(SUBSTR(body, 5, 1)) ^ 1))",
			"postgres": "set_byte(body, 4, get_byte(body, 4) # 1)",
		}[db.kind]
		cut := map[string]string{"mysql": "LEFT(body, 7)",
			"postgres": "substring(body from 1 for 7)"}[db.kind]
		for _, test := range []struct{ change, reason string }{
			{"UPDATE nerve_batches SET body = " + body, "checksum"},
			{"UPDATE nerve_batches SET body = " + cut, "checksum"},
			{"UPDATE nerve_batches SET crc = crc + 1", "checksum"},
			{"UPDATE nerve_batches SET nano = nano + 1", "checksum"},
			{"UPDATE nerve_batches SET codec = 77", "checksum"},
			{"UPDATE nerve_batches SET first_id = first_id + 1", "no row"},
			{"UPDATE nerve_batches SET first_id = first_id - 1", "follows"},
			{"DELETE FROM nerve_batches", "no row"},
		} {
			t.Run(test.change, func(t *testing.T) {
				address := withQueue(t, server.URL(), newQueue())
				log := open(t, address, sqllog.Options{})
				ctx := testContext(t)
				var want []string
				for i := range 9 {
					data := []string{fmt.Sprint(i, strings.Repeat("a", 100)), fmt.Sprint(i, "b")}
					want = append(want, data...)
					if _, err := log.Append(ctx, records(data...)); err != nil {
						t.Fatal(err)
					}
				}
				id := db.number(t, "SELECT queue_id FROM nerve_queues WHERE name = ?",
					[]byte(log.Queue()))
				db.must(t, test.change+" WHERE queue_id = ? AND last_id = 8", id)
				log = open(t, address, sqllog.Options{})
				got, err := contents(ctx, log)
				e := wantError[*nerve.CorruptError](t, err)
				if !strings.Contains(e.Reason, test.reason) || e.First > 7 {
					t.Fatalf("%+v", e)
				}
				if fmt.Sprint(got) != fmt.Sprint(want[:6]) {
					t.Fatalf("before the damage there is %q", got)
				}
				rest, err := between(ctx, log, 9, 18)
				if err != nil || fmt.Sprint(rest) != fmt.Sprint(want[8:]) {
					t.Fatalf("behind the damage there is %q, %v", rest, err)
				}
			})
		}
	})
}

// TestBarrier makes what others appended durable before it is shown, on servers
// that show it before: by a commit each time that there is something new.
func TestBarrier(t *testing.T) {
	server := shared(t, sqlservers.MariaDB())
	db := database(t, server.URL())
	address := withQueue(t, server.URL(), newQueue())
	writer, reader := open(t, address, sqllog.Options{}), open(t, address, sqllog.Options{})
	barriers := func() int64 {
		return db.number(t, "SELECT COALESCE(SUM(n), 0) FROM nerve_barriers")
	}
	ctx := testContext(t)
	cur, err := reader.Read(ctx, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer cur.Close()
	var b nerve.Batch
	for range 3 {
		before := barriers()
		if _, err := writer.Append(ctx, records("a")); err != nil {
			t.Fatal(err)
		}
		if err := cur.Next(ctx, &b); err != nil {
			t.Fatal(err)
		}
		if barriers() == before {
			t.Fatalf("record %d was shown without a barrier", b.First)
		}
	}
	// One process alone needs none.
	alone := open(t, withQueue(t, server.URL(), newQueue()), sqllog.Options{})
	before := barriers()
	for range 3 {
		if _, err := alone.Append(ctx, records("a")); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := contents(ctx, alone); err != nil || len(got) != 3 {
		t.Fatalf("%d records, %v", len(got), err)
	}
	if after := barriers(); after != before {
		t.Fatalf("%d barriers for appends of the same process", after-before)
	}
}

// TestRewound notices a database that went back: nothing is appended under ids
// that readers have seen, until somebody opens the queue again.
func TestRewound(t *testing.T) {
	onEach(t, func(t *testing.T, server *sqlservers.Server) {
		db := database(t, server.URL())
		address := withQueue(t, server.URL(), newQueue())
		log, other := open(t, address, sqllog.Options{}), open(t, address, sqllog.Options{})
		ctx := testContext(t)
		for range 3 {
			if _, err := log.Append(ctx, records("a", "b")); err != nil {
				t.Fatal(err)
			}
		}
		cur, err := other.Read(ctx, 1)
		if err != nil {
			t.Fatal(err)
		}
		defer cur.Close()
		var b nerve.Batch
		for range 3 {
			if err := cur.Next(ctx, &b); err != nil {
				t.Fatal(err)
			}
		}
		p := nerve.Pointer{Name: "c", ID: 6}
		if err := log.SavePointers(ctx, []nerve.Pointer{p}); err != nil {
			t.Fatal(err)
		}
		// A backup of before the last batch.
		db.must(t, "DELETE FROM nerve_batches WHERE last_id = 6 AND queue_id = "+
			"(SELECT queue_id FROM nerve_queues WHERE name = ?)", []byte(log.Queue()))
		db.must(t, "UPDATE nerve_queues SET next_id = 5 WHERE name = ?", []byte(log.Queue()))
		_, err = log.Append(ctx, records("c"))
		e := wantError[*sqllog.RewoundError](t, err)
		if wantError[*nerve.FailedError](t, err); e.Last != 4 || e.Before != 6 {
			t.Fatalf("%+v", e)
		}
		err = cur.Next(ctx, &b)
		wantError[*sqllog.RewoundError](t, err)
		_, err = sqllog.Open(ctx, address, sqllog.Options{})
		if e := wantError[*sqllog.RewoundError](t, err); e.Consumer != "c" || e.Before != 6 {
			t.Fatalf("%+v", e)
		}
		again := open(t, address, sqllog.Options{AllowRewound: true})
		if list, err := again.Pointers(ctx); err != nil || len(list) != 1 || list[0].ID != 4 {
			t.Fatalf("Pointers = %+v, %v; want the end, 4", list, err)
		}
		if id, err := again.Append(ctx, records("c")); err != nil || id != 5 {
			t.Fatalf("Append = %d, %v; want 5", id, err)
		}
		open(t, address, sqllog.Options{})
	})
}

// TestSpaceComesBack appends and trims again and again: the table does not grow.
func TestSpaceComesBack(t *testing.T) {
	proof(t)
	for _, kind := range sqlservers.Kinds() {
		t.Run(kind.Name, func(t *testing.T) {
			server := own(t, kind)
			log := open(t, withQueue(t, server.URL(), newQueue()),
				sqllog.Options{NoCompression: true})
			db := database(t, server.URL())
			size :=
				"SELECT data_length + index_length FROM information_schema.tables WHERE table_name = 'nerve_batches'"
			clean := "ANALYZE TABLE nerve_batches"
			if db.kind == "postgres" {
				size, clean = "SELECT pg_total_relation_size('nerve_batches')",
					"VACUUM nerve_batches"
			}
			const round = 20 << 20
			big := records(strings.Repeat("x", 1<<20))
			ctx := testContext(t)
			largest := int64(0)
			for range 8 {
				var last nerve.ID
				for range round >> 20 {
					id, err := log.Append(ctx, big)
					if err != nil {
						t.Fatal(err)
					}
					last = id
				}
				if first, err := log.Trim(ctx, last); err != nil || first != last {
					t.Fatalf("Trim = %d, %v; want %d", first, err, last)
				}
				// What a server does by itself sooner or later.
				rows, err := db.QueryContext(ctx, clean)
				if err != nil {
					t.Fatal(err)
				}
				rows.Close()
				for db.kind == "mysql" { // it frees what was deleted in the background
					if n := db.number(t,
						"SELECT variable_value FROM information_schema.global_status "+
							"WHERE variable_name = 'Innodb_history_list_length'"); n < 5 {
						break
					}
					time.Sleep(5 * time.Millisecond)
				}
				largest = max(largest, db.number(t, size))
				if n := db.number(t, "SELECT COUNT(*) FROM nerve_batches"); n != 1 {
					t.Fatalf("%d rows are left, want 1", n)
				}
			}
			if largest > 4*round {
				t.Fatalf("the table has grown to %d bytes in rounds of %d", largest, round)
			}
			t.Logf("at most %d MiB for %d MiB in all", largest>>20, 8*round>>20)
		})
	}
}

// TestKillSequencer kills the process that moves the outbox, again and again.
// All is moved once, in the order of each caller.
func TestKillSequencer(t *testing.T) {
	proof(t)
	onEach(t, func(t *testing.T, server *sqlservers.Server) {
		kills := 4
		if *long {
			kills = 100
		}
		address := withQueue(t, server.URL(), newQueue())
		log, db := open(t, address, sqllog.Options{}), database(t, address)
		out := log.Outbox()
		ctx := testContext(t)
		stop, done := make(chan struct{}), make(chan error, 2)
		placed := make([]int, 2)
		for w := range placed {
			go func() {
				for n := 0; ; n++ {
					select {
					case <-stop:
						placed[w] = n
						done <- nil
						return
					default:
					}
					tx, err := db.BeginTx(context.Background(), nil)
					if err == nil {
						err = out.AppendTx(context.Background(), tx, records(fmt.Sprint(w, " ", n)))
					}
					if err == nil {
						err = tx.Commit()
					}
					if err != nil {
						done <- err
						return
					}
				}
			}()
		}
		for range kills {
			cmd, _, _ := spawn(t, roleSequencer, order{URL: address})
			_, before := log.Bounds()
			for ctx.Err() == nil { // until it has moved something
				if _, last := log.Bounds(); last > before {
					break
				}
				time.Sleep(time.Millisecond)
				if _, err := log.Seek(ctx, time.Now()); err != nil { // asks the server
					t.Fatal(err)
				}
			}
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait() // that it was killed
		}
		close(stop)
		if err := errors.Join(<-done, <-done); err != nil {
			t.Fatal(err)
		}
		for {
			n, err := out.Move(ctx)
			if err != nil {
				t.Fatal(err)
			}
			if n == 0 {
				break
			}
		}
		all, err := contents(ctx, log)
		if err != nil {
			t.Fatal(err)
		}
		next := make([]int, len(placed))
		for i, data := range all {
			var w, n int
			if _, err := fmt.Sscan(data, &w, &n); err != nil || n != next[w] {
				t.Fatalf("record %d is %q, want number %d", i+1, data, next[w])
			}
			next[w]++
		}
		if fmt.Sprint(next) != fmt.Sprint(placed) {
			t.Fatalf("moved were %v of %v", next, placed)
		}
		t.Logf("%v batches were moved, under %d kills", placed, kills)
	})
}
