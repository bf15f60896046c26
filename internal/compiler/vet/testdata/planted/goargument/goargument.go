// Package goargument hands a string to another goroutine.
package goargument

import (
	"context"

	shopv1 "github.com/octopus-framework/octopus/examples/deposits/shop/v1"
	"github.com/octopus-framework/octopus/nerve"
)

func Notify(ctx context.Context, c *nerve.Consumer, notify func(string)) {
	for it := range nerve.Typed[shopv1.DepositReader](ctx, c) {
		go notify(it.Value.GetUser().GetName()) // want "kept longer than it is valid"
	}
}
