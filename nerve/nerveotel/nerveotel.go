// Package nerveotel reports what a queue does as OpenTelemetry metrics. It is a
// module of its own, so that package nerve needs no exporter.
//
//	metrics, err := nerveotel.New(provider.Meter("nerve"), "events")
//	log, err := seglog.Open("events", seglog.Options{})
//	queue := nerve.New(log, nerve.Options{Observer: metrics})
//	stop, err := metrics.Watch(queue, log)
//	defer stop.Unregister()
//
// The instruments, each with the attribute nerve.queue:
//
//	nerve.append.records    counter    records made durable
//	nerve.append.bytes      counter    their packed size
//	nerve.commit.errors     counter    commits whose callers got an error
//	nerve.commit.duration   histogram  seconds in the log, from write to sync
//	nerve.log.syncs         counter    fsyncs of segments
//	nerve.read.records      counter    records delivered to consumers
//	nerve.read.bytes        counter    their packed size
//	nerve.inflight.bytes    gauge      accepted and not yet committed
//	nerve.consumer.lag      gauge      records after the pointer, by nerve.consumer
//	nerve.consumer.lag.bytes gauge     the same in stored bytes
//	nerve.consumer.lag.time gauge      seconds since the oldest record after the pointer was appended
//	nerve.consumer.unacked  gauge      delivered and not acknowledged
//	nerve.consumer.stalled  gauge      1 while the consumer waits for acks
//	nerve.consumer.skipped  counter    records passed over without a delivery
//	nerve.consumer.undecodable counter records that did not decode
//
// [Metrics.WatchGroup] adds those of package work, nerve.work.handled and so on.
package nerveotel

import (
	"context"
	"errors"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/seglog"
)

// Metrics is the observer of one queue. It is safe for concurrent use.
type Metrics struct {
	meter   metric.Meter
	queue   attribute.KeyValue
	of      metric.MeasurementOption
	records metric.Int64Counter
	bytes   metric.Int64Counter
	errors  metric.Int64Counter
	commits metric.Float64Histogram
}

var _ nerve.Observer = (*Metrics)(nil)

// durations are the bounds of the commit histogram in seconds: an fsync takes
// from tens of microseconds to a second.
var durations = []float64{50e-6, 100e-6, 200e-6, 400e-6, 800e-6, 1.6e-3, 3.2e-3, 6.4e-3, 12.8e-3,
	25e-3, 50e-3, 100e-3, 250e-3, 1}

// New makes the instruments for the queue of that name.
func New(meter metric.Meter, queue string) (*Metrics, error) {
	m := &Metrics{meter: meter, queue: attribute.String("nerve.queue", queue)}
	m.of = metric.WithAttributeSet(attribute.NewSet(m.queue))
	var errs [4]error
	m.records, errs[0] = meter.Int64Counter("nerve.append.records", metric.WithUnit("{record}"),
		metric.WithDescription("Records made durable."))
	m.bytes, errs[1] = meter.Int64Counter("nerve.append.bytes", metric.WithUnit("By"),
		metric.WithDescription("Packed bytes made durable."))
	m.errors, errs[2] = meter.Int64Counter("nerve.commit.errors", metric.WithUnit("{commit}"),
		metric.WithDescription("Commits whose callers got an error."))
	m.commits, errs[3] = meter.Float64Histogram("nerve.commit.duration", metric.WithUnit("s"),
		metric.WithDescription("Time of a commit in the log."),
		metric.WithExplicitBucketBoundaries(durations...))
	if err := errors.Join(errs[:]...); err != nil {
		return nil, err
	}
	return m, nil
}

// Commit implements nerve.Observer.
func (m *Metrics) Commit(records, bytes int, took time.Duration, err error) {
	ctx := context.Background()
	if err != nil {
		m.errors.Add(ctx, 1, m.of)
		return
	}
	m.records.Add(ctx, int64(records), m.of)
	m.bytes.Add(ctx, int64(bytes), m.of)
	m.commits.Record(ctx, took.Seconds(), m.of)
}

// watched are the instruments that are read when somebody collects.
type watched struct {
	syncs, readRecords, readBytes    metric.Int64ObservableCounter
	inFlight, lag, lagBytes, unacked metric.Int64ObservableGauge
	skipped, undecodable             metric.Int64ObservableCounter
	stalled                          metric.Int64ObservableGauge
	lagTime                          metric.Float64ObservableGauge
}

// Watch reports the rest of the queue's state at each collection, until the
// registration is taken back. log is that of the queue, nil if it is of another
// kind.
func (m *Metrics) Watch(q *nerve.Queue, log *seglog.Log) (metric.Registration, error) {
	w, err := m.watched()
	if err != nil {
		return nil, err
	}
	observe := func(_ context.Context, o metric.Observer) error {
		s, err := q.Stats()
		if err != nil {
			return err
		}
		o.ObserveInt64(w.readRecords, int64(s.ReadRecords), m.of)
		o.ObserveInt64(w.readBytes, int64(s.ReadBytes), m.of)
		o.ObserveInt64(w.inFlight, s.InFlight, m.of)
		if log != nil {
			o.ObserveInt64(w.syncs, int64(log.Stats().Syncs), m.of)
		}
		for _, c := range s.Consumers {
			of := metric.WithAttributes(m.queue, attribute.String("nerve.consumer", c.Name))
			o.ObserveInt64(w.lag, int64(c.Lag), of)
			o.ObserveInt64(w.unacked, int64(c.Unacked), of)
			o.ObserveFloat64(w.lagTime, c.LagTime.Seconds(), of)
			if c.Open {
				stalled := int64(0)
				if c.Stalled {
					stalled = 1
				}
				o.ObserveInt64(w.stalled, stalled, of)
				o.ObserveInt64(w.skipped, int64(c.Skipped), of)
				o.ObserveInt64(w.undecodable, int64(c.Undecodable), of)
			}
			if log != nil {
				o.ObserveInt64(w.lagBytes, log.BytesAfter(c.Pointer), of)
			}
		}
		return nil
	}
	return m.meter.RegisterCallback(observe, w.syncs, w.readRecords, w.readBytes, w.inFlight, w.lag,
		w.lagBytes, w.unacked, w.lagTime, w.stalled, w.skipped, w.undecodable)
}

func (m *Metrics) watched() (w watched, err error) {
	var errs [11]error
	w.syncs, errs[0] = m.meter.Int64ObservableCounter("nerve.log.syncs", metric.WithUnit("{sync}"),
		metric.WithDescription("Fsyncs of segments."))
	w.readRecords, errs[1] = m.meter.Int64ObservableCounter("nerve.read.records",
		metric.WithUnit("{record}"), metric.WithDescription("Records delivered to consumers."))
	w.readBytes, errs[2] = m.meter.Int64ObservableCounter("nerve.read.bytes", metric.WithUnit("By"),
		metric.WithDescription("Packed bytes delivered to consumers."))
	w.inFlight, errs[3] = m.meter.Int64ObservableGauge("nerve.inflight.bytes",
		metric.WithUnit("By"), metric.WithDescription("Bytes accepted and not yet committed."))
	w.lag, errs[4] = m.meter.Int64ObservableGauge("nerve.consumer.lag", metric.WithUnit("{record}"),
		metric.WithDescription("Records after the pointer."))
	w.lagBytes, errs[5] = m.meter.Int64ObservableGauge("nerve.consumer.lag.bytes",
		metric.WithUnit("By"), metric.WithDescription("Stored bytes after the pointer."))
	w.unacked, errs[6] = m.meter.Int64ObservableGauge("nerve.consumer.unacked",
		metric.WithUnit("{record}"),
		metric.WithDescription("Records delivered and not acknowledged."))
	w.lagTime, errs[7] = m.meter.Float64ObservableGauge("nerve.consumer.lag.time",
		metric.WithUnit("s"),
		metric.WithDescription("Age of the oldest record after the pointer."))
	w.stalled, errs[8] = m.meter.Int64ObservableGauge("nerve.consumer.stalled",
		metric.WithDescription("1 while the consumer waits for acks."))
	w.skipped, errs[9] = m.meter.Int64ObservableCounter("nerve.consumer.skipped",
		metric.WithUnit("{record}"),
		metric.WithDescription("Records passed over without a delivery."))
	w.undecodable, errs[10] = m.meter.Int64ObservableCounter("nerve.consumer.undecodable",
		metric.WithUnit("{record}"), metric.WithDescription("Records that did not decode."))
	return w, errors.Join(errs[:]...)
}
