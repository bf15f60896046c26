package nerve

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// How long a consumer waits before it asks again for a name that somebody has:
// twice as long each time.
const (
	firstAsk = 20 * time.Millisecond
	lastAsk  = time.Second
)

// ConsumerContext is Consumer that waits for the name until ctx ends, which the
// error then wraps beside the [OpenError]. ConsumerOptions.Wait bounds it as well,
// if it is set. When it has returned, ctx is of no more use to the consumer.
func (q *Queue) ConsumerContext(
	ctx context.Context, name string, options ConsumerOptions,
) (*Consumer, error) {
	var over <-chan time.Time // nil: never
	if options.Wait > 0 {
		timer := time.NewTimer(options.Wait)
		defer timer.Stop()
		over = timer.C
	}
	told := false
	for wait := firstAsk; ; wait = min(2*wait, lastAsk) {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		c, err := q.openConsumer(name, options)
		if err == nil || !mayPass(err) {
			return c, err
		}
		if !told {
			told = true
			q.options.Logger.Info("nerve: waiting for the name of a consumer", "consumer", name,
				"reason", err)
		}
		select {
		case <-time.After(wait):
		case <-over:
			return nil, err
		case <-q.consumers.stop:
			return nil, ErrClosed
		case <-ctx.Done():
			return nil, fmt.Errorf("%w: %w", context.Cause(ctx), err)
		}
	}
}

// mayPass reports whether a consumer that could not be opened may be later, without
// anybody's doing.
func mayPass(err error) bool {
	var taken *OpenError
	var away *ConnectionError
	return errors.As(err, &taken) || errors.As(err, &away)
}

// WaitForever is a ConsumerOptions.Wait that ends with the queue alone.
const WaitForever time.Duration = 1<<63 - 1
