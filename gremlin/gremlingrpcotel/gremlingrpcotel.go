// Package gremlingrpcotel reports what encoding and decoding of gRPC messages costs as
// OpenTelemetry metrics. It is a module of its own, so that package gremlingrpc needs no exporter.
//
//	metrics, err := gremlingrpcotel.New(provider.Meter("shop"))
//	shopv1.RegisterShopServer(gremlingrpc.Observe(server, metrics.Observe, 16), &shop{})
//	unary, stream := gremlingrpc.ClientInterceptors(metrics.Observe, 16)
//
// The instruments, each with the attributes rpc.method ("shop.v1.Shop/Get"), network.io.direction
// ("transmit", "receive"), side ("client", "server") and codec ("proto", "json"):
//
//	gremlin.rpc.message.encode.duration  histogram  seconds in the codec, of the messages whose time is taken
//	gremlin.rpc.message.decode.duration  histogram  the same for what is received
//	gremlin.rpc.message.size             histogram  bytes of a message before compression
//	gremlin.rpc.message.failures         counter    messages that the codec refused
//
// Durations of calls, their status and sizes on the wire are metrics of grpc-go itself (package
// stats/opentelemetry).
package gremlingrpcotel

import (
	"context"
	"errors"
	"strings"
	"sync"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/octopus-framework/octopus/gremlin/gremlingrpc"
)

// Metrics is an observer. It is safe for concurrent use.
type Metrics struct {
	encode, decode metric.Float64Histogram
	size           metric.Int64Histogram
	failures       metric.Int64Counter

	sets sync.Map // maps a key to its metric.MeasurementOption; there are few methods
}

// key is what attributes are made of.
type key struct {
	method, codec    string
	client, received bool
}

// durations are the bounds of histograms in seconds.
var durations = []float64{100e-9, 250e-9, 500e-9, 1e-6, 2.5e-6, 5e-6, 10e-6, 25e-6, 50e-6, 100e-6,
	250e-6, 500e-6, 1e-3, 2.5e-3, 5e-3, 10e-3, 50e-3}

// sizes are the bounds of histograms in bytes.
var sizes = []float64{64, 256, 1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20,
	16 << 20}

// New makes the instruments.
func New(meter metric.Meter) (*Metrics, error) {
	m := &Metrics{}
	var errs [4]error
	m.encode, errs[0] = meter.Float64Histogram("gremlin.rpc.message.encode.duration",
		metric.WithUnit("s"),
		metric.WithDescription("Time to encode a message."),
		metric.WithExplicitBucketBoundaries(durations...))
	m.decode, errs[1] = meter.Float64Histogram("gremlin.rpc.message.decode.duration",
		metric.WithUnit("s"),
		metric.WithDescription("Time to decode and check a message."),
		metric.WithExplicitBucketBoundaries(durations...))
	m.size, errs[2] = meter.Int64Histogram("gremlin.rpc.message.size", metric.WithUnit("By"),
		metric.WithDescription("Size of a message before compression."),
		metric.WithExplicitBucketBoundaries(sizes...))
	m.failures, errs[3] = meter.Int64Counter("gremlin.rpc.message.failures",
		metric.WithUnit("{message}"),
		metric.WithDescription("Messages that could not be encoded or decoded."))
	if err := errors.Join(errs[:]...); err != nil {
		return nil, err
	}
	return m, nil
}

// Observe is a gremlingrpc.Observer.
func (m *Metrics) Observe(e gremlingrpc.Event) {
	ctx, set := context.Background(), m.set(e)
	if e.Timed {
		if e.Received {
			m.decode.Record(ctx, e.Elapsed.Seconds(), set)
		} else {
			m.encode.Record(ctx, e.Elapsed.Seconds(), set)
		}
	}
	if e.Err != nil {
		m.failures.Add(ctx, 1, set)
		return
	}
	m.size.Record(ctx, int64(e.Bytes), set)
}

// set returns the attributes of a message, made once for each kind.
func (m *Metrics) set(e gremlingrpc.Event) metric.MeasurementOption {
	k := key{e.Method, e.Codec, e.Client, e.Received}
	if s, ok := m.sets.Load(k); ok {
		return s.(metric.MeasurementOption)
	}
	side, direction := "server", "transmit"
	if e.Client {
		side = "client"
	}
	if e.Received {
		direction = "receive"
	}
	s := metric.WithAttributeSet(attribute.NewSet(attribute.String("rpc.method",
		strings.TrimPrefix(e.Method, "/")),
		attribute.String("network.io.direction", direction), attribute.String("side", side),
		attribute.String("codec", e.Codec)))
	m.sets.Store(k, s)
	return s
}
