// Package batchkeys keeps what a batch had when the next one is taken.
package batchkeys

import (
	"context"

	"github.com/octopus-framework/octopus/nerve"
)

func First(ctx context.Context, c *nerve.Consumer) map[nerve.ID][]byte {
	firsts := map[nerve.ID][]byte{}
	var b nerve.Batch
	for c.Next(ctx, &b) == nil {
		for rec := range b.All() {
			firsts[rec.ID] = rec.Data[:4] // want "kept longer than it is valid"
		}
	}
	return firsts
}
