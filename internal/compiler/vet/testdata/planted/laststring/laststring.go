// Package laststring remembers the last user by a variable.
package laststring

import (
	"context"

	shopv1 "github.com/octopus-framework/octopus/examples/deposits/shop/v1"
	"github.com/octopus-framework/octopus/nerve"
)

func Last(ctx context.Context, c *nerve.Consumer) string {
	var last string
	for it := range nerve.Typed[shopv1.DepositReader](ctx, c) {
		name := it.Value.GetCurrency()
		if name == last {
			continue
		}
		last = name // want "kept longer than it is valid"
	}
	return last
}
