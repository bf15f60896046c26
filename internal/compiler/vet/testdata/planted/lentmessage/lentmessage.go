// Package lentmessage keeps parts of Messages that are decoded from what is lent.
package lentmessage

import (
	"context"

	shopv1 "github.com/octopus-framework/octopus/examples/deposits/shop/v1"
	"github.com/octopus-framework/octopus/gremlin"
	"github.com/octopus-framework/octopus/nerve"
)

type deposit = gremlin.Lent[shopv1.Deposit, *shopv1.Deposit]

func Typed(ctx context.Context, c *nerve.Consumer) (last string, kept *shopv1.User) {
	for it, err := range nerve.Typed[deposit](ctx, c) {
		if err != nil {
			return
		}
		last = it.Value.Message().EventId   // want "kept longer than it is valid"
		kept = it.Value.Message().GetUser() // want "kept longer than it is valid"
	}
	return last, kept
}

func Borrowed(ctx context.Context, c *nerve.Consumer) (ids []string) {
	for rec, err := range c.Records(ctx) {
		var m shopv1.Deposit
		if err != nil || gremlin.UnmarshalWith(rec.Data, &m, gremlin.Borrow) != nil {
			continue
		}
		ids = append(ids, m.EventId) // want "kept longer than it is valid"
	}
	return ids
}

func Nested(ctx context.Context, c *nerve.Consumer) (users []*shopv1.User, all [][]shopv1.Item, skus []string) {
	for rec, err := range c.Records(ctx) {
		m := new(shopv1.Deposit)
		if err != nil || m.UnmarshalWith(rec.Data, gremlin.Borrow) != nil {
			continue
		}
		users = append(users, m.GetUser()) // want "kept longer than it is valid"
		all = append(all, m.Items)         // want "kept longer than it is valid"
		for _, it := range m.Items {
			skus = append(skus, it.Sku) // want "kept longer than it is valid"
		}
	}
	return users, all, skus
}
