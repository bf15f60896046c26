// Package goroutine reads an item in another goroutine.
package goroutine

import (
	"context"
	"fmt"

	shopv1 "github.com/octopus-framework/octopus/examples/deposits/shop/v1"
	"github.com/octopus-framework/octopus/nerve"
)

func Print(ctx context.Context, c *nerve.Consumer) {
	for it := range nerve.Typed[shopv1.DepositReader](ctx, c) {
		go func() {
			fmt.Println(it.ID, it.Value.GetAmount()) // want "kept longer than it is valid"
		}()
	}
}
