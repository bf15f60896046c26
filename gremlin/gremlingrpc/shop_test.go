package gremlingrpc_test

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/test/bufconn"

	"github.com/octopus-framework/octopus/gremlin/gremlingrpc"
	"github.com/octopus-framework/octopus/gremlin/gremlingrpc/internal/shop"
	"github.com/octopus-framework/octopus/gremlin/wkt"
)

// server is the shop that the tests call. Its answers use strings of the requests.
type server struct {
	shop.UnimplementedShopServer
}

func (server) Get(_ context.Context, r *shop.GetRequestReader) (*shop.Deposit, error) {
	if r.GetId() == "none" {
		return nil, gremlingrpc.Status(codes.NotFound, "no such deposit",
			&shop.Problem{Id: r.GetId()})
	}
	return deposit(r), nil
}

func deposit(r *shop.GetRequestReader) *shop.Deposit {
	return &shop.Deposit{Id: r.GetId(), Amount: int64(r.GetLength()),
		Note: make([]byte, r.GetLength()),
		User: &shop.User{Id: "u" + r.GetId(), Name: r.GetId()}}
}

func (server) List(r *shop.GetRequestReader, out grpc.ServerStreamingServer[shop.Deposit]) error {
	for range 10 {
		if err := out.Send(deposit(r)); err != nil {
			return err
		}
	}
	return nil
}

func (server) Put(in grpc.ClientStreamingServer[shop.DepositReader, shop.Summary]) error {
	var s shop.Summary
	for {
		d, err := in.Recv()
		if errors.Is(err, io.EOF) {
			return in.SendAndClose(&s)
		}
		if err != nil {
			return err
		}
		s.Count++
		s.Sum += d.GetAmount()
	}
}

func (server) Watch(s grpc.BidiStreamingServer[shop.GetRequestReader, shop.Deposit]) error {
	for {
		r, err := s.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := s.Send(deposit(r)); err != nil {
			return err
		}
	}
}

// start serves over a connection in memory and returns a connection to it. Both end with the test.
func start(t testing.TB, register func(*grpc.Server), so []grpc.ServerOption,
	do []grpc.DialOption) *grpc.ClientConn {
	t.Helper()
	listener := bufconn.Listen(1 << 20)
	s := grpc.NewServer(so...)
	register(s)
	done := make(chan error, 1)
	go func() { done <- s.Serve(listener) }()
	do = append([]grpc.DialOption{grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) {
			return listener.DialContext(ctx)
		})}, do...)
	conn, err := grpc.NewClient("passthrough:///shop", do...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		conn.Close()
		s.GracefulStop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return conn
}

func startShop(t *testing.T, do ...grpc.DialOption) shop.ShopClient {
	return shop.NewShopClient(start(t, func(s *grpc.Server) {
		shop.RegisterShopServer(s, server{})
	}, nil, do))
}

// sizes are around those where grpc changes what buffers it uses: 1 KiB, a frame, several frames.
var sizes = []int32{0, 1, 900, 1023, 1024, 1025, 16000, 16384, 20000, 70000, 1 << 20, 3 << 20}

func check(t *testing.T, d *shop.DepositReader, id string, size int32) {
	t.Helper()
	u := d.GetUser()
	if d.GetId() != id || d.GetAmount() != int64(size) || len(d.GetNote()) != int(size) ||
		u.GetId() != "u"+id || u.GetName() != id {
		t.Errorf("got %.200v for %q, %d", d, id, size)
	}
}

func TestUnary(t *testing.T) {
	c := startShop(t)
	var kept []*shop.DepositReader
	for _, size := range sizes {
		d, err := c.Get(t.Context(), &shop.GetRequest{Id: "d1", Length: size})
		if err != nil {
			t.Fatal(size, err)
		}
		kept = append(kept, d)
	}
	for i, d := range kept { // still what they were
		check(t, d, "d1", sizes[i])
	}
	if r, err := shop.NewShopClient(nil), error(nil); r == nil || err != nil {
		t.Error("no client")
	}
}

func TestServerStream(t *testing.T) {
	c := startShop(t)
	for _, size := range sizes[:10] {
		s, err := c.List(t.Context(), &shop.GetRequest{Id: "d2", Length: size})
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for {
			d, err := s.Recv()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			check(t, d, "d2", size)
			n++
		}
		if n != 10 {
			t.Errorf("%d answers", n)
		}
	}
}

func TestClientStream(t *testing.T) {
	c := startShop(t)
	s, err := c.Put(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var d shop.Deposit // one for all of them: Send has encoded it when it returns
	want := int64(0)
	for i, size := range sizes {
		d.Amount, d.Note = int64(i), make([]byte, size)
		want += int64(i)
		if err := s.Send(&d); err != nil {
			t.Fatal(err)
		}
	}
	sum, err := s.CloseAndRecv()
	if err != nil || sum.GetSum() != want || sum.GetCount() != int32(len(sizes)) {
		t.Errorf("%v, %v", sum, err)
	}
}

func TestBidi(t *testing.T) {
	c := startShop(t)
	s, err := c.Watch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range sizes {
		id := strings.Repeat("x", int(size)%100)
		if err := s.Send(&shop.GetRequest{Id: id, Length: size}); err != nil {
			t.Fatal(err)
		}
		d, err := s.Recv()
		if err != nil {
			t.Fatal(err)
		}
		check(t, d, id, size)
	}
	if err := s.CloseSend(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Recv(); !errors.Is(err, io.EOF) {
		t.Error(err)
	}
}

func TestUnimplemented(t *testing.T) {
	c := startShop(t)
	_, err := c.Ping(t.Context(), &wkt.Empty{})
	if want := "rpc error: code = Unimplemented desc = method Ping not implemented"; err == nil ||
		err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

func TestStatusDetails(t *testing.T) {
	c := startShop(t)
	_, err := c.Get(t.Context(), &shop.GetRequest{Id: "none"})
	var p shop.ProblemReader
	if found, e := gremlingrpc.Detail(err, &p); !found || e != nil || p.GetId() != "none" {
		t.Errorf("%v: %v, %v, %v", err, found, e, &p)
	}
	var u shop.UserReader
	if found, e := gremlingrpc.Detail(err, &u); found || e != nil {
		t.Errorf("a detail of another type: %v, %v", found, e)
	}
	if found, e := gremlingrpc.Detail(io.EOF, &u); found || e != nil {
		t.Errorf("a detail of no status: %v, %v", found, e)
	}
}
