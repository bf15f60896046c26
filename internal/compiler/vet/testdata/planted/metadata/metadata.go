// Package metadata keeps the entries of a map.
package metadata

import (
	"context"

	shopv1 "github.com/octopus-framework/octopus/examples/deposits/shop/v1"
	"github.com/octopus-framework/octopus/nerve"
)

func Tags(ctx context.Context, c *nerve.Consumer) map[string]string {
	tags := map[string]string{}
	for it := range nerve.Typed[shopv1.DepositReader](ctx, c) {
		for k, v := range it.Value.Metadata() {
			tags[k] = v // want "kept longer" "kept longer"
		}
	}
	return tags
}
