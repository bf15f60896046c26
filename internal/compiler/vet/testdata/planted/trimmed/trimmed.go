// Package trimmed keeps a part of a string.
package trimmed

import (
	"context"
	"strings"

	shopv1 "github.com/octopus-framework/octopus/examples/deposits/shop/v1"
	"github.com/octopus-framework/octopus/nerve"
)

func Currencies(ctx context.Context, c *nerve.Consumer) map[string]bool {
	seen := map[string]bool{}
	for it := range nerve.Typed[shopv1.DepositReader](ctx, c) {
		seen[strings.TrimSpace(it.Value.GetCurrency())] = true // want "kept longer than it is valid"
	}
	return seen
}
