// Package rangecopy changes copies of list elements.
package rangecopy

import (
	shopv1 "github.com/octopus-framework/octopus/examples/deposits/shop/v1"
)

func Double(d *shopv1.Deposit) {
	for _, it := range d.Items {
		it.Quantity *= 2 // want "changes a copy of the element"
	}
}
