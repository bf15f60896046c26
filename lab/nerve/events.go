package main

import (
	"fmt"
	"math/rand/v2"

	shopv1 "github.com/octopus-framework/octopus/examples/deposits/shop/v1"
	"github.com/octopus-framework/octopus/gremlin/wkt"
)

// makeEvents returns n encoded deposits of about 380 bytes, the same every
// time.
func makeEvents(n int) [][]byte {
	rng := rand.New(rand.NewPCG(1, 2))
	events := make([][]byte, n)
	for i := range events {
		id := rng.Int64N(10_000) + 1
		d := shopv1.Deposit{
			EventId:   fmt.Sprintf("dep-%012d-%016x", i, rng.Uint64()),
			Time:      &wkt.Timestamp{Seconds: 1_790_000_000 + int64(i), Nanos: rng.Int32N(1e9)},
			Type:      shopv1.DepositType(rng.IntN(3) + 1),
			Amount:    rng.Int64N(500_00) + 1,
			Currency:  "EUR",
			Ip:        fmt.Sprintf("10.%d.%d.%d", rng.IntN(256), rng.IntN(256), rng.IntN(256)),
			UserAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0",
			User:      &shopv1.User{Id: id, Name: fmt.Sprintf("user %d", id), Geo: &shopv1.Geo{Country: "DE", Latitude: rng.Float64(), Longitude: rng.Float64()}},
			Metadata:  map[string]string{"shop": "berlin-mitte", "campaign": fmt.Sprintf("c%d", rng.IntN(40)), "session": fmt.Sprintf("%016x", rng.Uint64())},
		}
		for range 2 + rng.IntN(5) {
			d.Items = append(d.Items, shopv1.Item{Sku: fmt.Sprintf("sku-%05d", rng.IntN(1e5)), Quantity: rng.Int32N(5) + 1, Price: rng.Int64N(100_00)})
		}
		events[i] = d.Marshal()
	}
	return events
}

// twoFields is what the reading benchmark with Readers does to each event.
type twoFields struct {
	reader shopv1.DepositReader
	user   shopv1.UserReader
	sum    int64
}

func (f *twoFields) event(data []byte) {
	if err := f.reader.Unmarshal(data); err != nil {
		panic(err) // these are not the bytes that were appended
	}
	if f.reader.UserInto(&f.user) {
		f.sum += f.user.GetId()
	}
	f.sum += f.reader.GetAmount()
}
