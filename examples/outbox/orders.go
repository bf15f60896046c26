//go:build linux

package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"

	"golang.org/x/sync/errgroup"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/sqllog"
)

// event tells of an order.
type event struct {
	Customer int   `json:"customer"`
	Amount   int64 `json:"amount"`
}

// placeAll places all orders, and moves their events into the queue meanwhile.
func placeAll(ctx context.Context, c config, log *sqllog.Log, db *sql.DB) error {
	out := log.Outbox()
	done := errors.New("all orders are placed")
	moving, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	moved := make(chan error, 1)
	go func() { moved <- out.Run(moving) }()

	var all errgroup.Group
	for customer := range c.customers {
		all.Go(func() error {
			for n := range c.orders {
				if err := place(ctx, db, out, customer, n); err != nil {
					return fmt.Errorf("customer %d, order %d: %w", customer, n, err)
				}
			}
			return nil
		})
	}
	err := all.Wait()
	stop(done)
	if ended := <-moved; !errors.Is(ended, done) {
		return errors.Join(err, ended)
	}
	for n := 1; err == nil && n > 0; { // what Run left
		n, err = out.Move(ctx)
	}
	return err
}

// place puts an order and its event into one transaction.
func place(ctx context.Context, db *sql.DB, out *sqllog.Outbox, customer, n int) error {
	e := event{Customer: customer, Amount: rand.Int64N(100_00) + 1}
	data, err := json.Marshal(e)
	if err != nil {
		return err
	}
	var events nerve.Batch
	events.Append(data)

	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // after Commit it does nothing
	// Numbers are written into the text: databases do not agree about "?".
	_, err = tx.ExecContext(ctx, fmt.Sprintf(
		"INSERT INTO outbox_orders (customer, n, amount) VALUES (%d, %d, %d)", customer,
		n, e.Amount))
	if err != nil {
		return err
	}
	if err := out.AppendTx(ctx, tx, &events); err != nil {
		return err
	}
	if rand.IntN(10) == 0 {
		return tx.Rollback() // the customer thinks better of it
	}
	return tx.Commit()
}
