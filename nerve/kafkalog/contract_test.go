package kafkalog_test

import (
	"context"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/kafkalog"
	"github.com/octopus-framework/octopus/nerve/nervetest"
	"github.com/twmb/franz-go/pkg/kgo"
)

// backend is a topic of the shared broker. What the log says to the broker goes
// through a breaker, if there is one.
type backend struct {
	addr, topic string
	options     kafkalog.Options
	breaker     *nervetest.Breaker
	ahead       *atomic.Int64
}

const testLease = time.Hour

func (b backend) Open(t *testing.T) nerve.Log {
	t.Helper()
	o := b.options
	o.Dedup.IDs = 30
	o.Create, o.Lease, o.MaxMessage = true, testLease, 256<<10
	kafkalog.SetClock(&o, func() time.Time { return time.Now().Add(time.Duration(b.ahead.Load())) })
	if b.breaker != nil {
		o.Client = append(o.Client,
			kgo.Dialer(func(ctx context.Context, _, _ string) (net.Conn, error) {
				return new(net.Dialer).DialContext(ctx, "tcp", b.breaker.Addr())
			}))
	}
	log, err := kafkalog.OpenPartition(testContext(t), []string{b.addr}, b.topic, 0, o)
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	return log
}

func (b backend) Capabilities() nervetest.Capabilities {
	return nervetest.Capabilities{
		Persistent: true, Shared: true, Keys: true, Dedup: true, Claims: true,
		Lapse:   func(*testing.T) { b.ahead.Add(int64(testLease)) },
		Breaker: b.breaker,
	}
}

func TestContract(t *testing.T) {
	addr := broker(t)
	variants := map[string]kafkalog.Options{
		"plain": {},
		"zstd":  {Compression: kafkalog.Zstd},
	}
	for name, options := range variants {
		t.Run(name, func(t *testing.T) {
			nervetest.Run(t, func(t *testing.T) nervetest.Backend {
				return backend{addr: addr, topic: newTopic(t), options: options,
					ahead: new(atomic.Int64)}
			})
		})
	}
}

// TestContractOverBreaker runs the suite through a connection that can be cut,
// and then the tests that cut it.
func TestContractOverBreaker(t *testing.T) {
	addr := broker(t)
	nervetest.Run(t, func(t *testing.T) nervetest.Backend {
		return backend{
			addr: addr, topic: newTopic(t), ahead: new(atomic.Int64),
			breaker: nervetest.NewBreaker(t, "tcp", addr),
		}
	})
}
