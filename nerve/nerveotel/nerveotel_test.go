package nerveotel_test

import (
	"context"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	sdk "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/nerveotel"
	"github.com/octopus-framework/octopus/nerve/seglog"
)

func TestMetrics(t *testing.T) {
	ctx := context.Background()
	reader := sdk.NewManualReader()
	provider := sdk.NewMeterProvider(sdk.WithReader(reader))
	m, err := nerveotel.New(provider.Meter("nerve"), "events")
	if err != nil {
		t.Fatal(err)
	}
	log, err := seglog.Open(t.TempDir(), seglog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	q := nerve.New(log, nerve.Options{Observer: m})
	defer q.Close()
	stop, err := m.Watch(q, log)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = stop.Unregister() }()
	for range 10 {
		if _, err := q.Append(ctx, make([]byte, 96)); err != nil {
			t.Fatal(err)
		}
	}
	c, err := q.Consumer("billing", nerve.ConsumerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for rec, err := range c.Records(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		if rec.ID == 4 {
			break
		}
	}
	if err := c.AckThrough(3); err != nil {
		t.Fatal(err)
	}
	got := collect(t, reader)
	want := map[string]int64{
		"nerve.append.records": 10, "nerve.append.bytes": 1000, "nerve.commit.duration": 10,
		"nerve.log.syncs":    10,
		"nerve.read.records": 4, "nerve.consumer.lag/billing": 7,
		"nerve.consumer.unacked/billing": 1, "nerve.inflight.bytes": 0,
	}
	for name, n := range want {
		if v, ok := got[name]; !ok || v != n {
			t.Errorf("%s is %d (%v), want %d; all: %v", name, v, ok, n, got)
		}
	}
	if got["nerve.consumer.lag.bytes/billing"] == 0 {
		t.Errorf("no lag in bytes: %v", got)
	}
}

// collect returns all values by instrument, and consumer if there is one.
func collect(t *testing.T, reader sdk.Reader) map[string]int64 {
	t.Helper()
	var all metricdata.ResourceMetrics
	if err := reader.Collect(context.Background(), &all); err != nil {
		t.Fatal(err)
	}
	values := map[string]int64{}
	put := func(name string, attrs attribute.Set, v int64) {
		if q, ok := attrs.Value("nerve.queue"); !ok || q.AsString() != "events" {
			t.Errorf("%s does not name the queue", name)
		}
		if c, ok := attrs.Value("nerve.consumer"); ok {
			name += "/" + c.AsString()
		}
		values[name] = v
	}
	for _, scope := range all.ScopeMetrics {
		for _, metric := range scope.Metrics {
			switch data := metric.Data.(type) {
			case metricdata.Sum[int64]:
				for _, p := range data.DataPoints {
					put(metric.Name, p.Attributes, p.Value)
				}
			case metricdata.Gauge[int64]:
				for _, p := range data.DataPoints {
					put(metric.Name, p.Attributes, p.Value)
				}
			case metricdata.Histogram[float64]:
				for _, p := range data.DataPoints {
					put(metric.Name, p.Attributes, int64(p.Count))
				}
			}
		}
	}
	return values
}
