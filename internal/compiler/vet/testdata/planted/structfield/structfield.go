// Package structfield keeps a nested Reader in a struct.
package structfield

import (
	"context"

	shopv1 "github.com/octopus-framework/octopus/examples/deposits/shop/v1"
	"github.com/octopus-framework/octopus/nerve"
)

type Last struct {
	User *shopv1.UserReader
	At   nerve.ID
}

func (l *Last) Follow(ctx context.Context, c *nerve.Consumer) {
	for it := range nerve.Typed[shopv1.DepositReader](ctx, c) {
		l.User = it.Value.GetUser() // want "kept longer than it is valid"
		l.At = it.ID
	}
}
