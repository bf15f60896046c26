// Package ownreader puts a Reader of its own on records.
package ownreader

import (
	"context"

	shopv1 "github.com/octopus-framework/octopus/examples/deposits/shop/v1"
	"github.com/octopus-framework/octopus/nerve"
)

func IDs(ctx context.Context, c *nerve.Consumer) (ids []string) {
	var r shopv1.DepositReader
	for rec, err := range c.Records(ctx) {
		if err != nil || r.Unmarshal(rec.Data) != nil {
			return ids
		}
		ids = append(ids, r.GetEventId()) // want "kept longer than it is valid"
	}
	return ids
}
