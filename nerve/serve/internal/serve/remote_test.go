package serve_test

import (
	"context"
	"errors"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/nervetest"
	"github.com/octopus-framework/octopus/nerve/remote"
	"github.com/octopus-framework/octopus/nerve/seglog"
	"github.com/octopus-framework/octopus/nerve/serve/internal/core"
	"github.com/octopus-framework/octopus/nerve/serve/internal/serve"
)

const testLease = time.Hour

// backend is a queue of a server, for the contract.
type backend struct {
	server  *running
	options remote.Options
	scheme  string
	breaker *nervetest.Breaker
	ahead   *atomic.Int64
}

func (b backend) Open(t *testing.T) nerve.Log {
	t.Helper()
	address := b.server.Addr().String()
	o := b.options
	o.Create, o.Token = true, b.server.tokens["all"]
	if b.breaker != nil {
		through := b.breaker.Addr()
		o.Dial = func(network, _ string) (net.Conn, error) { return net.Dial(network, through) }
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	log, err := remote.Open(ctx, b.scheme+"://"+address+"/events", o)
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	return log
}

func (b backend) Capabilities() nervetest.Capabilities {
	return nervetest.Capabilities{
		Persistent: true, Shared: true, Keys: true, Dedup: true, Claims: true, Breaker: b.breaker,
		Lapse: func(*testing.T) { b.ahead.Add(int64(testLease)) },
	}
}

// contract runs the suite over a server for each test.
func contract(t *testing.T, secure, broken bool) {
	nervetest.Run(t, func(t *testing.T) nervetest.Backend {
		b := backend{scheme: "nerve", ahead: new(atomic.Int64)}
		var so serve.Options
		if secure {
			c := testCertificate(t)
			b.scheme, so.TLS, b.options.TLS = "nerves", c.server, c.client
		}
		b.server = start(t, t.TempDir(), core.Options{
			Create: true, Lease: testLease,
			Folder: seglog.Options{Dedup: nerve.DedupWindow{IDs: 30}},
			Now:    func() time.Time { return time.Now().Add(time.Duration(b.ahead.Load())) },
		}, so)
		if broken {
			b.breaker = nervetest.NewBreaker(t, "tcp", b.server.Addr().String())
		}
		return b
	})
}

// TestContract runs the suite over the network.
func TestContract(t *testing.T) { contract(t, false, false) }

// TestContractTLS runs it through TLS.
func TestContractTLS(t *testing.T) { contract(t, true, false) }

// TestContractBroken runs it through a proxy, and then the tests that cut and
// stall that.
func TestContractBroken(t *testing.T) { contract(t, false, true) }

// dial opens a queue as one of grants.
func (r *running) dial(t testing.TB, who, queue string) *remote.Log {
	t.Helper()
	log, err := r.tryDial(t, who, queue)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := log.Close(); err != nil && !errors.Is(err, nerve.ErrClosed) {
			t.Error(err)
		}
	})
	return log
}

func (r *running) tryDial(t testing.TB, who, queue string) (*remote.Log, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return remote.Open(ctx, "nerve://"+r.Addr().String()+"/"+queue,
		remote.Options{Token: r.tokens[who]})
}

// TestOpenWaits opens a log of a server that is not there yet, and of one that
// never comes.
func TestOpenWaits(t *testing.T) {
	r := startOne(t, "orders")
	refused := make(chan struct{}, 100)
	var up atomic.Bool
	dial := func(network, _ string) (net.Conn, error) {
		if !up.Load() {
			refused <- struct{}{}
			return nil, errors.New("connection refused")
		}
		return net.Dial(network, r.Addr().String())
	}
	o := remote.Options{Token: r.tokens["all"], Dial: dial, Wait: -1}
	_, err := remote.Open(t.Context(), "nerve://127.0.0.1/orders", o)
	if _, ok := errors.AsType[*nerve.ConnectionError](err); !ok || len(refused) != 1 {
		t.Fatalf("Open = %v after %d attempts", err, len(refused))
	}
	<-refused
	o.Wait = 30 * time.Millisecond
	_, err = remote.Open(t.Context(), "nerve://127.0.0.1/orders", o)
	if _, ok := errors.AsType[*nerve.ConnectionError](err); !ok ||
		!errors.Is(err, context.DeadlineExceeded) ||
		!strings.Contains(err.Error(), "connection refused") {
		t.Fatalf("Open = %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	for len(refused) > 0 {
		<-refused
	}
	o.Wait, o.MaxBackoff = time.Hour, time.Millisecond
	go func() {
		for range 3 {
			<-refused
		}
		cancel()
	}()
	_, err = remote.Open(ctx, "nerve://127.0.0.1/orders", o)
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("Open = %v", err)
	}
	go func() {
		for range 3 {
			<-refused
		}
		up.Store(true)
	}()
	log, err := remote.Open(t.Context(), "nerve://127.0.0.1/orders", o)
	if err != nil {
		t.Fatal(err)
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	// What does not fit is told at once.
	o.Token = "nerve_wrong"
	_, err = remote.Open(t.Context(), "nerve://127.0.0.1/orders", o)
	if _, ok := errors.AsType[*nerve.CredentialsError](err); !ok {
		t.Fatalf("Open = %v", err)
	}
}
