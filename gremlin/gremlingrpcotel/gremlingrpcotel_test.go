package gremlingrpcotel_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/octopus-framework/octopus/gremlin/gremlingrpc"
	"github.com/octopus-framework/octopus/gremlin/gremlingrpcotel"
)

func TestMetrics(t *testing.T) {
	reader := metric.NewManualReader()
	m, err := gremlingrpcotel.New(metric.NewMeterProvider(metric.WithReader(reader)).Meter("test"))
	if err != nil {
		t.Fatal(err)
	}
	const method = "/shop.v1.Shop/Get"
	m.Observe(gremlingrpc.Event{Method: method, Codec: "proto", Received: true, Bytes: 100,
		Timed: true, Elapsed: 3 * time.Microsecond})
	m.Observe(gremlingrpc.Event{Method: method, Codec: "proto", Received: true, Bytes: 300})
	m.Observe(gremlingrpc.Event{Method: method, Codec: "proto", Received: true,
		Err: errors.New("malformed")})
	m.Observe(gremlingrpc.Event{Method: method, Codec: "json", Client: true, Bytes: 50, Timed: true,
		Elapsed: time.Millisecond})
	var all metricdata.ResourceMetrics
	if err := reader.Collect(t.Context(), &all); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	describe := func(name string, set attribute.Set, value string) {
		direction, _ := set.Value("network.io.direction")
		side, _ := set.Value("side")
		codec, _ := set.Value("codec")
		of, _ := set.Value("rpc.method")
		got[fmt.Sprintf("%s %s %s %s %s", name, of.AsString(), side.AsString(),
			direction.AsString(), codec.AsString())] = value
	}
	for _, metrics := range all.ScopeMetrics[0].Metrics {
		switch d := metrics.Data.(type) {
		case metricdata.Histogram[float64]:
			for _, p := range d.DataPoints {
				describe(metrics.Name, p.Attributes, fmt.Sprintf("%d %.6f", p.Count, p.Sum))
			}
		case metricdata.Histogram[int64]:
			for _, p := range d.DataPoints {
				describe(metrics.Name, p.Attributes, fmt.Sprintf("%d %d", p.Count, p.Sum))
			}
		case metricdata.Sum[int64]:
			for _, p := range d.DataPoints {
				describe(metrics.Name, p.Attributes, fmt.Sprint(p.Value))
			}
		}
	}
	want := map[string]string{
		"gremlin.rpc.message.decode.duration shop.v1.Shop/Get server receive proto": "1 0.000003",
		"gremlin.rpc.message.encode.duration shop.v1.Shop/Get client transmit json": "1 0.001000",
		"gremlin.rpc.message.size shop.v1.Shop/Get server receive proto":            "2 400",
		"gremlin.rpc.message.size shop.v1.Shop/Get client transmit json":            "1 50",
		"gremlin.rpc.message.failures shop.v1.Shop/Get server receive proto":        "1",
	}
	for name, value := range want {
		if got[name] != value {
			t.Errorf("%s: %q, want %q", name, got[name], value)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d series: %v", len(got), got)
	}
}
