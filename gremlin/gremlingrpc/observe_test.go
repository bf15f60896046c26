package gremlingrpc_test

import (
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/health"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"

	"github.com/octopus-framework/octopus/gremlin/gremlingrpc"
	"github.com/octopus-framework/octopus/gremlin/gremlingrpc/grpcjson"
	"github.com/octopus-framework/octopus/gremlin/gremlingrpc/internal/shop"
)

// recorder counts events.
type recorder struct {
	mu     sync.Mutex
	counts map[string]int // by method, side, direction and codec
	bytes  int
	failed []error
	timed  int
}

func (r *recorder) observe(e gremlingrpc.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	name := e.Method[strings.LastIndexByte(e.Method, '/')+1:] + " server"
	if e.Client {
		name = strings.Replace(name, "server", "client", 1)
	}
	if e.Received {
		name += " received "
	} else {
		name += " sent "
	}
	r.counts[name+e.Codec]++
	r.bytes += e.Bytes
	if e.Err != nil {
		r.failed = append(r.failed, e.Err)
	}
	if e.Timed {
		r.timed++
	}
}

// observed starts a server with gremlin's and protobuf-go's services that is observed on both
// sides.
func observed(t *testing.T, r *recorder, every int) *grpc.ClientConn {
	unary, stream := gremlingrpc.ClientInterceptors(r.observe, every)
	return start(t, func(s *grpc.Server) {
		o := gremlingrpc.Observe(s, r.observe, every)
		shop.RegisterShopServer(o, server{})
		healthpb.RegisterHealthServer(o, health.NewServer())
	}, nil, []grpc.DialOption{grpc.WithUnaryInterceptor(unary), grpc.WithStreamInterceptor(stream)})
}

func TestObserve(t *testing.T) {
	r := &recorder{counts: map[string]int{}}
	t.Run("calls", func(t *testing.T) {
		conn := observed(t, r, 1)
		c := shop.NewShopClient(conn)
		if _, err := c.Get(t.Context(), &shop.GetRequest{Id: "a"}); err != nil {
			t.Fatal(err)
		}
		if d, err := c.Get(t.Context(), &shop.GetRequest{Id: "a"},
			grpcjson.CallOption()); err != nil || d.GetUser().GetId() != "ua" {
			t.Fatal(d, err)
		}
		l, err := c.List(t.Context(), &shop.GetRequest{Id: "b"})
		for err == nil {
			_, err = l.Recv()
		}
		if !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
		p, err := c.Put(t.Context())
		for range 3 {
			err = errors.Join(err, p.Send(&shop.Deposit{}))
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.CloseAndRecv(); err != nil {
			t.Fatal(err)
		}
		if _, err := healthpb.NewHealthClient(conn).Check(t.Context(),
			&healthpb.HealthCheckRequest{}); err != nil {
			t.Fatal(err)
		}
		s, err := conn.NewStream(t.Context(), &shop.Shop_ServiceDesc.Streams[2],
			shop.Shop_Watch_FullMethodName)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.SendMsg(raw(t, []byte{0xff})); err != nil {
			t.Fatal(err)
		}
		if err := s.RecvMsg(new(shop.DepositReader)); err == nil {
			t.Error("a malformed message was taken")
		}
	})
	want := map[string]int{
		"Get client sent proto": 1, "Get server received proto": 1, "Get server sent proto": 1,
		"Get client received proto": 1,
		"Get client sent json":      1, "Get server received json": 1, "Get server sent json": 1,
		"Get client received json": 1,
		"List client sent proto":   1, "List server received proto": 1,
		"List server sent proto":     10,
		"List client received proto": 10,
		"Put client sent proto":      3, "Put server received proto": 3, "Put server sent proto": 1,
		"Put client received proto": 1,
		"Check client sent proto":   1, "Check server received proto": 1,
		"Check server sent proto": 1, "Check client received proto": 1,
		"Watch client sent proto": 1, "Watch server received proto": 1,
	}
	total := 0
	for name, n := range want {
		if r.counts[name] != n {
			t.Errorf("%s: %d, want %d", name, r.counts[name], n)
		}
		total += n
	}
	if len(r.counts) != len(want) || r.timed != total || r.bytes < 100 {
		t.Errorf("%v; %d timed, %d bytes", r.counts, r.timed, r.bytes)
	}
	if len(r.failed) != 1 || !strings.Contains(r.failed[0].Error(), "shop.v1.GetRequest") {
		t.Errorf("failures: %v", r.failed)
	}
}

// TestObserveSamples: few messages are timed, all are counted.
func TestObserveSamples(t *testing.T) {
	r := &recorder{counts: map[string]int{}}
	c := shop.NewShopClient(observed(t, r, 50))
	for range 100 {
		if _, err := c.Get(t.Context(), &shop.GetRequest{Id: "a"}); err != nil {
			t.Fatal(err)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if n := r.counts["Get server received proto"]; n != 100 || r.timed > 100 {
		t.Errorf("%d messages, %d of 400 timed", n, r.timed)
	}
}

// TestObserveAllocatesNothing for the messages of a stream.
func TestObserveAllocatesNothing(t *testing.T) {
	allocations := func(registrar func(*grpc.Server) grpc.ServiceRegistrar) float64 {
		conn := start(t, func(s *grpc.Server) {
			shop.RegisterShopServer(registrar(s), server{})
		}, nil, nil)
		s, err := shop.NewShopClient(conn).Watch(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var rounds []float64
		for range 5 {
			rounds = append(rounds, testing.AllocsPerRun(200, func() {
				if err := s.Send(&shop.GetRequest{Id: "a"}); err != nil {
					t.Fatal(err)
				}
				if _, err := s.Recv(); err != nil {
					t.Fatal(err)
				}
			}))
		}
		_ = s.CloseSend()
		_, _ = s.Recv()
		return slices.Min(rounds)
	}
	plain := allocations(func(s *grpc.Server) grpc.ServiceRegistrar { return s })
	with := allocations(func(s *grpc.Server) grpc.ServiceRegistrar {
		return gremlingrpc.Observe(s, func(gremlingrpc.Event) {}, 16)
	})
	if with > plain {
		t.Errorf("%v allocations a message, %v without", with, plain)
	}
}
