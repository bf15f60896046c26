package sqllog

import "context"

// Lapse makes all claims of consumers of a queue lapse, as time would.
func Lapse(l *Log) error {
	return l.once(context.Background(), func(ctx context.Context, c conn) error {
		_, err := c.exec(ctx, "UPDATE nerve_claims SET lease_until = 1")
		return err
	})
}

// NoBarrier has the log show what may not be durable yet.
func NoBarrier(l *Log) { l.early = false }
