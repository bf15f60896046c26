//go:build linux

package sqllog_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/octopus-framework/octopus/internal/oracle/sqlservers"
	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/sqllog"
)

// appendForever appends and sells until it is killed, going on after the last
// append that the log knows, and says what was acknowledged. Append n holds
// n%5+1 records "producer n i". Every third goes through a transaction with a
// row of the business.
func appendForever(ctx context.Context, o order, out io.Writer) error {
	log, err := sqllog.Open(ctx, o.URL, sqllog.Options{})
	if err != nil {
		return err
	}
	db, err := connect(o.URL)
	if err != nil {
		return err
	}
	known, err := log.LastAppended(ctx, o.Producer)
	if err != nil {
		return err
	}
	for n := known.Key.Seq + 1; ; n++ {
		b := numbered(o.Producer, n)
		b.Key = nerve.Key{Producer: o.Producer, Seq: n}
		var id nerve.ID
		if n%3 == 0 {
			id, err = appendRow(ctx, log, db, b)
		} else {
			id, err = log.Append(ctx, b)
		}
		if err != nil {
			return err
		}
		fmt.Fprintln(out, n, id)
	}
}

func numbered(producer, n uint64) *nerve.Batch {
	b := new(nerve.Batch)
	for i := range n%5 + 1 {
		b.Append(fmt.Appendf(nil, "%d %d %d", producer, n, i))
	}
	return b
}

func appendRow(ctx context.Context, log *sqllog.Log, db *program,
	b *nerve.Batch) (nerve.ID, error) {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return 0, err
	}
	defer func() { _ = tx.Rollback() }()
	_, err = tx.ExecContext(ctx, db.text("INSERT INTO sold (producer, n) VALUES (?, ?)"),
		int64(b.Key.Producer), int64(b.Key.Seq))
	if err != nil {
		return 0, err
	}
	id, err := log.AppendTx(ctx, tx, b)
	if err != nil {
		return 0, err
	}
	return id, tx.Commit()
}

// TestKillWriters kills writers in the middle of whatever they do. Each append
// is in the queue once, in order, with its row of the business if it has one,
// and every acknowledged one is at the id that was told.
func TestKillWriters(t *testing.T) {
	proof(t)
	onEach(t, func(t *testing.T, server *sqlservers.Server) {
		kills := 6
		if *long {
			kills = 100
		}
		address := withQueue(t, server.URL(), newQueue())
		db := database(t, address)
		db.must(t, "DROP TABLE IF EXISTS sold")
		db.must(t, "CREATE TABLE sold (producer BIGINT, n BIGINT, PRIMARY KEY (producer, n))")
		const writers = 2
		acked := make([]map[uint64]nerve.ID, writers)
		var all sync.WaitGroup
		for w := range writers {
			acked[w] = make(map[uint64]nerve.ID)
			all.Go(func() {
				for range kills / writers {
					killOne(t, order{URL: address, Producer: uint64(w + 1)}, acked[w])
				}
			})
		}
		all.Wait()
		if t.Failed() {
			return
		}
		checkNumbered(t, address, db, acked)
	})
}

// killOne runs a writer until it has appended some more, and kills it.
func killOne(t *testing.T, o order, acked map[uint64]nerve.ID) {
	cmd, _, lines := spawn(t, roleAppender, o)
	for range 3 + rand.IntN(20) {
		if !lines.Scan() {
			t.Errorf("writer %d ended by itself", o.Producer)
			return
		}
		var n uint64
		var id nerve.ID
		if _, err := fmt.Sscan(lines.Text(), &n, &id); err != nil {
			t.Error(err)
			return
		}
		acked[n] = id
	}
	time.Sleep(rand.N(3 * time.Millisecond)) // anywhere in what comes next
	if err := cmd.Process.Kill(); err != nil {
		t.Error(err)
	}
	for lines.Scan() { // what it said before it died
		var n uint64
		var id nerve.ID
		if _, err := fmt.Sscan(lines.Text(), &n, &id); err == nil {
			acked[n] = id
		}
	}
	_ = cmd.Wait() // that it was killed
}

// checkNumbered reads the queue and compares it with what was acknowledged and
// with the rows of the business.
func checkNumbered(t *testing.T, address string, db *program, acked []map[uint64]nerve.ID) {
	t.Helper()
	log := open(t, address, sqllog.Options{})
	all, err := contents(testContext(t), log)
	if err != nil {
		t.Fatal(err)
	}
	next := make([]uint64, len(acked)) // append of each producer
	sold, told := int64(0), 0
	for at := 0; at < len(all); {
		var producer, n uint64
		if _, err := fmt.Sscan(all[at], &producer, &n); err != nil {
			t.Fatal(err)
		}
		w := producer - 1
		if next[w]++; n != next[w] {
			t.Fatalf("append %d of producer %d is where %d should be", n, producer, next[w])
		}
		if id, ok := acked[w][n]; ok {
			told++
			if id != nerve.ID(at+1) {
				t.Fatalf("append %d of producer %d is at %d, acknowledged was %d", n, producer,
					at+1, id)
			}
		}
		for rec := range numbered(producer, n).All() {
			if at == len(all) || all[at] != string(rec.Data) {
				t.Fatalf("record %d is not %q", at+1, rec.Data)
			}
			at++
		}
		if n%3 == 0 {
			sold++
		}
	}
	for w, m := range acked {
		for n := range m {
			if n > next[w] {
				t.Fatalf("append %d of producer %d was acknowledged and is not there", n, w+1)
			}
		}
		told -= len(m)
	}
	if told != 0 {
		t.Fatalf("%d appends are acknowledged and not there", -told)
	}
	if db != nil {
		if rows := db.number(t, "SELECT COUNT(*) FROM sold"); rows != sold {
			t.Fatalf("the business has %d rows, the queue %d", rows, sold)
		}
	}
	t.Logf("%d records of %v appends", len(all), next)
}

// TestKillServer kills the server under appends with and without keys and under
// a reader. Nothing that was acknowledged is lost, nothing is there twice, and
// the reader goes on.
func TestKillServer(t *testing.T) {
	proof(t)
	for _, test := range []struct {
		name     string
		kind     *sqlservers.Kind
		settings []string
	}{
		{"mariadb", sqlservers.MariaDB(), nil},
		// What is durable and when it is seen is another matter then.
		{"mariadb-binlog", sqlservers.MariaDB(), []string{"log-bin", "sync-binlog=1"}},
		{"postgres", sqlservers.Postgres(), nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			kills := 3
			if *long {
				kills = 50
			}
			server := own(t, test.kind, test.settings...)
			k := &serverKills{
				t: t, address: withQueue(t, server.URL(), newQueue()), stop: make(chan struct{}),
			}
			open(t, k.address, sqllog.Options{}).Close()
			var all sync.WaitGroup
			for w := range k.outcomes {
				all.Go(func() { k.write(w) })
			}
			all.Go(k.read)
			for kill := range kills {
				for before := k.acked.Load(); k.acked.Load() < before+20 && !t.Failed(); {
					time.Sleep(time.Millisecond)
				}
				time.Sleep(rand.N(20 * time.Millisecond))
				if err := server.Kill(); err != nil {
					t.Fatalf("kill %d: %v", kill, err)
				}
				if err := server.Restart(); err != nil {
					t.Fatalf("restart %d: %v", kill, err)
				}
			}
			close(k.stop)
			all.Wait()
			if !t.Failed() {
				k.check()
			}
		})
	}
}

// serverKills is writers and a reader of a server that is killed.
type serverKills struct {
	t       *testing.T
	address string
	stop    chan struct{}
	acked   atomic.Int64
	// outcomes of the appends of each writer, by number: the id, 0 if it is
	// not known, -1 if it failed. Writers with an even number use keys.
	outcomes [4]map[uint64]int64
	seen     []string // by the reader
}

// write appends "writer n i" until it is told to stop, some with little time.
func (k *serverKills) write(w int) {
	log := open(k.t, k.address, sqllog.Options{})
	k.outcomes[w] = make(map[uint64]int64)
	for n := uint64(1); ; n++ {
		select {
		case <-k.stop:
			return
		default:
		}
		id, known, err := k.append(log, w, n)
		switch {
		case err != nil:
			k.t.Errorf("writer %d: %v", w, err)
			return
		case known && id > 0:
			k.acked.Add(1)
			k.outcomes[w][n] = int64(id)
		case known:
			k.outcomes[w][n] = -1
		default:
			k.outcomes[w][n] = 0
		}
	}
}

// append does it once without a key, and until it is known with one.
func (k *serverKills) append(log *sqllog.Log, w int,
	n uint64) (id nerve.ID, known bool, err error) {
	b := numbered(uint64(w), n)
	if w%2 == 0 {
		b.Key = nerve.Key{Producer: uint64(w + 1), Seq: n}
	}
	for {
		timeout := time.Minute
		if rand.IntN(3) == 0 {
			timeout = rand.N(20 * time.Millisecond)
		}
		ctx, cancel := context.WithTimeout(context.Background(), timeout)
		id, err := log.Append(ctx, b)
		cancel()
		var lost *nerve.ConnectionError
		var unknown *nerve.OutcomeError
		switch {
		case err == nil:
			return id, true, nil
		case errors.As(err, &unknown) && w%2 == 1:
			return 0, false, nil
		case errors.As(err, &unknown):
		case errors.As(err, &lost), errors.Is(err, context.DeadlineExceeded):
			if w%2 == 1 {
				return 0, true, nil
			}
		default:
			return 0, false, err
		}
	}
}

// read follows the queue through all of it.
func (k *serverKills) read() {
	log := open(k.t, k.address, sqllog.Options{})
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Minute)
	defer cancel()
	go func() {
		<-k.stop
		cancel()
	}()
	cur, err := log.Read(ctx, 1)
	if err != nil {
		k.t.Error(err)
		return
	}
	defer cur.Close()
	var b nerve.Batch
	for {
		err := cur.Next(ctx, &b)
		var lost *nerve.ConnectionError
		if ctx.Err() != nil {
			return
		}
		if errors.As(err, &lost) {
			continue
		}
		if err != nil {
			k.t.Error(err)
			return
		}
		for rec := range b.All() {
			if rec.ID != nerve.ID(len(k.seen)+1) {
				k.t.Errorf("the reader got %d after %d", rec.ID, len(k.seen))
				return
			}
			k.seen = append(k.seen, string(rec.Data))
		}
	}
}

func (k *serverKills) check() {
	t := k.t
	t.Helper()
	log := open(t, k.address, sqllog.Options{})
	all, err := contents(testContext(t), log)
	if err != nil {
		t.Fatal(err)
	}
	if len(k.seen) > len(all) {
		t.Fatalf("the reader saw %d records of %d", len(k.seen), len(all))
	}
	for i, data := range k.seen {
		if all[i] != data {
			t.Fatalf("record %d was %q for the reader and is %q", i+1, data, all[i])
		}
	}
	found := [4]map[uint64]int64{}
	for w := range found {
		found[w] = make(map[uint64]int64)
	}
	for at := 0; at < len(all); {
		var w, n uint64
		if _, err := fmt.Sscan(all[at], &w, &n); err != nil {
			t.Fatal(err)
		}
		if found[w][n] != 0 {
			t.Fatalf("append %d of writer %d is at %d and %d", n, w, found[w][n], at+1)
		}
		found[w][n] = int64(at + 1)
		for rec := range numbered(w, n).All() {
			if at == len(all) || all[at] != string(rec.Data) {
				t.Fatalf("record %d is not %q", at+1, rec.Data)
			}
			at++
		}
	}
	acked, failed, unknown := 0, 0, 0
	for w, outcomes := range k.outcomes {
		for n, id := range outcomes {
			switch {
			case id > 0:
				acked++
			case id < 0:
				failed++
			default:
				unknown++
			}
			switch {
			case id > 0 && found[w][n] != id:
				t.Fatalf("append %d of writer %d was acknowledged at %d and is at %d", n, w, id,
					found[w][n])
			case id < 0 && found[w][n] != 0:
				t.Fatalf("append %d of writer %d failed and is at %d", n, w, found[w][n])
			}
		}
	}
	t.Logf("%d records; %d appends acknowledged, %d failed, %d of unknown outcome",
		len(all), acked, failed, unknown)
}
