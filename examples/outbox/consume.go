//go:build linux

package main

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"github.com/octopus-framework/octopus/examples/outbox/totals"
	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/sqllog"
)

// consume adds up the events of orders until ctx ends. The totals and the
// pointer of the consumer change in one transaction, so an event counts once,
// whenever this process dies.
func consume(ctx context.Context, log *sqllog.Log, db *sql.DB, out io.Writer) error {
	queue := nerve.New(log, nerve.Options{})
	defer queue.Close()
	consumer, err := open(ctx, queue)
	if err != nil {
		return err
	}
	for {
		var batch nerve.Batch
		if err := consumer.Next(ctx, &batch); err != nil {
			return err
		}
		tx, err := db.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		if err := add(ctx, tx, &batch); err != nil {
			return errors.Join(err, tx.Rollback())
		}
		if err := log.AckTx(ctx, tx, consumer.Name(), batch.Last()); err != nil {
			return errors.Join(err, tx.Rollback())
		}
		if err := tx.Commit(); err != nil {
			return err
		}
		if err := consumer.AckThrough(batch.Last()); err != nil {
			return err
		}
		fmt.Fprintln(out, batch.Len())
	}
}

// open opens the consumer. A predecessor that was killed keeps the name until
// its lease is over.
func open(ctx context.Context, queue *nerve.Queue) (*nerve.Consumer, error) {
	for {
		consumer, err := queue.Consumer(queueName, nerve.ConsumerOptions{})
		var taken *nerve.OpenError
		if !errors.As(err, &taken) {
			return consumer, err
		}
		if err := sleep(ctx, taken.Lease); err != nil {
			return nil, err
		}
	}
}

// add adds the orders of a batch to the totals.
func add(ctx context.Context, tx *sql.Tx, batch *nerve.Batch) error {
	for rec := range batch.All() {
		var e event
		if err := json.Unmarshal(rec.Data, &e); err != nil {
			return fmt.Errorf("record %d: %w", rec.ID, err)
		}
		result, err := tx.ExecContext(ctx, fmt.Sprintf(
			"UPDATE outbox_totals SET orders = orders + 1, amount = amount + %d WHERE customer = %d",
			e.Amount, e.Customer))
		if err != nil {
			return err
		}
		if n, err := result.RowsAffected(); err != nil || n == 1 {
			continue
		}
		_, err = tx.ExecContext(ctx, fmt.Sprintf(
			"INSERT INTO outbox_totals (customer, orders, amount) VALUES (%d, 1, %d)",
			e.Customer, e.Amount))
		if err != nil {
			return err
		}
	}
	return nil
}

// killAndResume runs consumers one after the other, each but the last of which
// is killed after some of its work, until all that was placed is added up.
func killAndResume(ctx context.Context, c config, db *sql.DB, placed <-chan error,
	out io.Writer) error {
	for kill := 1; kill <= c.kills; kill++ {
		consumer, lines, err := startConsumer(ctx, c)
		if err != nil {
			return err
		}
		for range kill { // some transactions
			if !lines.Scan() {
				return errors.Join(errors.New("the consumer ended by itself"), consumer.Wait())
			}
		}
		if err := consumer.Process.Kill(); err != nil {
			return err
		}
		_ = consumer.Wait() // that it was killed
		fmt.Fprintf(out, "consumer %d was killed\n", kill)
	}
	consumer, lines, err := startConsumer(ctx, c)
	if err != nil {
		return err
	}
	go func() {
		for lines.Scan() {
		}
	}()
	err = <-placed
	for err == nil {
		var t totals.Totals
		if t, err = totals.Read(ctx, db); err != nil || t.Consumed >= t.Orders {
			break
		}
		err = sleep(ctx, pollTotals)
	}
	err = errors.Join(err, consumer.Process.Kill())
	_ = consumer.Wait() // that it was killed
	return err
}

// startConsumer starts this program as the consumer. Lines come with its
// transactions.
func startConsumer(ctx context.Context, c config) (*exec.Cmd, *bufio.Scanner, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, nil, err
	}
	cmd := exec.CommandContext(ctx, program, "-consume", "-url", c.url)
	cmd.Env = append(os.Environ(), childVariable+"=1")
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, nil, err
	}
	return cmd, bufio.NewScanner(out), cmd.Start()
}

// pollTotals is the pause between two looks at the totals.
const pollTotals = 20 * time.Millisecond

// sleep waits, or returns why ctx ended.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// childVariable tells the test binary that it is to be the program.
const childVariable = "OUTBOX_EXAMPLE"
