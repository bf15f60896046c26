// Package totals compares what was ordered with what was added up.
package totals

import (
	"context"
	"database/sql"
	"fmt"
	"io"
)

// Totals are what the business and what the consumer come to.
type Totals struct {
	Orders, Amount         int64
	Consumed, ConsumedSums int64
}

// Read reads them. While orders are placed or consumed they belong to no one
// moment.
func Read(ctx context.Context, db *sql.DB) (t Totals, err error) {
	err = db.QueryRowContext(ctx, "SELECT COUNT(*), COALESCE(SUM(amount), 0) FROM outbox_orders").
		Scan(&t.Orders, &t.Amount)
	if err == nil {
		err = db.QueryRowContext(ctx,
			"SELECT COALESCE(SUM(orders), 0), COALESCE(SUM(amount), 0) FROM outbox_totals").
			Scan(&t.Consumed, &t.ConsumedSums)
	}
	return t, err
}

// Compare says whether the totals are those of the orders, for each customer.
func Compare(ctx context.Context, db *sql.DB, out io.Writer) error {
	t, err := Read(ctx, db)
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
	fmt.Fprintf(out, "orders:   %d, amount %d\n", t.Orders, t.Amount)
	fmt.Fprintf(out, "consumed: %d, amount %d\n", t.Consumed, t.ConsumedSums)
	if differ > 0 || t.Orders != t.Consumed || t.Amount != t.ConsumedSums {
		return fmt.Errorf("the totals of %d customers differ", differ)
	}
	fmt.Fprintln(out, "every order was counted once")
	return nil
}
