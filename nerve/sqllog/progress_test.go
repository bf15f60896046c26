//go:build linux

package sqllog_test

import (
	"strings"
	"testing"

	"github.com/octopus-framework/octopus/internal/oracle/sqlservers"
	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/sqllog"
)

// every makes a progress of each second record of first to last.
func every(first, last nerve.ID) nerve.Progress {
	return nerve.MakeProgress(func(yield func(nerve.Span) bool) {
		for id := first; id <= last && yield(nerve.Span{First: id, Last: id}); id += 2 {
		}
	})
}

// TestProgressOfSchema1 opens a queue whose tables were made before there was progress: its
// pointers are there, and can have some. A second migration that stopped in the middle goes on.
func TestProgressOfSchema1(t *testing.T) {
	onEach(t, func(t *testing.T, server *sqlservers.Server) {
		address := withQueue(t, fresh(t, server, "of_schema1"), "q")
		db := database(t, address)
		schema, _, _ := strings.Cut(sqllog.Schema(db.kind), "-- nerve, schema version 2")
		for statement := range strings.SplitSeq(schema, ";\n") {
			if strings.TrimSpace(statement) != "" {
				db.must(t, statement)
			}
		}
		db.must(t, "INSERT INTO nerve_queues (queue_id, name, format, next_id, first_id, "+
			"last_nano, epoch, owner, lease_until) VALUES (1, 'q', 1, 100, 100, 0, 0, '', 0)")
		db.must(t, "INSERT INTO nerve_pointers (queue_id, name, id, hold, exact, meta, saved) "+
			"VALUES (1, 'a', 7, 0, 0, '', 5)")
		for round := range 2 {
			l := open(t, address, sqllog.Options{})
			p := nerve.Pointer{Name: "a", ID: 7, Progress: every(9, 30)}
			list, err := l.Pointers(testContext(t))
			if err != nil || len(list) != 1 || list[0].ID != 7 ||
				round == 1 && list[0].Progress != p.Progress {
				t.Fatalf("round %d: %+v, %v", round, list, err)
			}
			if err := l.SavePointers(testContext(t), []nerve.Pointer{p}); err != nil {
				t.Fatal(err)
			}
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			db.must(t, "DELETE FROM nerve_schema WHERE version > 1")
		}
	})
}

// TestProgressInDatabase: AckTx keeps what is acknowledged above its pointer; what cannot be read
// is as good as none; and what a database that lost its end says of records that are gone is not
// taken for those that get their ids.
func TestProgressInDatabase(t *testing.T) {
	onEach(t, func(t *testing.T, server *sqlservers.Server) {
		address := withQueue(t, fresh(t, server, "of_progress"), "q")
		db := database(t, address)
		l := open(t, address, sqllog.Options{})
		for range 100 {
			if _, err := l.Append(testContext(t), records("a")); err != nil {
				t.Fatal(err)
			}
		}
		want := every(30, 60)
		c, err := l.Claim(testContext(t), "a")
		if err != nil {
			t.Fatal(err)
		}
		err = l.SavePointers(testContext(t),
			[]nerve.Pointer{{Name: "a", ID: 3, Progress: want, Epoch: c.Epoch}})
		if err != nil {
			t.Fatal(err)
		}
		tx := begin(t, db)
		if err := l.AckTx(testContext(t), tx, "a", 20); err != nil {
			t.Fatal(err)
		}
		commit(t, tx)
		if list, err := l.Pointers(testContext(t)); err != nil || list[0].ID != 20 ||
			list[0].Progress != want {
			t.Fatalf("after AckTx %+v, %v", list, err)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		db.must(t, "DELETE FROM nerve_batches WHERE last_id > 50")
		db.must(t, "UPDATE nerve_queues SET next_id = 51")
		_, err = sqllog.Open(testContext(t), address, sqllog.Options{})
		if e := wantError[*sqllog.RewoundError](t, err); e.Last != 50 || e.Before != 60 {
			t.Fatalf("%+v", e)
		}
		l = open(t, address, sqllog.Options{AllowRewound: true})
		if list, err := l.Pointers(testContext(t)); err != nil || list[0].ID != 20 ||
			list[0].Progress != every(30, 50) {
			t.Fatalf("of a rewound queue %+v, %v", list, err)
		}
		db.must(t, "UPDATE nerve_pointers SET progress = meta")
		db.must(t, "UPDATE nerve_pointers SET progress = ?", []byte("\x09what?"))
		if list, err := l.Pointers(testContext(t)); err != nil || list[0].ID != 20 ||
			list[0].Progress != (nerve.Progress{}) {
			t.Fatalf("of bytes that are none %+v, %v", list, err)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	})
}
