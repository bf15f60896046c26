// Package chained opens nested messages in every round.
package chained

import (
	shopv1 "github.com/octopus-framework/octopus/examples/deposits/shop/v1"
)

func Sum(r *shopv1.DepositReader, n int) (sum int64) {
	for range n {
		sum += int64(len(r.GetUser().GetName())) // want "take it once, before the loop"
	}
	return sum
}
