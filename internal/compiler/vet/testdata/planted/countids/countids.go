// Package countids counts by a string that changes.
package countids

import (
	"context"

	shopv1 "github.com/octopus-framework/octopus/examples/deposits/shop/v1"
	"github.com/octopus-framework/octopus/nerve"
)

func Count(ctx context.Context, c *nerve.Consumer) (map[string]int, error) {
	counts := map[string]int{}
	for it, err := range nerve.Typed[shopv1.DepositReader](ctx, c) {
		if err != nil {
			return counts, err
		}
		counts[it.Value.GetEventId()]++ // want "kept longer than it is valid"
	}
	return counts, nil
}
