package nervereceiver

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componentstatus"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/receiver"
	"go.uber.org/zap"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/nervecollector/internal/place"
	"github.com/octopus-framework/octopus/nerve/work"
)

// NewFactory returns the factory of the receiver, for a collector's list of components.
func NewFactory() receiver.Factory {
	return receiver.NewFactory(component.MustNewType("nerve"),
		func() component.Config { return defaultConfig() },
		receiver.WithLogs(newLogs, component.StabilityLevelAlpha),
		receiver.WithMetrics(newMetrics, component.StabilityLevelAlpha),
		receiver.WithTraces(newTraces, component.StabilityLevelAlpha))
}

func newLogs(_ context.Context, set receiver.Settings, c component.Config, next consumer.Logs) (
	receiver.Logs, error) {
	return newReceiver(set, c, "logs", func(ctx context.Context, request []byte) error {
		l, err := (&plog.ProtoUnmarshaler{}).UnmarshalLogs(request)
		if err != nil {
			return work.Permanent(err)
		}
		return next.ConsumeLogs(ctx, l)
	}), nil
}

func newMetrics(_ context.Context, set receiver.Settings, c component.Config,
	next consumer.Metrics) (receiver.Metrics, error) {
	return newReceiver(set, c, "metrics", func(ctx context.Context, request []byte) error {
		m, err := (&pmetric.ProtoUnmarshaler{}).UnmarshalMetrics(request)
		if err != nil {
			return work.Permanent(err)
		}
		return next.ConsumeMetrics(ctx, m)
	}), nil
}

func newTraces(_ context.Context, set receiver.Settings, c component.Config,
	next consumer.Traces) (receiver.Traces, error) {
	return newReceiver(set, c, "traces", func(ctx context.Context, request []byte) error {
		t, err := (&ptrace.ProtoUnmarshaler{}).UnmarshalTraces(request)
		if err != nil {
			return work.Permanent(err)
		}
		return next.ConsumeTraces(ctx, t)
	}), nil
}

// grace is how long the pipeline may take at shutdown for the requests that it has. Where its back
// end is away it would take for ever; these requests come again.
const grace = time.Second

// queueReceiver hands the requests of one signal on.
type queueReceiver struct {
	config *Config
	signal string
	logger *zap.Logger
	handle func(context.Context, []byte) error

	close []func() error // what was opened, in that order
	stop  context.CancelFunc
	done  chan error // what work ended with
}

func newReceiver(set receiver.Settings, c component.Config, signal string,
	handle func(context.Context, []byte) error) *queueReceiver {
	return &queueReceiver{config: c.(*Config), signal: signal, logger: set.Logger, handle: handle}
}

// Start implements component.Component.
func (r *queueReceiver) Start(ctx context.Context, host component.Host) error {
	group, err := r.open(ctx)
	if err != nil {
		return fmt.Errorf("nerve: %w", errors.Join(err, r.closeAll()))
	}
	run, stop := context.WithCancel(context.WithoutCancel(ctx))
	r.stop, r.done = stop, make(chan error, 1)
	go func() {
		err := group.Run(run)
		if err != nil {
			componentstatus.ReportStatus(host, componentstatus.NewFatalErrorEvent(err))
		}
		r.done <- err
	}()
	return nil
}

// open opens the queues and returns what handles the requests.
func (r *queueReceiver) open(ctx context.Context) (*work.Group, error) {
	queue, err := r.openQueue(ctx, r.config.Queue)
	if err != nil {
		return nil, err
	}
	o := work.Options{
		Workers: r.config.Workers, MaxAttempts: math.MaxInt, Discard: r.config.DeadLetters == "",
		Backoff: work.Exponential(minBackoff, r.config.MaxBackoff), Observer: observer{r},
		Grace: grace,
	}
	if r.config.Workers == 1 {
		o.KeyBy = func(nerve.Record) string { return "" } // one that waits holds up the others
	}
	if r.config.DeadLetters != "" {
		if o.DeadLetters, err = r.openQueue(ctx, r.config.DeadLetters); err != nil {
			return nil, err
		}
	}
	start, err := r.config.start()
	if err != nil {
		return nil, err
	}
	// A collector that is started again waits until the name of the one before is free.
	c, err := queue.ConsumerContext(ctx, r.config.Consumer, nerve.ConsumerOptions{Start: start,
		Hold: r.config.Hold, Wait: nerve.WaitForever})
	if err != nil {
		return nil, err
	}
	r.close = append(r.close, c.Close)
	return work.New(c, func(ctx context.Context, d *work.Delivery) error {
		err := r.handle(ctx, d.Data)
		if consumererror.IsPermanent(err) {
			return work.Permanent(err)
		}
		return err
	}, o)
}

func (r *queueReceiver) openQueue(ctx context.Context, address string) (*nerve.Queue, error) {
	q, release, err := place.Open(ctx, place.Of(address, r.signal), place.Options{Logger: r.logger})
	if err == nil {
		r.close = append(r.close, release)
	}
	return q, err
}

// Shutdown implements component.Component. Requests that the pipeline has are waited for for a
// moment; what it did not accept comes again.
func (r *queueReceiver) Shutdown(context.Context) error {
	var err error
	if r.stop != nil {
		r.stop()
		err = <-r.done
		r.stop = nil
	}
	return errors.Join(err, r.closeAll())
}

func (r *queueReceiver) closeAll() (err error) {
	for i := len(r.close) - 1; i >= 0; i-- {
		err = errors.Join(err, r.close[i]())
	}
	r.close = nil
	return err
}

// observer logs what is tried again and what is given up.
type observer struct{ *queueReceiver }

// Attempted implements work.Observer.
func (o observer) Attempted(d *work.Delivery, _ time.Duration, err error) {
	if err != nil && d.Attempt == 1 {
		o.logger.Warn("nerve: the pipeline did not accept a request; it is tried again",
			zap.String("signal", o.signal), zap.Uint64("id", uint64(d.ID)), zap.Error(err))
	}
}

// GivenUp implements work.Observer.
func (o observer) GivenUp(d *work.Delivery, reason error) {
	o.logger.Error("nerve: a request is given up", zap.String("signal", o.signal),
		zap.Uint64("id", uint64(d.ID)), zap.String("dead_letters", o.config.DeadLetters),
		zap.Error(reason))
}
