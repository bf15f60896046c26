package fallback

import (
	"context"
	"log/slog"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/metadata"

	"github.com/octopus-framework/octopus/gremlin/gremlingrpc"
	"github.com/octopus-framework/octopus/gremlin/gremlingrpc/internal/shop"
)

// damaged is a server that damages every 20th of its binary answers.
type damaged struct {
	shop.UnimplementedShopServer
	broken       atomic.Bool
	binary, json atomic.Int64
}

func (*damaged) Get(_ context.Context, r *shop.GetRequestReader) (*shop.Deposit, error) {
	return &shop.Deposit{Id: r.GetId(), User: &shop.User{Id: "u"}}, nil
}

func (d *damaged) damage(ctx context.Context, req any, _ *grpc.UnaryServerInfo,
	h grpc.UnaryHandler) (any, error) {
	answer, err := h(ctx, req)
	md, _ := metadata.FromIncomingContext(ctx)
	if strings.HasSuffix(strings.Join(md.Get("content-type"), ""), "+json") {
		d.json.Add(1)
		return answer, err
	}
	if n := d.binary.Add(1); n%20 != 0 || !d.broken.Load() || err != nil {
		return answer, err
	}
	b := answer.(*shop.Deposit).Marshal()
	b[len(b)-2] = 9 // the length of the last string
	var raw gremlingrpc.Raw
	gremlingrpc.UnmarshalRaw(gremlingrpc.Name, mem.BufferSlice{mem.SliceBuffer(b)}, &raw)
	return &raw, nil
}

// serve starts a damaged server and returns it and a client whose calls a Fallback watches.
func serve(t *testing.T, f *Fallback, announce bool) (*damaged, shop.ShopClient) {
	t.Helper()
	listener, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	d := &damaged{}
	d.broken.Store(true)
	opts := []grpc.ServerOption{grpc.ChainUnaryInterceptor(d.damage)}
	if announce {
		opts = append(opts, Announce()...)
	}
	s := grpc.NewServer(opts...)
	shop.RegisterShopServer(s, d)
	done := make(chan error, 1)
	go func() { done <- s.Serve(listener) }()
	t.Cleanup(func() { s.Stop(); <-done })
	conn, err := grpc.NewClient(listener.Addr().String(),
		append(f.DialOptions(), grpc.WithTransportCredentials(insecure.NewCredentials()))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return d, shop.NewShopClient(conn)
}

// calls makes calls one after the other and returns how many failed.
func calls(t *testing.T, c shop.ShopClient, count int) (failed int) {
	t.Helper()
	for range count {
		a, err := c.Get(t.Context(), &shop.GetRequest{Id: "a"})
		if err != nil {
			failed++
		} else if a.GetId() != "a" || a.GetUser().GetId() != "u" {
			t.Fatalf("an answer that is wrong and no error: %v", a)
		}
	}
	return failed
}

func TestDamagedServer(t *testing.T) {
	clock := &clock{time.Unix(1_800_000_000, 0)}
	var told []Transition
	f := New(allSlow, WithLogger(slog.New(slog.DiscardHandler)),
		WithTransitions(func(t Transition) { told = append(told, t) }),
		func(s *settings) { s.now = clock.now })
	d, c := serve(t, f, true)
	if failed := calls(t, c, 100); failed != 5 || len(told) != 1 || told[0].To != JSON ||
		told[0].Counted != (Counts{100, 5, 100}) {
		t.Fatalf("%d calls failed: %+v", failed, told)
	}
	if failed := calls(t, c, 300); failed != 0 || d.json.Load() != 300 {
		t.Errorf("%d calls failed in JSON, %d were in JSON", failed, d.json.Load())
	}
	d.broken.Store(false)
	clock.t = clock.t.Add(2 * time.Minute)
	if failed := calls(t, c, 1001); failed != 0 || len(told) != 3 || told[2].To != Binary {
		t.Errorf("%d calls failed while probing: %+v", failed, told)
	}
	before := d.json.Load()
	if failed := calls(t, c, 100); failed != 0 || d.json.Load() != before {
		t.Errorf("%d calls failed, %d in JSON", failed, d.json.Load()-before)
	}
	if s := f.States(); len(s) != 1 || s[0].Mode != Binary || s[0].Transitions != 3 ||
		s[0].Method != shop.Shop_Get_FullMethodName {
		t.Errorf("%+v", s)
	}
}

// TestServerWithoutAnnouncement is never sent JSON.
func TestServerWithoutAnnouncement(t *testing.T) {
	f := New(allSlow, WithLogger(slog.New(slog.DiscardHandler)))
	d, c := serve(t, f, false)
	if failed := calls(t, c, 400); failed != 20 || d.json.Load() != 0 {
		t.Errorf("%d calls failed, %d in JSON", failed, d.json.Load())
	}
}

// TestReportOnly tells and changes nothing.
func TestReportOnly(t *testing.T) {
	var told []Transition
	f := New(allSlow, WithReportOnly(), WithLogger(slog.New(slog.DiscardHandler)),
		WithTransitions(func(t Transition) { told = append(told, t) }))
	d, c := serve(t, f, true)
	calls(t, c, 150)
	if d.json.Load() != 0 || len(told) != 1 || !told[0].ReportOnly {
		t.Errorf("%d calls in JSON, told %+v", d.json.Load(), told)
	}
}
