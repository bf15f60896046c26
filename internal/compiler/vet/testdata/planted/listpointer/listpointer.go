// Package listpointer keeps pointers to the one Reader of a list.
package listpointer

import (
	shopv1 "github.com/octopus-framework/octopus/examples/deposits/shop/v1"
)

func Items(r *shopv1.DepositReader) (items []*shopv1.ItemReader) {
	for it := range r.Items() {
		items = append(items, it) // want "pointer to a Reader that is on another message"
	}
	return items
}
