// Package literal keeps strings inside of a literal.
package literal

import (
	"context"

	shopv1 "github.com/octopus-framework/octopus/examples/deposits/shop/v1"
	"github.com/octopus-framework/octopus/nerve"
)

type row struct {
	id    string
	cents int64
}

func Rows(ctx context.Context, c *nerve.Consumer) (rows []row) {
	for it := range nerve.Typed[shopv1.DepositReader](ctx, c) {
		rows = append(rows, row{id: it.Value.GetEventId(), cents: it.Value.GetAmount()}) // want "kept longer than it is valid"
	}
	return rows
}
