package nerveotel_test

import (
	"context"
	"errors"
	"testing"
	"time"

	sdk "go.opentelemetry.io/otel/sdk/metric"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/memlog"
	"github.com/octopus-framework/octopus/nerve/nerveotel"
	"github.com/octopus-framework/octopus/nerve/work"
)

// TestWatchGroup counts what workers did: one record that is handled, one that is given up, and one
// that waits.
func TestWatchGroup(t *testing.T) {
	reader := sdk.NewManualReader()
	provider := sdk.NewMeterProvider(sdk.WithReader(reader))
	metrics, err := nerveotel.New(provider.Meter("nerve"), "events")
	if err != nil {
		t.Fatal(err)
	}
	q := nerve.New(memlog.New(memlog.Options{}), nerve.Options{})
	defer q.Close()
	for range 3 {
		if _, err := q.Append(t.Context(), []byte("a")); err != nil {
			t.Fatal(err)
		}
	}
	c, err := q.Consumer("billing", nerve.ConsumerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	g, err := work.New(c, func(_ context.Context, d *work.Delivery) error {
		switch d.ID {
		case 1:
			return work.Permanent(errors.New("no"))
		case 2:
			return errors.New("later")
		}
		return nil
	}, work.Options{Discard: true, Backoff: func(int) time.Duration { return time.Hour }})
	if err != nil {
		t.Fatal(err)
	}
	stop, err := metrics.WatchGroup("billing", g)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- g.Run(ctx) }()
	for s := g.Stats(); s.Handled+s.GivenUp < 2 || s.Waiting < 1; s = g.Stats() {
		time.Sleep(time.Millisecond)
	}
	got := collect(t, reader)
	for name, n := range map[string]int64{"handled": 1, "given_up": 1, "failed": 2, "waiting": 1,
		"delayed": 1, "running": 0, "stalled": 0} {
		if v, ok := got["nerve.work."+name+"/billing"]; !ok || v != n {
			t.Errorf("%s is %d (%t), want %d", name, v, ok, n)
		}
	}
	cancel()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if err := stop.Unregister(); err != nil {
		t.Fatal(err)
	}
}
