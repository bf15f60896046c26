package right

import (
	"context"

	shopv1 "github.com/octopus-framework/octopus/examples/deposits/shop/v1"
	"github.com/octopus-framework/octopus/examples/pproftop/profile"
	"github.com/octopus-framework/octopus/gremlin"
	"github.com/octopus-framework/octopus/gremlin/wkt"
	"github.com/octopus-framework/octopus/nerve"
)

// Numbers keeps what a Message owns that only borrows strings and bytes.
func Numbers(ctx context.Context, c *nerve.Consumer) (values [][]int64, times []*wkt.Timestamp) {
	var samples []profile.Sample
	for rec, err := range c.Records(ctx) {
		var s profile.Sample
		var d shopv1.Deposit
		if err != nil || s.UnmarshalWith(rec.Data, gremlin.Borrow) != nil ||
			gremlin.UnmarshalWith(rec.Data, &d, gremlin.Borrow) != nil {
			continue
		}
		values = append(values, s.Value, s.GetValue())
		times = append(times, d.Time, d.GetTime())
		for _, x := range s.Value {
			values[0][0] += x
		}
		samples = append(samples, profile.Sample{Value: s.Value})
	}
	return values, times
}
