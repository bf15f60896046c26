package gremlingrpcprom_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/octopus-framework/octopus/gremlin/gremlingrpc"
	"github.com/octopus-framework/octopus/gremlin/gremlingrpcprom"
)

func TestMetrics(t *testing.T) {
	m := gremlingrpcprom.New()
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(m)
	const method = "/shop.v1.Shop/Get"
	m.Observe(gremlingrpc.Event{Method: method, Codec: "proto", Received: true, Bytes: 100,
		Timed: true, Elapsed: 3 * time.Microsecond})
	m.Observe(gremlingrpc.Event{Method: method, Codec: "proto", Received: true, Bytes: 300})
	m.Observe(gremlingrpc.Event{Method: method, Codec: "proto", Received: true,
		Err: errors.New("malformed")})
	m.Observe(gremlingrpc.Event{Method: method, Codec: "json", Client: true, Bytes: 50})
	want := `
# HELP gremlin_grpc_message_decode_failures_total Messages that could not be decoded.
# TYPE gremlin_grpc_message_decode_failures_total counter
gremlin_grpc_message_decode_failures_total{codec="proto",grpc_method="Get",grpc_service="shop.v1.Shop",side="server"} 1
# HELP gremlin_grpc_message_encode_failures_total Messages that could not be encoded.
# TYPE gremlin_grpc_message_encode_failures_total counter
gremlin_grpc_message_encode_failures_total{codec="json",grpc_method="Get",grpc_service="shop.v1.Shop",side="client"} 0
`
	if err := testutil.GatherAndCompare(registry, strings.NewReader(want),
		"gremlin_grpc_message_decode_failures_total",
		"gremlin_grpc_message_encode_failures_total"); err != nil {
		t.Error(err)
	}
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][2]float64{}
	for _, f := range families {
		for _, s := range f.Metric {
			if h := s.GetHistogram(); h != nil {
				got[f.GetName()] = [2]float64{float64(h.GetSampleCount()), h.GetSampleSum()}
			}
		}
	}
	for name, value := range map[string][2]float64{
		"gremlin_grpc_message_decode_seconds":      {1, 3e-6},
		"gremlin_grpc_message_received_size_bytes": {2, 400},
		"gremlin_grpc_message_sent_size_bytes":     {1, 50},
		"gremlin_grpc_message_encode_seconds":      {0, 0},
	} {
		if got[name] != value {
			t.Errorf("%s: %v, want %v", name, got[name], value)
		}
	}
}
