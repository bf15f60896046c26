package nerveexporter

import (
	"context"
	"fmt"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/nervecollector/internal/place"
)

// NewFactory returns the factory of the exporter, for a collector's list of components.
func NewFactory() exporter.Factory {
	return exporter.NewFactory(component.MustNewType("nerve"),
		func() component.Config { return defaultConfig() },
		exporter.WithLogs(newLogs, component.StabilityLevelAlpha),
		exporter.WithMetrics(newMetrics, component.StabilityLevelAlpha),
		exporter.WithTraces(newTraces, component.StabilityLevelAlpha))
}

// queueExporter appends requests of one signal.
type queueExporter struct {
	address string
	options place.Options
	queue   *nerve.Queue
	release func() error
}

func newExporter(set exporter.Settings, c component.Config, signal string) *queueExporter {
	config := c.(*Config)
	e := &queueExporter{address: place.Of(config.Queue, signal), options: config.options()}
	e.options.Logger = set.Logger
	return e
}

// Start implements component.Component.
func (e *queueExporter) Start(ctx context.Context, _ component.Host) (err error) {
	if e.queue, e.release, err = place.Open(ctx, e.address, e.options); err != nil {
		return fmt.Errorf("nerve: %w", err)
	}
	return nil
}

// Shutdown implements component.Component. What was accepted is in the queue.
func (e *queueExporter) Shutdown(context.Context) error {
	if e.release == nil {
		return nil // it never started
	}
	return e.release()
}

// Capabilities implements consumer.Logs and others.
func (*queueExporter) Capabilities() consumer.Capabilities { return consumer.Capabilities{} }

// append stores the encoding of a request, and returns when it is as durable as was asked for.
func (e *queueExporter) append(ctx context.Context, request []byte, err error) error {
	if err != nil {
		return err
	}
	_, err = e.queue.Append(ctx, request)
	return err
}

type logs struct {
	*queueExporter
	plog.ProtoMarshaler
}

func newLogs(_ context.Context, set exporter.Settings, c component.Config) (exporter.Logs, error) {
	return &logs{queueExporter: newExporter(set, c, "logs")}, nil
}

// ConsumeLogs implements consumer.Logs.
func (e *logs) ConsumeLogs(ctx context.Context, l plog.Logs) error {
	b, err := e.MarshalLogs(l)
	return e.append(ctx, b, err)
}

type metrics struct {
	*queueExporter
	pmetric.ProtoMarshaler
}

func newMetrics(_ context.Context, set exporter.Settings, c component.Config) (exporter.Metrics,
	error) {
	return &metrics{queueExporter: newExporter(set, c, "metrics")}, nil
}

// ConsumeMetrics implements consumer.Metrics.
func (e *metrics) ConsumeMetrics(ctx context.Context, m pmetric.Metrics) error {
	b, err := e.MarshalMetrics(m)
	return e.append(ctx, b, err)
}

type traces struct {
	*queueExporter
	ptrace.ProtoMarshaler
}

func newTraces(_ context.Context, set exporter.Settings, c component.Config) (exporter.Traces,
	error) {
	return &traces{queueExporter: newExporter(set, c, "traces")}, nil
}

// ConsumeTraces implements consumer.Traces.
func (e *traces) ConsumeTraces(ctx context.Context, t ptrace.Traces) error {
	b, err := e.MarshalTraces(t)
	return e.append(ctx, b, err)
}
