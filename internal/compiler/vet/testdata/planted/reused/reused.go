// Package reused keeps pointers to a Reader that goes on.
package reused

import (
	shopv1 "github.com/octopus-framework/octopus/examples/deposits/shop/v1"
)

func Open(messages [][]byte) (readers []*shopv1.DepositReader) {
	var r shopv1.DepositReader
	for _, m := range messages {
		if r.Unmarshal(m) == nil {
			readers = append(readers, &r) // want "pointer to a Reader that is on another message"
		}
	}
	return readers
}
