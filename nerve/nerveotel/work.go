package nerveotel

import (
	"context"
	"errors"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/octopus-framework/octopus/nerve/work"
)

// groupInstruments are what is reported of a [work.Group], each with the attribute nerve.consumer.
var groupInstruments = []struct {
	name, help string
	counter    bool
	value      func(work.Stats) int64
}{
	{"nerve.work.handled", "Records whose handler returned nil.", true,
		func(s work.Stats) int64 { return int64(s.Handled) }},
	{"nerve.work.failed", "Attempts that ended with an error.", true,
		func(s work.Stats) int64 { return int64(s.Failed) }},
	{"nerve.work.given_up", "Records that went to the dead letters, or were discarded.", true,
		func(s work.Stats) int64 { return int64(s.GivenUp) }},
	{"nerve.work.running", "Records that have a worker.", false,
		func(s work.Stats) int64 { return s.Running }},
	{"nerve.work.delayed", "Records that wait for another attempt.", false,
		func(s work.Stats) int64 { return s.Delayed }},
	{"nerve.work.waiting", "Records that are read and not in memory.", false,
		func(s work.Stats) int64 { return s.Waiting }},
	{"nerve.work.stalled", "1 while a bound keeps workers idle.", false,
		func(s work.Stats) int64 {
			if s.Stalled {
				return 1
			}
			return 0
		}},
}

// WatchGroup reports what a group of workers is at, at each collection, until the registration is
// taken back. consumer is the name of its consumer.
func (m *Metrics) WatchGroup(consumer string, g *work.Group) (metric.Registration, error) {
	of := metric.WithAttributes(m.queue, attribute.String("nerve.consumer", consumer))
	var list []metric.Int64Observable
	var all []metric.Observable
	var errs []error
	for _, i := range groupInstruments {
		var o metric.Int64Observable
		var err error
		if i.counter {
			o, err = m.meter.Int64ObservableCounter(i.name, metric.WithDescription(i.help))
		} else {
			o, err = m.meter.Int64ObservableGauge(i.name, metric.WithDescription(i.help))
		}
		list, all, errs = append(list, o), append(all, o), append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return m.meter.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		stats := g.Stats()
		for at, i := range groupInstruments {
			o.ObserveInt64(list[at], i.value(stats), of)
		}
		return nil
	}, all...)
}
