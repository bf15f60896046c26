// Package gremlingrpcprom reports what encoding and decoding of gRPC messages costs as Prometheus
// metrics. It is a module of its own, so that package gremlingrpc needs no client library.
//
//	metrics := gremlingrpcprom.New()
//	prometheus.MustRegister(metrics)
//	shopv1.RegisterShopServer(gremlingrpc.Observe(server, metrics.Observe, 16), &shop{})
//	unary, stream := gremlingrpc.ClientInterceptors(metrics.Observe, 16)
//
// The metrics, each with the labels grpc_service, grpc_method, side ("client", "server") and codec
// ("proto", "json"):
//
//	gremlin_grpc_message_encode_seconds            histogram  time in the codec, of the messages whose time is taken
//	gremlin_grpc_message_decode_seconds            histogram  the same for what is received
//	gremlin_grpc_message_sent_size_bytes           histogram  bytes of a message before compression
//	gremlin_grpc_message_received_size_bytes       histogram  the same for what is received
//	gremlin_grpc_message_encode_failures_total     counter    messages that could not be encoded
//	gremlin_grpc_message_decode_failures_total     counter    messages that could not be decoded
package gremlingrpcprom

import (
	"strings"
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/octopus-framework/octopus/gremlin/gremlingrpc"
)

// Metrics is an observer and a collector. It is safe for concurrent use.
type Metrics struct {
	seconds, sizes [2]*prometheus.HistogramVec // sent and received
	failures       [2]*prometheus.CounterVec

	series sync.Map // maps a key to its *series; there are few methods
}

// key is what the labels of a series are made of.
type key struct {
	method, codec    string
	client, received bool
}

type series struct {
	seconds, size prometheus.Observer
	failures      prometheus.Counter
}

// New makes the metrics; they are to be registered.
func New() *Metrics {
	labels := []string{"grpc_service", "grpc_method", "side", "codec"}
	histogram := func(name, help string, buckets []float64) *prometheus.HistogramVec {
		return prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help,
			Buckets: buckets, NativeHistogramBucketFactor: 1.1}, labels)
	}
	counter := func(name, help string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	}
	durations := prometheus.ExponentialBuckets(250e-9, 4, 9) // to 16 ms
	sizes := prometheus.ExponentialBuckets(64, 4, 10)        // to 16 MiB
	return &Metrics{
		seconds: [2]*prometheus.HistogramVec{
			histogram("gremlin_grpc_message_encode_seconds", "Time to encode a message.",
				durations),
			histogram("gremlin_grpc_message_decode_seconds", "Time to decode and check a message.",
				durations),
		},
		sizes: [2]*prometheus.HistogramVec{
			histogram("gremlin_grpc_message_sent_size_bytes",
				"Size of a sent message before compression.", sizes),
			histogram("gremlin_grpc_message_received_size_bytes",
				"Size of a received message before compression.", sizes),
		},
		failures: [2]*prometheus.CounterVec{
			counter("gremlin_grpc_message_encode_failures_total",
				"Messages that could not be encoded."),
			counter("gremlin_grpc_message_decode_failures_total",
				"Messages that could not be decoded."),
		},
	}
}

// Describe implements prometheus.Collector.
func (m *Metrics) Describe(out chan<- *prometheus.Desc) {
	for i := range m.seconds {
		m.seconds[i].Describe(out)
		m.sizes[i].Describe(out)
		m.failures[i].Describe(out)
	}
}

// Collect implements prometheus.Collector.
func (m *Metrics) Collect(out chan<- prometheus.Metric) {
	for i := range m.seconds {
		m.seconds[i].Collect(out)
		m.sizes[i].Collect(out)
		m.failures[i].Collect(out)
	}
}

// Observe is a gremlingrpc.Observer.
func (m *Metrics) Observe(e gremlingrpc.Event) {
	s := m.of(e)
	if e.Timed {
		s.seconds.Observe(e.Elapsed.Seconds())
	}
	if e.Err != nil {
		s.failures.Inc()
		return
	}
	s.size.Observe(float64(e.Bytes))
}

// of returns the series of a message, made once for each kind.
func (m *Metrics) of(e gremlingrpc.Event) *series {
	k := key{e.Method, e.Codec, e.Client, e.Received}
	if s, ok := m.series.Load(k); ok {
		return s.(*series)
	}
	service, method, _ := strings.Cut(strings.TrimPrefix(e.Method, "/"), "/")
	side, i := "server", 0
	if e.Client {
		side = "client"
	}
	if e.Received {
		i = 1
	}
	s := &series{
		seconds:  m.seconds[i].WithLabelValues(service, method, side, e.Codec),
		size:     m.sizes[i].WithLabelValues(service, method, side, e.Codec),
		failures: m.failures[i].WithLabelValues(service, method, side, e.Codec),
	}
	m.series.Store(k, s)
	return s
}
