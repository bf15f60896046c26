// Package delimited keeps what a stream had before.
package delimited

import (
	"io"

	shopv1 "github.com/octopus-framework/octopus/examples/deposits/shop/v1"
	"github.com/octopus-framework/octopus/gremlin"
)

func IDs(from io.Reader) (ids []string) {
	stream := gremlin.NewDelimitedReader(from, 1<<20)
	var r shopv1.DepositReader
	for {
		b, err := stream.Next()
		if err != nil || r.Unmarshal(b) != nil {
			return ids
		}
		ids = append(ids, r.GetEventId()) // want "kept longer than it is valid"
	}
}
