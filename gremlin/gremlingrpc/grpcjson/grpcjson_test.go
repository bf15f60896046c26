package grpcjson_test

import (
	"context"
	"net"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/status"

	"github.com/octopus-framework/octopus/gremlin/gremlingrpc"
	"github.com/octopus-framework/octopus/gremlin/gremlingrpc/grpcjson"
	"github.com/octopus-framework/octopus/gremlin/gremlingrpc/internal/shop"
	"github.com/octopus-framework/octopus/gremlin/json"
)

type server struct{ shop.UnimplementedShopServer }

func (server) Get(_ context.Context, r *shop.GetRequestReader) (*shop.Deposit, error) {
	return &shop.Deposit{Id: r.GetId(), Amount: 1 << 60, Note: []byte{1, 2},
		User: &shop.User{Name: "größe"}}, nil
}

func serve(t *testing.T, opts ...grpc.ServerOption) *grpc.ClientConn {
	t.Helper()
	listener, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	s := grpc.NewServer(opts...)
	shop.RegisterShopServer(s, server{})
	healthpb.RegisterHealthServer(s, health.NewServer())
	done := make(chan error, 1)
	go func() { done <- s.Serve(listener) }()
	t.Cleanup(func() { s.Stop(); <-done })
	conn, err := grpc.NewClient(listener.Addr().String(),
		grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

func TestCalls(t *testing.T) {
	conn := serve(t)
	for _, opts := range [][]grpc.CallOption{nil, {grpcjson.CallOption()}} {
		d, err := shop.NewShopClient(conn).Get(t.Context(), &shop.GetRequest{Id: "7"}, opts...)
		if err != nil || d.GetId() != "7" || d.GetAmount() != 1<<60 ||
			d.GetUser().GetName() != "größe" || len(d.GetNote()) != 2 {
			t.Errorf("%v, %v", d, err)
		}
		a, err := healthpb.NewHealthClient(conn).Check(t.Context(), &healthpb.HealthCheckRequest{},
			opts...)
		if err != nil || a.GetStatus() != healthpb.HealthCheckResponse_SERVING {
			t.Errorf("%v, %v", a, err)
		}
	}
}

// TestServerWithoutJSON: what JSON gets from a server that takes everything for protobuf says what
// to do.
func TestServerWithoutJSON(t *testing.T) {
	conn := serve(t, gremlingrpc.ServerOption())
	_, err := shop.NewShopClient(conn).Get(t.Context(), &shop.GetRequest{Id: "7"},
		grpcjson.CallOption())
	if status.Code(err) != codes.Internal ||
		!strings.Contains(err.Error(), "this looks like JSON") ||
		!strings.Contains(err.Error(), "import gremlingrpc/grpcjson") {
		t.Error(err)
	}
}

func TestCodec(t *testing.T) {
	c := grpcjson.NewCodec(grpcjson.WithJSON(json.Options{}))
	var r shop.DepositReader
	for text, want := range map[string]string{
		`{"user": {"name": 5}}`:      "shop.v1.Deposit: user.name: ",
		`{"usr": {}}`:                `unknown field "usr"`,
		`{"id": "a"`:                 "shop.v1.Deposit: ",
		"\x0a\x01a":                  "this is no JSON",
		``:                           "this is no JSON",
		`{"user": {"name": "\xff"}}`: "shop.v1.Deposit",
	} {
		for _, v := range []any{&r, new(shop.Deposit)} {
			if err := c.Unmarshal(mem.BufferSlice{mem.SliceBuffer(text)}, v); err == nil ||
				!strings.Contains(err.Error(), want) {
				t.Errorf("%q into %T: %v", text, v, err)
			}
		}
		if len(r.Raw()) != 0 {
			t.Errorf("%q: something is left", text)
		}
	}
	if _, err := c.Marshal(42); err == nil || !strings.Contains(err.Error(), "int") {
		t.Error(err)
	}
	if _, err := c.Marshal(gremlingrpc.RawOf(&shop.Deposit{})); err == nil ||
		!strings.Contains(err.Error(), `encoded by the codec "proto"`) {
		t.Error(err)
	}
	var text gremlingrpc.Raw
	if err := c.Unmarshal(mem.BufferSlice{mem.SliceBuffer(`{"id": "a"}`)}, &text); err != nil {
		t.Fatal(err)
	}
	if out, err := c.Marshal(&text); err != nil || string(out.Materialize()) != `{"id": "a"}` {
		t.Errorf("%v, %v", out, err)
	}
	if err := text.Read(&r); err == nil || !strings.Contains(err.Error(), `"json"`) {
		t.Error(err)
	}
}
