package nervestorage

import (
	"context"
	"sync"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/octopus-framework/octopus/nerve/nervestorage/internal/store"
)

// scope is the name of the meter.
const scope = "github.com/octopus-framework/octopus/nerve/nervestorage"

// metrics reports what the stores hold and did, each with its component and its signal.
type metrics struct {
	registration metric.Registration

	mu     sync.Mutex
	stores map[*store.Store]metric.MeasurementOption
}

// instrument is one number of a store.
type instrument struct {
	name, unit, text string
	counts           bool // it only grows
	value            func(store.Stats) int64
	of               metric.Int64Observable
}

func instruments() []instrument {
	return []instrument{
		{name: "nerve_storage.items", unit: "{item}", text: "Requests that are stored.",
			value: func(s store.Stats) int64 { return int64(s.Items) }},
		{name: "nerve_storage.disk.bytes", unit: "By", text: "Bytes of the log on disk.",
			value: func(s store.Stats) int64 { return s.Bytes }},
		{name: "nerve_storage.map.bytes", unit: "By", text: "Bytes of other keys, in memory.",
			value: func(s store.Stats) int64 { return s.MapBytes }},
		{name: "nerve_storage.oldest.age", unit: "s", text: "Age of the oldest request.",
			value: func(s store.Stats) int64 {
				if s.Oldest.IsZero() {
					return 0
				}
				return int64(time.Since(s.Oldest) / time.Second)
			}},
		{name: "nerve_storage.syncs", unit: "{sync}", text: "Syncs of the log.", counts: true,
			value: func(s store.Stats) int64 { return int64(s.Syncs) }},
		{name: "nerve_storage.refused", unit: "{item}", text: "Requests for which there was no room.",
			counts: true, value: func(s store.Stats) int64 { return int64(s.Refused) }},
		{name: "nerve_storage.dropped", unit: "{item}", counts: true,
			text:  "Requests that were given up, by age or for want of room.",
			value: func(s store.Stats) int64 { return int64(s.Dropped) }},
		{name: "nerve_storage.damaged", unit: "{record}", counts: true,
			text:  "Records that were damaged and skipped.",
			value: func(s store.Stats) int64 { return int64(s.Damaged) }},
	}
}

func newMetrics(set component.TelemetrySettings) (*metrics, error) {
	m := &metrics{stores: make(map[*store.Store]metric.MeasurementOption)}
	meter := set.MeterProvider.Meter(scope)
	list := instruments()
	var all []metric.Observable
	for i := range list {
		var err error
		if list[i].counts {
			list[i].of, err = meter.Int64ObservableCounter(list[i].name,
				metric.WithUnit(list[i].unit), metric.WithDescription(list[i].text))
		} else {
			list[i].of, err = meter.Int64ObservableGauge(list[i].name,
				metric.WithUnit(list[i].unit), metric.WithDescription(list[i].text))
		}
		if err != nil {
			return nil, err
		}
		all = append(all, list[i].of)
	}
	var err error
	m.registration, err = meter.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		m.mu.Lock()
		defer m.mu.Unlock()
		for s, of := range m.stores {
			stats := s.Stats()
			for _, i := range list {
				o.ObserveInt64(i.of, i.value(stats), of)
			}
		}
		return nil
	}, all...)
	return m, err
}

func (m *metrics) add(s *store.Store, id component.ID, signal string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.stores[s] = metric.WithAttributeSet(attribute.NewSet(
		attribute.String("exporter", id.String()), attribute.String("signal", signal)))
}

func (m *metrics) remove(s *store.Store) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.stores, s)
}

func (m *metrics) stop() error { return m.registration.Unregister() }
