// Package right does all of it right, and nothing is found in it.
package right

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	shopv1 "github.com/octopus-framework/octopus/examples/deposits/shop/v1"
	"github.com/octopus-framework/octopus/gremlin"
	"github.com/octopus-framework/octopus/nerve"
)

func Right(ctx context.Context, c *nerve.Consumer, d *shopv1.Deposit) {
	counts, amounts := map[string]int{}, map[nerve.ID]int64{}
	var kept []*shopv1.DepositReader
	var all [][]byte
	var buffer []byte
	text := ""
	for it, err := range nerve.Typed[shopv1.DepositReader](ctx, c) {
		if err != nil {
			return
		}
		counts[strings.Clone(it.Value.GetEventId())]++
		amounts[it.ID] = it.Value.GetAmount()
		fmt.Println(counts[it.Value.GetEventId()])
		kept = append(kept, it.Keep().Value)
		all = append(all, bytes.Clone(it.Data))
		buffer = append(buffer, it.Data...)
		text += it.Value.GetCurrency()
		user := it.Value.GetUser()
		fmt.Println(user.GetName(), user.GetId())
		id, amount := it.ID, it.Value.GetAmount()
		go func() { fmt.Println(id, amount) }()
		local := map[string]bool{}
		for line := range it.Value.Items() {
			local[line.GetSku()] = true
		}
	}
	for it := range nerve.Owned[shopv1.DepositReader](ctx, c) {
		kept = append(kept, it.Value)
		counts[it.Value.GetEventId()]++
	}
	var b nerve.Batch
	for c.Next(ctx, &b) == nil {
		var ids []string
		for rec := range b.All() {
			ids = append(ids, string(rec.Data))
		}
		fmt.Println(ids)
	}
	for i := range d.Items {
		d.Items[i].Quantity++
	}
	var changed []shopv1.Item
	for _, it := range d.Items {
		it.Quantity++
		changed = append(changed, it)
	}
	fmt.Println(kept, all, buffer, text, changed)
}

func Messages(inputs [][]byte) (kept []*shopv1.Deposit, amounts []int64, ids []string) {
	var again shopv1.Deposit
	var held gremlin.Reused[shopv1.Deposit, *shopv1.Deposit]
	for _, b := range inputs {
		if again.UnmarshalWith(b, gremlin.Borrow|gremlin.Reuse) != nil {
			continue
		}
		amounts = append(amounts, again.Amount, again.GetUser().GetId())
		kept = append(kept, again.Clone())
		ids = append(ids, strings.Clone(again.EventId))
		if m, err := held.Unmarshal(b, 0); err == nil {
			amounts = append(amounts, m.Amount)
			kept = append(kept, m.Clone())
		}
		own := new(shopv1.Deposit)
		if own.UnmarshalWith(b, gremlin.Borrow) == nil { // b is the caller's
			kept = append(kept, own)
			ids = append(ids, own.EventId)
		}
	}
	return kept, amounts, ids
}
