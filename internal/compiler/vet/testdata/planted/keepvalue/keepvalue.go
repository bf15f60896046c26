// Package keepvalue keeps the one Reader of a loop.
package keepvalue

import (
	"context"

	shopv1 "github.com/octopus-framework/octopus/examples/deposits/shop/v1"
	"github.com/octopus-framework/octopus/nerve"
)

func Keep(ctx context.Context, c *nerve.Consumer) (kept []*shopv1.DepositReader) {
	for it, err := range nerve.Typed[shopv1.DepositReader](ctx, c) {
		if err == nil {
			kept = append(kept, it.Value) // want "kept longer than it is valid"
		}
	}
	return kept
}
