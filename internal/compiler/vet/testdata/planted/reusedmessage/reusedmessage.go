// Package reusedmessage keeps parts of Messages that are decoded again in the next round.
package reusedmessage

import (
	shopv1 "github.com/octopus-framework/octopus/examples/deposits/shop/v1"
	"github.com/octopus-framework/octopus/gremlin"
)

func Keep(messages [][]byte) (users []*shopv1.User, items []shopv1.Item, total int64) {
	var m shopv1.Deposit
	for _, b := range messages {
		if m.UnmarshalWith(b, gremlin.Reuse) != nil {
			continue
		}
		users = append(users, m.User) // want "kept longer than it is valid"
		items = m.GetItems()          // want "kept longer than it is valid"
		users = append(users, m.User.Clone())
		total += m.Amount
	}
	return users, items, total
}

func Held(messages [][]byte) (kept []*shopv1.Deposit, names []string) {
	var r gremlin.Reused[shopv1.Deposit, *shopv1.Deposit]
	for _, b := range messages {
		m, err := r.Unmarshal(b, gremlin.Borrow)
		if err != nil {
			continue
		}
		kept = append(kept, m) // want "kept longer than it is valid"
		kept = append(kept, m.Clone())
		for _, it := range m.Items {
			names = append(names, it.Sku) // want "kept longer than it is valid"
		}
	}
	return kept, names
}
