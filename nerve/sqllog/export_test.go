package sqllog

import "context"

// Lapse makes all claims and leases lapse, as time would.
func Lapse(l *Log) error {
	return l.withConn(context.Background(), func(ctx context.Context, c conn) error {
		_, err := c.exec(ctx, "UPDATE nerve_claims SET lease_until = 1")
		if err == nil {
			_, err = c.exec(ctx, "UPDATE nerve_queues SET lease_until = 1 WHERE owner <> ''")
		}
		return err
	})
}

// Age makes all ids too old that are remembered, as time would.
func Age(l *Log) error {
	return l.withConn(context.Background(), func(ctx context.Context, c conn) error {
		_, err := c.exec(ctx, "UPDATE nerve_ids SET nano = 0")
		return err
	})
}

// OpenNewer opens a queue as a program would that knows one version more of the
// schema.
func OpenNewer(ctx context.Context, address, migration string) (*Log, error) {
	var options Options
	options.setDefaults()
	l, err := prepare(address, options)
	if err != nil {
		return nil, err
	}
	l.dialect.migrations = append(l.dialect.migrations, migration)
	return l, l.open(ctx)
}
