package wkt_test

import (
	"fmt"
	"time"

	"github.com/octopus-framework/octopus/gremlin/wkt"
)

func ExampleTimestampOf() {
	at := time.Date(2026, 11, 22, 20, 0, 0, 0, time.FixedZone("CET", 3600))
	t := wkt.TimestampOf(at)
	fmt.Println(t.AsTime(), t.AsTime().Equal(at))
	// Output: 2026-11-22 19:00:00 +0000 UTC true
}

func ExampleDurationOf() {
	d := wkt.DurationOf(90 * time.Second)
	fmt.Println(d.AsDuration(), d)
	// Output: 1m30s seconds: 90
}

// Contents from outside may be out of range: nothing checks them but this.
func ExampleTimestamp_CheckValid() {
	t := wkt.Timestamp{Nanos: -1}
	fmt.Println(t.CheckValid() != nil)
	// Output: true
}
