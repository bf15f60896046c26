//go:build linux

package main

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"time"
)

// totals are what the business and what the consumer come to.
type totals struct {
	orders, amount            int64
	consumed, consumedAmounts int64
}

// pollTotals is the pause between two looks at them.
const pollTotals = 20 * time.Millisecond

func readTotals(ctx context.Context, db *sql.DB) (t totals, err error) {
	err = db.QueryRowContext(ctx, "SELECT COUNT(*), COALESCE(SUM(amount), 0) FROM outbox_orders").
		Scan(&t.orders, &t.amount)
	if err == nil {
		err = db.QueryRowContext(ctx,
			"SELECT COALESCE(SUM(orders), 0), COALESCE(SUM(amount), 0) FROM outbox_totals").
			Scan(&t.consumed, &t.consumedAmounts)
	}
	return t, err
}

// compare says whether the totals are those of the orders, for each customer.
func compare(ctx context.Context, db *sql.DB, out io.Writer) error {
	t, err := readTotals(ctx, db)
	if err != nil {
		return err
	}
	var differ int64
	err = db.QueryRowContext(ctx, "SELECT COUNT(*) FROM "+
		"(SELECT customer, COUNT(*) AS orders, SUM(amount) AS amount FROM outbox_orders GROUP BY customer) o "+
		"LEFT JOIN outbox_totals t ON t.customer = o.customer AND t.orders = o.orders AND t.amount = o.amount "+
		"WHERE t.customer IS NULL").Scan(&differ)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "orders:   %d, amount %d\n", t.orders, t.amount)
	fmt.Fprintf(out, "consumed: %d, amount %d\n", t.consumed, t.consumedAmounts)
	if differ > 0 || t.orders != t.consumed || t.amount != t.consumedAmounts {
		return fmt.Errorf("the totals of %d customers differ", differ)
	}
	fmt.Fprintln(out, "every order was counted once")
	return nil
}

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
