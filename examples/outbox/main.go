//go:build linux

// Outbox shows what a queue in the database of a program is for: an order and
// its event are committed together, and the effect of an event counts once.
//
//	go run ./examples/outbox                 # starts PostgreSQL in a temporary folder
//	go run ./examples/outbox -url 'mysql://user:password@host/database'
//
// Customers place orders at the same time; each order and its event are one
// transaction, and some are rolled back. A consumer, in a process of its own,
// adds the events up in a table of totals. It is killed several times in the
// middle of its work and started again. In the end the totals and the orders
// say the same.
package main

import (
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"

	"github.com/octopus-framework/octopus/examples/outbox/totals"
	"github.com/octopus-framework/octopus/internal/oracle/sqlservers"
	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/sqllog"
)

type config struct {
	url       string
	server    string
	customers int
	orders    int
	kills     int
	consume   bool
}

func main() {
	var c config
	flag.StringVar(&c.url, "url", "",
		"database, mysql:// or postgres://, whose tables outbox_orders and outbox_totals are replaced (default: a server is started)")
	flag.StringVar(&c.server, "server", "postgres",
		"server to start without -url: postgres or mariadb")
	flag.IntVar(&c.customers, "customers", 20, "customers who place orders at the same time")
	flag.IntVar(&c.orders, "orders", 200, "orders of each")
	flag.IntVar(&c.kills, "kills", 5, "how often to kill the consumer")
	flag.BoolVar(&c.consume, "consume", false, "be the consumer: used by the program itself")
	flag.Parse()
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	defer cancel()
	if err := run(ctx, c, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "outbox:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, c config, out io.Writer) (err error) {
	if c.url == "" {
		server, err := start(c.server)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, server.Stop()) }()
		c.url = server.URL()
	}
	db, err := sqllog.OpenDB(c.url)
	if err != nil {
		return err
	}
	defer db.Close()
	// A short lease: the next consumer waits so long for one that was killed.
	log, err := sqllog.Open(ctx, c.url, sqllog.Options{Queue: queueName, Lease: time.Second})
	if err != nil {
		return err
	}
	if c.consume {
		return consume(ctx, log, db, out)
	}
	defer log.Close()
	if err := createTables(ctx, log, db); err != nil {
		return err
	}
	fmt.Fprintf(out, "%d customers place %d orders each\n", c.customers, c.orders)
	placed := make(chan error, 1)
	go func() { placed <- placeAll(ctx, c, log, db) }()
	if err := killAndResume(ctx, c, db, placed, out); err != nil {
		return err
	}
	return totals.Compare(ctx, db, out)
}

// start starts the server that is to be used without -url.
func start(name string) (*sqlservers.Server, error) {
	for _, kind := range sqlservers.Kinds() {
		if kind.Name == name {
			return sqlservers.Start(kind)
		}
	}
	return nil, fmt.Errorf("no server %q: use postgres or mariadb, or -url", name)
}

// queueName is that of the queue and of its consumer.
const queueName = "outbox-example"

// createTables makes the tables of the business anew, and forgets what the
// consumer did before: totals begin with the orders of this run.
func createTables(ctx context.Context, log *sqllog.Log, db *sql.DB) error {
	for _, statement := range []string{
		"DROP TABLE IF EXISTS outbox_orders",
		"DROP TABLE IF EXISTS outbox_totals",
		"CREATE TABLE outbox_orders (customer INT, n INT, amount BIGINT, PRIMARY KEY (customer, n))",
		"CREATE TABLE outbox_totals (customer INT PRIMARY KEY, orders BIGINT, amount BIGINT)",
	} {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	_, last := log.Bounds()
	if err := log.RemovePointer(ctx, queueName); err != nil {
		return err
	}
	return log.SavePointers(ctx, []nerve.Pointer{{Name: queueName, ID: last}})
}
