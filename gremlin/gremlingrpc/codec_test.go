package gremlingrpc_test

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/health"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/octopus-framework/octopus/gremlin/gremlingrpc"
	"github.com/octopus-framework/octopus/gremlin/gremlingrpc/internal/shop"
)

// badDeposit is a Deposit whose first other user has a name that is cut off.
var badDeposit = (&shop.Deposit{Id: "d", Others: []shop.User{{Id: "u"}}}).Marshal()

func init() {
	i := bytes.LastIndexByte(badDeposit, 'u')
	badDeposit = append(badDeposit[:i-1], 9, 'u') // a string of nine bytes in a user of three
}

func TestMalformedNested(t *testing.T) {
	c := gremlingrpc.NewCodec(nil)
	data := mem.BufferSlice{mem.SliceBuffer(badDeposit)}
	const path = "shop.v1.Deposit: others[0].id: malformed protobuf: truncated"
	var r shop.DepositReader
	if err := c.Unmarshal(data, &r); err == nil || !strings.HasPrefix(err.Error(), path) ||
		r.GetId() != "" {
		t.Errorf("a Reader: %v, id %q", err, r.GetId())
	}
	m := shop.Deposit{Id: "before"}
	if err := c.Unmarshal(data, &m); err == nil || !strings.HasPrefix(err.Error(), path) ||
		m.Id != "" {
		t.Errorf("a Message: %v, id %q", err, m.Id)
	}
	if err := gremlingrpc.NewCodec(nil, gremlingrpc.WithShallow()).Unmarshal(data,
		&r); err != nil ||
		r.GetId() != "d" {
		t.Errorf("shallow: %v, id %q", err, r.GetId())
	}
}

// TestMalformedAnswer: the path comes as the text of the status, on the client and from the server.
func TestMalformedOverTheWire(t *testing.T) {
	conn := start(t, func(s *grpc.Server) { shop.RegisterShopServer(s, server{}) }, nil, nil)
	s, err := conn.NewStream(t.Context(), &shop.Shop_ServiceDesc.Streams[1],
		shop.Shop_Put_FullMethodName)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.SendMsg(raw(t, badDeposit)); err != nil {
		t.Fatal(err)
	}
	err = s.RecvMsg(new(shop.SummaryReader))
	if status.Code(err) != codes.Internal ||
		!strings.Contains(err.Error(), "shop.v1.Deposit: others[0].id: malformed protobuf") {
		t.Error(err)
	}
}

// raw returns a Raw with these bytes.
func raw(t *testing.T, b []byte) *gremlingrpc.Raw {
	t.Helper()
	var r gremlingrpc.Raw
	if err := gremlingrpc.NewCodec(nil).Unmarshal(mem.BufferSlice{mem.SliceBuffer(b)},
		&r); err != nil {
		t.Fatal(err)
	}
	return &r
}

func TestSentReader(t *testing.T) {
	c := gremlingrpc.NewCodec(nil)
	b := (&shop.Deposit{Id: "d", Note: make([]byte, 5000)}).Marshal()
	var r shop.DepositReader
	if err := r.Unmarshal(b); err != nil {
		t.Fatal(err)
	}
	out, err := c.Marshal(&r)
	if err != nil {
		t.Fatal(err)
	}
	want := bytes.Clone(b)
	clear(b) // the caller's own memory
	if !bytes.Equal(out.Materialize(), want) {
		t.Error("what was encoded changes with the caller's memory")
	}
	out.Free()
	_ = r.Unmarshal([]byte{0xff})
	if _, err := c.Marshal(&r); err == nil ||
		!strings.Contains(err.Error(),
			"a Reader of malformed bytes cannot be sent: shop.v1.Deposit") {
		t.Error(err)
	}
	if out, err := c.Marshal((*shop.DepositReader)(nil)); err != nil || out.Len() != 0 {
		t.Errorf("a nil Reader is %v, %v", out, err)
	}
	if out, err := c.Marshal((*shop.Deposit)(nil)); err != nil || out.Len() != 0 {
		t.Errorf("a nil Message is %v, %v", out, err)
	}
}

func TestCheckSent(t *testing.T) {
	d := &shop.Deposit{User: &shop.User{Name: "\xff"}}
	if _, err := gremlingrpc.NewCodec(nil).Marshal(d); err != nil {
		t.Error(err)
	}
	_, err := gremlingrpc.NewCodec(nil, gremlingrpc.WithCheckSent()).Marshal(d)
	if err == nil || !strings.HasPrefix(err.Error(), "shop.v1.Deposit: user.name: invalid UTF-8") {
		t.Error(err)
	}
}

func TestMemoryLimit(t *testing.T) {
	d := &shop.Deposit{Others: make([]shop.User, 10000)}
	data := mem.BufferSlice{mem.SliceBuffer(d.Marshal())}
	var m shop.Deposit
	if err := gremlingrpc.NewCodec(nil, gremlingrpc.WithMemoryLimit(100000)).Unmarshal(data,
		&m); err == nil ||
		!strings.Contains(err.Error(), "more memory than allowed") {
		t.Error(err)
	}
	if err := gremlingrpc.NewCodec(nil, gremlingrpc.WithMemoryLimit(10<<20)).Unmarshal(data,
		&m); err != nil || len(m.Others) != 10000 {
		t.Error(err)
	}
}

// TestOthersPass: messages that are not gremlin's go to grpc's own codec, over one connection with
// those that are.
func TestOthersPass(t *testing.T) {
	h := health.NewServer()
	h.SetServingStatus("shop.v1.Shop", healthpb.HealthCheckResponse_SERVING)
	register := func(s *grpc.Server) {
		shop.RegisterShopServer(s, server{})
		healthpb.RegisterHealthServer(s, h)
	}
	for name, o := range map[string]struct {
		so []grpc.ServerOption
		do []grpc.DialOption
	}{
		"registered": {},
		"own": {[]grpc.ServerOption{gremlingrpc.ServerOption()},
			[]grpc.DialOption{gremlingrpc.DialOption()}},
	} {
		t.Run(name, func(t *testing.T) {
			conn := start(t, register, o.so, o.do)
			a, err := healthpb.NewHealthClient(conn).Check(t.Context(),
				&healthpb.HealthCheckRequest{Service: "shop.v1.Shop"})
			if err != nil || a.GetStatus() != healthpb.HealthCheckResponse_SERVING {
				t.Errorf("%v, %v", a, err)
			}
			d, err := shop.NewShopClient(conn).Get(t.Context(),
				&shop.GetRequest{Id: "7", Length: 3})
			if err != nil {
				t.Fatal(err)
			}
			check(t, d, "7", 3)
		})
	}
	if c := encoding.GetCodecV2("proto"); c == nil || c.Name() != "proto" {
		t.Error("no codec")
	}
	if _, err := gremlingrpc.NewCodec(nil).Marshal(42); err == nil ||
		!strings.Contains(err.Error(), "int") {
		t.Error(err)
	}
}

func TestServiceTwice(t *testing.T) {
	defer func() {
		if p, _ := recover().(string); !strings.Contains(p,
			"service shop.v1.Shop is registered on this server already") {
			t.Error(p)
		}
	}()
	s := grpc.NewServer()
	shop.RegisterShopServer(s, server{})
	shop.RegisterShopServer(s, server{})
}

func TestInterceptorSeesReader(t *testing.T) {
	saw := ""
	i := func(ctx context.Context, req any, info *grpc.UnaryServerInfo, h grpc.UnaryHandler) (any,
		error) {
		saw = info.FullMethod + " " + req.(*shop.GetRequestReader).GetId()
		return h(ctx, req)
	}
	conn := start(t, func(s *grpc.Server) {
		shop.RegisterShopServer(s, server{})
	}, []grpc.ServerOption{grpc.UnaryInterceptor(i)}, nil)
	if _, err := shop.NewShopClient(conn).Get(t.Context(), &shop.GetRequest{Id: "9"}); err != nil ||
		saw != "/shop.v1.Shop/Get 9" {
		t.Error(err, saw)
	}
}

func TestFanOutOfRaw(t *testing.T) {
	c := gremlingrpc.NewCodec(nil)
	m := gremlingrpc.RawOf(&shop.Deposit{Id: "d", Note: make([]byte, 5000)})
	want := (&shop.Deposit{Id: "d", Note: make([]byte, 5000)}).Marshal()
	for range 3 {
		out, err := c.Marshal(m)
		if err != nil || !bytes.Equal(out.Materialize(), want) || m.Len() != len(want) {
			t.Fatal(err)
		}
		out.Free()
	}
	var r shop.DepositReader
	if err := m.Read(&r); err != nil || r.GetId() != "d" {
		t.Error(err)
	}
	if err := raw(t, badDeposit).Read(&r); err == nil || r.GetId() != "" {
		t.Errorf("%v, id %q", err, r.GetId())
	}
	m.Release()
	if _, err := c.Marshal(m); err == nil || !strings.Contains(err.Error(), "after its Release") {
		t.Error(err)
	}
	if err := m.Read(&r); err == nil {
		t.Error("a released Raw was read")
	}
}

func TestProxy(t *testing.T) {
	back := start(t, func(s *grpc.Server) { shop.RegisterShopServer(s, server{}) }, nil, nil)
	handler := gremlingrpc.Proxy(func(ctx context.Context, method string) (context.Context,
		grpc.ClientConnInterface, error) {
		if !strings.HasPrefix(method, "/shop.v1.Shop/") {
			return nil, nil, status.Error(codes.PermissionDenied, "not through here: "+method)
		}
		md, _ := metadata.FromIncomingContext(ctx)
		return metadata.NewOutgoingContext(ctx, md.Copy()), back, nil
	})
	conn := start(t, func(*grpc.Server) {},
		[]grpc.ServerOption{grpc.UnknownServiceHandler(handler)}, nil)
	c := shop.NewShopClient(conn)
	for _, size := range sizes {
		d, err := c.Get(t.Context(), &shop.GetRequest{Id: "p", Length: size})
		if err != nil {
			t.Fatal(err)
		}
		check(t, d, "p", size)
	}
	s, err := c.Watch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for range 100 {
		if err := s.Send(&shop.GetRequest{Id: "w", Length: 2000}); err != nil {
			t.Fatal(err)
		}
		d, err := s.Recv()
		if err != nil {
			t.Fatal(err)
		}
		check(t, d, "w", 2000)
	}
	_ = s.CloseSend()
	if _, err := s.Recv(); err != io.EOF {
		t.Error(err)
	}
	_, err = c.Get(t.Context(), &shop.GetRequest{Id: "none"})
	var p shop.ProblemReader
	if found, e := gremlingrpc.Detail(err, &p); !found || e != nil ||
		status.Code(err) != codes.NotFound {
		t.Errorf("the status did not come through: %v", err)
	}
	if err := conn.Invoke(t.Context(), "/other/Method", &shop.GetRequest{},
		&shop.DepositReader{}); status.Code(err) != codes.PermissionDenied {
		t.Error(err)
	}
}
