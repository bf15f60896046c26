package main

import (
	"fmt"
	"math/rand/v2"

	shopv1 "github.com/octopus-framework/octopus/examples/deposits/shop/v1"
	"github.com/octopus-framework/octopus/gremlin/wkt"
)

// users is how many users the events are about.
const users = 10_000

var (
	countries = []string{"DE", "FR", "US", "JP", "BR", "IN", "KE", "SE"}
	agents    = []string{"Mozilla/5.0 (X11; Linux x86_64)", "shop-app/7.2 (Android 16)",
		"shop-app/7.1 (iOS 26)", "curl/8.14"}
	shops = []string{"berlin-mitte", "lyon-gare", "osaka-umeda", "nairobi-cbd"}
)

// generator makes events; the same ones every time.
type generator struct {
	rand *rand.Rand
	last shopv1.Deposit // reused from event to event
}

func newGenerator() *generator { return &generator{rand: rand.New(rand.NewPCG(1, 2))} }

// event returns event number i. It is good until the next call.
func (g *generator) event(i int) *shopv1.Deposit {
	r := g.rand
	id := r.Int64N(users) + 1
	d := &g.last
	*d = shopv1.Deposit{
		EventId:   fmt.Sprintf("dep-%012d", i),
		Time:      &wkt.Timestamp{Seconds: 1_790_000_000 + int64(i), Nanos: r.Int32N(1e9)},
		Type:      shopv1.DepositType(r.IntN(3) + 1),
		Amount:    r.Int64N(500_00) + 1,
		Currency:  "EUR",
		Ip:        fmt.Sprintf("10.%d.%d.%d", r.IntN(256), r.IntN(256), r.IntN(256)),
		UserAgent: agents[r.IntN(len(agents))],
		User: &shopv1.User{
			Id:   id,
			Name: fmt.Sprintf("user %d", id),
			Geo: &shopv1.Geo{Country: countries[id%int64(len(countries))],
				Latitude: r.Float64()*180 - 90, Longitude: r.Float64()*360 - 180},
		},
		Metadata: map[string]string{"shop": shops[r.IntN(len(shops))],
			"campaign": fmt.Sprintf("c%d", r.IntN(40))},
		Items: d.Items[:0],
	}
	for range r.IntN(4) {
		d.Items = append(d.Items, shopv1.Item{Sku: fmt.Sprintf("sku-%05d", r.IntN(1e5)),
			Quantity: r.Int32N(5) + 1, Price: r.Int64N(100_00)})
	}
	return d
}
