// Package rangereset empties copies of list elements.
package rangereset

import (
	shopv1 "github.com/octopus-framework/octopus/examples/deposits/shop/v1"
)

func Clear(d *shopv1.Deposit) {
	for i, it := range d.Items {
		if i > 0 {
			it.Reset() // want "changes a copy of the element"
		}
	}
}
