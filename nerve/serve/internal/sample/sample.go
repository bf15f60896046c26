// Package sample makes queues that the page can be looked at with: for the demo, and
// for tests in a browser.
package sample

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	shopv1 "github.com/octopus-framework/octopus/examples/deposits/shop/v1"
	"github.com/octopus-framework/octopus/gremlin/wkt"
)

// Type is that of the events.
const Type = "shop.v1.Deposit"

var (
	countries = []string{"DE", "DE", "DE", "FR", "FR", "US", "JP", "BR", "IN", "KE", "SE"}
	names     = []string{"Ada Lovelace", "Grace Hopper", "Barbara Liskov", "Edsger Dijkstra",
		"李明", "Анна Петрова", "سارة"}
	agents = []string{"Mozilla/5.0 (X11; Linux x86_64)", "shop-app/7.2 (Android 16)",
		"shop-app/7.1 (iOS 26)"}
	shops = []string{"berlin-mitte", "lyon-gare", "osaka-umeda", "nairobi-cbd"}
)

// Deposit appends the encoding of event i to dst: the same event every time, with its
// map in any order.
func Deposit(dst []byte, i int) []byte {
	r := rand.New(rand.NewPCG(uint64(i), 2))
	id := r.Int64N(10_000) + 1
	d := shopv1.Deposit{
		EventId:  fmt.Sprintf("dep-%012d", i),
		Time:     &wkt.Timestamp{Seconds: 1_790_000_000 + int64(i), Nanos: r.Int32N(1e9)},
		Type:     shopv1.DepositType([]int32{1, 1, 1, 2, 2, 3}[r.IntN(6)]),
		Amount:   int64(r.ExpFloat64()*60_00) + 1_00,
		Currency: []string{"EUR", "EUR", "USD", "JPY"}[r.IntN(4)],
		Ip:       fmt.Sprintf("10.%d.%d.%d", r.IntN(256), r.IntN(256), r.IntN(256)),
		User: &shopv1.User{Id: id, Name: names[id%int64(len(names))],
			Geo: &shopv1.Geo{Country: countries[id%int64(len(countries))],
				Latitude: r.Float64()*180 - 90, Longitude: r.Float64()*360 - 180}},
		UserAgent: agents[r.IntN(len(agents))],
		Metadata: map[string]string{"shop": shops[r.IntN(len(shops))],
			"campaign": fmt.Sprintf("c%d", r.IntN(40))},
	}
	for range r.IntN(4) {
		d.Items = append(d.Items, shopv1.Item{Sku: fmt.Sprintf("sku-%05d", r.IntN(1e5)),
			Quantity: r.Int32N(5) + 1, Price: r.Int64N(100_00)})
	}
	return d.MarshalAppend(dst)
}

// Schema puts the schema of the events and a nerve.yaml into the folder of a queue,
// which is made. Source is the .proto file of examples/deposits.
func Schema(folder, source string) error {
	text, err := os.ReadFile(source)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, "deposit.proto"), text, 0o644); err != nil {
		return err
	}
	config := "proto: deposit.proto\ntype: " + Type + "\n"
	return os.WriteFile(filepath.Join(folder, "nerve.yaml"), []byte(config), 0o644)
}

// LogLine is a line of a log, of a queue without a schema.
func LogLine(i int) string {
	r := rand.New(rand.NewPCG(uint64(i), 3))
	level := []string{"info", "info", "info", "warn", "error"}[r.IntN(5)]
	return fmt.Sprintf("level=%s msg=%q order=%d took=%dms", level,
		[]string{"order accepted", "payment captured", "parcel on its way"}[r.IntN(3)],
		r.IntN(1e6), r.IntN(900))
}

// Hostile are records that try to be more than data, or less.
func Hostile() [][]byte {
	return [][]byte{
		[]byte(`<script>window.hacked = true</script><img src=x onerror="window.hacked = true">`),
		[]byte("right to left: \u202egnp.exe\u202c and \u2066isolated\u2069 \u0627\u0644\u0639"),
		[]byte("not UTF-8: \xff\xfe\xc0\x80 and more"),
		[]byte("control: \x1b[31mred\x1b[0m \x00 \x07"),
		[]byte(strings.Repeat("0123456789abcdef", 8<<20/16)),
		{0x0a, 0xff, 0xff, 0xff, 0x7f, 1},    // a length of 256 MiB
		[]byte(strings.Repeat("\x0b", 5000)), // groups that never end
		{},
		[]byte(`{"__proto__": {"polluted": true}, "constructor": "x"}`),
		[]byte("</pre></script><svg onload=alert(1)>"),
	}
}
