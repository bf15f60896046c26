// Package chainedtwice opens a nested message for each of its fields.
package chainedtwice

import (
	"context"
	"fmt"

	shopv1 "github.com/octopus-framework/octopus/examples/deposits/shop/v1"
	"github.com/octopus-framework/octopus/nerve"
)

func Print(ctx context.Context, c *nerve.Consumer) {
	for it := range nerve.Typed[shopv1.DepositReader](ctx, c) {
		fmt.Println(it.Value.GetUser().GetName())
		fmt.Println(it.Value.GetUser().GetId()) // want "take it once, into a variable"
	}
}
