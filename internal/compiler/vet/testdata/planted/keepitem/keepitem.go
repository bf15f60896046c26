// Package keepitem sends items on.
package keepitem

import (
	"context"

	shopv1 "github.com/octopus-framework/octopus/examples/deposits/shop/v1"
	"github.com/octopus-framework/octopus/nerve"
)

func Send(ctx context.Context, c *nerve.Consumer, to chan<- nerve.Item[shopv1.DepositReader]) {
	for it := range nerve.Typed[shopv1.DepositReader](ctx, c) {
		to <- it // want "kept longer than it is valid"
	}
}
