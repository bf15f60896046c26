//go:build linux

package sqllog_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/octopus-framework/octopus/internal/oracle/sqlservers"
	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/sqllog"
)

// A sale is a row of the business and a record of the queue: worker, number of
// the transaction of this worker, amount.
type sale struct{ worker, n, amount int }

func (s sale) String() string { return fmt.Sprintf("%d %d %d", s.worker, s.n, s.amount) }

const businessTables = `CREATE TABLE business (worker INT, n INT, amount INT, PRIMARY KEY (worker, n))`

// The mutant is the table that everybody writes first: ids are given out before
// the commit, and readers ask for what is above the last id that they saw.
var mutantTables = map[string]string{
	"mysql":    `CREATE TABLE mutant (id BIGINT AUTO_INCREMENT PRIMARY KEY, body VARBINARY(64))`,
	"postgres": `CREATE TABLE mutant (id BIGSERIAL PRIMARY KEY, body BYTEA)`,
}

// doBusiness runs workers, each with a connection of its own: transactions with
// a sale and its record, pauses before and after the append, and every fifth is
// rolled back.
func doBusiness(ctx context.Context, o order) error {
	db, err := connect(o.URL)
	if err != nil {
		return err
	}
	defer db.Close()
	log, err := sqllog.Open(ctx, o.URL, sqllog.Options{})
	if err != nil {
		return err
	}
	defer log.Close()
	appendTx := func(tx *sql.Tx, record string) error {
		_, err := log.AppendTx(ctx, tx, records(record))
		return err
	}
	if o.Mutant {
		insert := db.text("INSERT INTO mutant (body) VALUES (?)")
		appendTx = func(tx *sql.Tx, record string) error {
			_, err := tx.ExecContext(ctx, insert, []byte(record))
			return err
		}
	}
	until := time.Now().Add(time.Duration(o.Seconds) * time.Second)
	failed := make(chan error, o.N)
	var all sync.WaitGroup
	for worker := o.First; worker < o.First+o.N; worker++ {
		all.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(worker), 1))
			for n := 1; time.Now().Before(until); n++ {
				s := sale{worker, n, rng.IntN(1000)}
				if err := sell(ctx, db, rng, s, appendTx); err != nil {
					failed <- err
					return
				}
			}
		})
	}
	all.Wait()
	close(failed)
	return <-failed
}

func sell(
	ctx context.Context, db *program, rng *rand.Rand, s sale, appendTx func(*sql.Tx, string) error,
) error {
	tx, err := db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelReadCommitted})
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	pause := func(most time.Duration) { time.Sleep(rand.N(most + 1)) }
	_, err = tx.ExecContext(ctx,
		db.text("INSERT INTO business (worker, n, amount) VALUES (?, ?, ?)"),
		s.worker, s.n, s.amount)
	if err != nil {
		return err
	}
	pause(10 * time.Millisecond)
	if err := appendTx(tx, s.String()); err != nil {
		return err
	}
	if rng.IntN(4) == 0 {
		pause(3 * time.Millisecond)
	}
	if rng.IntN(5) == 0 {
		return tx.Rollback()
	}
	return tx.Commit()
}

// tail reads records while they come. finish is closed when all are committed.
type tail func(ctx context.Context, finish <-chan struct{},
	each func(id nerve.ID, data string) error) error

// tailLog follows the queue by a log of its own.
func tailLog(log *sqllog.Log) tail {
	return func(ctx context.Context, finish <-chan struct{},
		each func(nerve.ID, string) error) error {
		cur, err := log.Read(ctx, 1)
		if err != nil {
			return err
		}
		defer cur.Close()
		ctx, cancel := context.WithCancelCause(ctx)
		done := errors.New("all was read")
		last := nerve.ID(0)
		go func() {
			<-finish
			for { // what was committed last may not be seen yet
				if _, end := log.Bounds(); end > 0 {
					if _, err := log.Seek(ctx, time.Now()); err != nil { // asks the server
						cancel(err)
						return
					}
					break
				}
			}
			cancel(done)
		}()
		var b nerve.Batch
		for {
			err := cur.Next(ctx, &b)
			if errors.Is(err, done) {
				break
			}
			if err != nil {
				return err
			}
			for rec := range b.All() {
				if err := each(rec.ID, string(rec.Data)); err != nil {
					return err
				}
				last = rec.ID
			}
		}
		_, end := log.Bounds()
		rest, err := between(context.Background(), log, last+1, end)
		for i, data := range rest {
			if err := each(last+1+nerve.ID(i), data); err != nil {
				return err
			}
		}
		return err
	}
}

// tailMutant asks for what is above the last id.
func tailMutant(db *program) tail {
	return func(ctx context.Context, finish <-chan struct{},
		each func(nerve.ID, string) error) error {
		query := db.text("SELECT id, body FROM mutant WHERE id > ? ORDER BY id LIMIT 1000")
		last := nerve.ID(0)
		for finished := false; ; {
			rows, err := db.QueryContext(ctx, query, int64(last))
			if err != nil {
				return err
			}
			before := last
			for rows.Next() {
				var data string
				if err := rows.Scan(&last, &data); err != nil {
					return err
				}
				if err := each(last, data); err != nil {
					return err
				}
			}
			if err := errors.Join(rows.Err(), rows.Close()); err != nil {
				return err
			}
			if last != before {
				continue
			}
			if finished {
				return nil
			}
			select {
			case <-finish:
				finished = true
			case <-time.After(time.Millisecond):
			}
		}
	}
}

// readings is what one reader has seen.
type readings struct {
	ids   []nerve.ID
	sales map[sale]int
	last  map[int]int // the newest transaction of each worker
	wrong error       // the first thing that cannot be
}

func (r *readings) add(id nerve.ID, data string) error {
	var s sale
	if _, err := fmt.Sscan(data, &s.worker, &s.n, &s.amount); err != nil {
		return fmt.Errorf("record %d is %q: %w", id, data, err)
	}
	if r.wrong == nil && s.n <= r.last[s.worker] {
		r.wrong = fmt.Errorf("record %d is %v, after %d of this worker", id, s, r.last[s.worker])
	}
	r.ids = append(r.ids, id)
	r.sales[s]++
	r.last[s.worker] = s.n
	return nil
}

// check compares what was read with what the business has.
func (r *readings) check(business map[sale]int, contiguous bool) error {
	if r.wrong != nil {
		return r.wrong
	}
	for i, id := range r.ids {
		if contiguous && id != nerve.ID(i+1) {
			return fmt.Errorf("record %d is at place %d", id, i+1)
		}
	}
	if maps.Equal(r.sales, business) {
		return nil
	}
	for s := range business {
		if r.sales[s] == 0 {
			return fmt.Errorf("sale %v was skipped, one of %d of %d", s,
				len(business)-len(r.sales), len(business))
		}
	}
	return errors.New("there are records that are no sales, or twice")
}

// runBusiness lets 32 workers sell and 4 readers follow, and returns what the
// readers found to be wrong. The workers are in 4 processes, or each in its own.
func runBusiness(t *testing.T, server *sqlservers.Server, mutant bool) (sales int, wrong error) {
	const workers, readers = 32, 4
	processes, seconds := 4, 3
	if *long {
		processes, seconds = workers, 60
	}
	address := withQueue(t, server.URL(), newQueue())
	db := database(t, address)
	db.must(t, "DROP TABLE IF EXISTS business")
	db.must(t, "DROP TABLE IF EXISTS mutant")
	db.must(t, businessTables)
	db.must(t, mutantTables[db.kind])
	open(t, address, sqllog.Options{}).Close()

	ctx, cancel := context.WithTimeout(context.Background(),
		time.Duration(seconds)*time.Second+3*time.Minute)
	defer cancel()
	finish := make(chan struct{})
	found := make([]readings, readers)
	errs := make([]error, readers)
	var all sync.WaitGroup
	for i := range readers {
		var follow tail
		if mutant {
			follow = tailMutant(db)
		} else {
			follow = tailLog(open(t, address, sqllog.Options{}))
		}
		found[i] = readings{sales: make(map[sale]int), last: make(map[int]int)}
		all.Go(func() { errs[i] = follow(ctx, finish, found[i].add) })
	}
	share := workers / processes
	var wait []func() error
	for p := range processes {
		cmd, _, _ := spawn(t, roleBusiness, order{
			URL: address, Mutant: mutant, First: p * share, N: share, Seconds: seconds,
		})
		wait = append(wait, cmd.Wait)
	}
	for _, w := range wait {
		if err := w(); err != nil {
			t.Errorf("a worker failed: %v", err)
		}
	}
	close(finish)
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	business := soldBy(t, db)
	for i := range found {
		if err := found[i].check(business, !mutant); err != nil {
			return len(business), fmt.Errorf("reader %d: %w", i, err)
		}
	}
	return len(business), nil
}

func soldBy(t *testing.T, db *program) map[sale]int {
	t.Helper()
	rows, err := db.QueryContext(testContext(t), "SELECT worker, n, amount FROM business")
	if err != nil {
		t.Fatal(err)
	}
	business := make(map[sale]int)
	for rows.Next() {
		var s sale
		if err := rows.Scan(&s.worker, &s.n, &s.amount); err != nil {
			t.Fatal(err)
		}
		business[s]++
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		t.Fatal(err)
	}
	return business
}

// TestBusiness is what AppendTx is for: the queue holds what was committed and
// nothing else, in an order that no reader can miss anything of.
func TestBusiness(t *testing.T) {
	proof(t)
	onEach(t, func(t *testing.T, server *sqlservers.Server) {
		sales, wrong := runBusiness(t, server, false)
		if wrong != nil {
			t.Fatal(wrong)
		}
		if sales < 100 {
			t.Fatalf("only %d sales: that proves nothing", sales)
		}
		t.Logf("%d sales, each read once by each reader", sales)
	})
}

// TestBusinessMutant checks that TestBusiness finds what it looks for: with ids
// of an AUTO_INCREMENT column or a sequence, readers skip records.
func TestBusinessMutant(t *testing.T) {
	proof(t)
	onEach(t, func(t *testing.T, server *sqlservers.Server) {
		sales, wrong := runBusiness(t, server, true)
		if wrong == nil {
			t.Fatalf("nothing was found to be wrong with the mutant in %d sales", sales)
		}
		t.Logf("as expected: %v", wrong)
	})
}
