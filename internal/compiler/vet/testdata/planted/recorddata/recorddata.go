// Package recorddata keeps the bytes of records.
package recorddata

import (
	"context"

	"github.com/octopus-framework/octopus/nerve"
)

func All(ctx context.Context, c *nerve.Consumer) (all [][]byte) {
	for rec, err := range c.Records(ctx) {
		if err != nil {
			break
		}
		all = append(all, rec.Data) // want "kept longer than it is valid"
	}
	return all
}
