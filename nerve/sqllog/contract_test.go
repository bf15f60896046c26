//go:build linux

package sqllog_test

import (
	"context"
	"flag"
	"fmt"
	"net/url"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/octopus-framework/octopus/internal/oracle"
	"github.com/octopus-framework/octopus/internal/oracle/sqlservers"
	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/nervetest"
	"github.com/octopus-framework/octopus/nerve/sqllog"
)

// servers are shared by the tests that leave them as they are, and started by
// the first one.
var servers struct {
	sync.Mutex
	running map[string]*sqlservers.Server
}

func TestMain(m *testing.M) {
	if role := os.Getenv(roleVariable); role != "" {
		os.Exit(play(role))
	}
	code := m.Run()
	for name, s := range servers.running {
		if err := s.Stop(); err != nil {
			fmt.Fprintln(os.Stderr, name, err)
			code = 1
		}
	}
	os.Exit(code)
}

// onEach runs a test on each kind of server.
func onEach(t *testing.T, run func(t *testing.T, server *sqlservers.Server)) {
	for _, kind := range sqlservers.Kinds() {
		t.Run(kind.Name, func(t *testing.T) { run(t, shared(t, kind)) })
	}
}

// shared returns the server of a kind that the tests share.
func shared(t *testing.T, kind *sqlservers.Kind) *sqlservers.Server {
	t.Helper()
	servers.Lock()
	defer servers.Unlock()
	if s := servers.running[kind.Name]; s != nil {
		return s
	}
	s := start(t, kind)
	if servers.running == nil {
		servers.running = make(map[string]*sqlservers.Server)
	}
	servers.running[kind.Name] = s
	return s
}

// own starts a server for one test.
func own(t *testing.T, kind *sqlservers.Kind, settings ...string) *sqlservers.Server {
	t.Helper()
	s := start(t, kind, settings...)
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func start(t *testing.T, kind *sqlservers.Kind, settings ...string) *sqlservers.Server {
	t.Helper()
	if err := kind.Missing(); err != nil {
		oracle.Skip(t, kind.Name, err.Error())
	}
	s, err := sqlservers.Start(kind, settings...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// proof leaves a test out of a short run.
func proof(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("it takes seconds: run without -short")
	}
}

var queues atomic.Int64

// newQueue returns a name that no test uses.
func newQueue() string { return fmt.Sprintf("queue-%d-%d", os.Getpid(), queues.Add(1)) }

// withQueue adds the name of a queue to a URL.
func withQueue(t *testing.T, address, queue string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	q.Set("queue", queue)
	u.RawQuery = q.Encode()
	return u.String()
}

func testContext(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func open(t *testing.T, address string, options sqllog.Options) *sqllog.Log {
	t.Helper()
	l, err := sqllog.Open(testContext(t), address, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

// backend is a queue of a server, behind something that cuts connections.
type backend struct {
	address string
	options sqllog.Options
	logs    []*sqllog.Log
	breaker *nervetest.Breaker
}

func newBackend(t *testing.T, server *sqlservers.Server) *backend {
	breaker := nervetest.NewBreaker(t, "unix", server.Socket())
	return &backend{
		address: withQueue(t, through(t, server, breaker), newQueue()),
		options: sqllog.Options{Lease: 10 * time.Minute, Dedup: nerve.DedupWindow{IDs: 30}},
		breaker: breaker,
	}
}

// through is the URL of server by way of breaker.
func through(t *testing.T, server *sqlservers.Server, breaker *nervetest.Breaker) string {
	t.Helper()
	u, err := url.Parse(server.URL())
	if err != nil {
		t.Fatal(err)
	}
	u.Host, u.RawQuery = breaker.Addr(), ""
	if u.Scheme == "postgres" {
		u.RawQuery = "sslmode=disable"
	}
	return u.String()
}

func (b *backend) Open(t *testing.T) nerve.Log {
	l := open(t, b.address, b.options)
	b.logs = append(b.logs, l)
	return l
}

// long runs the proofs for minutes: 60 seconds of sales, 50 kills of a server,
// 100 of writers. Without it they are as long as some seconds allow, and with
// -short they are left out.
var long = flag.Bool("long", false, "run every proof at full length")

func (b *backend) Capabilities() nervetest.Capabilities {
	breaker := b.breaker
	if testing.Short() {
		breaker = nil // thousands of connections
	}
	return nervetest.Capabilities{
		Persistent: true, Shared: true, Keys: true, Dedup: true, Claims: true, Breaker: breaker,
		Age: func(t *testing.T) {
			if err := sqllog.Age(b.logs[0]); err != nil {
				t.Fatal(err)
			}
		},
		Lapse: func(t *testing.T) {
			if err := sqllog.Lapse(b.logs[0]); err != nil {
				t.Fatal(err)
			}
		},
	}
}

func TestContract(t *testing.T) {
	onEach(t, func(t *testing.T, server *sqlservers.Server) {
		nervetest.Run(t, func(t *testing.T) nervetest.Backend { return newBackend(t, server) })
	})
}
