package grpcreflect_test

import (
	"net"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	v1 "google.golang.org/grpc/reflection/grpc_reflection_v1"

	"github.com/octopus-framework/octopus/gremlin/gremlingrpc/grpcreflect"
	"github.com/octopus-framework/octopus/gremlin/gremlingrpc/internal/shop"
	"github.com/octopus-framework/octopus/gremlin/gremlingrpc/rt"
)

type server struct{ shop.UnimplementedShopServer }

// ask sends one request to the reflection service of a server with these services.
func ask(t *testing.T, register func(*grpc.Server),
	r *v1.ServerReflectionRequest) *v1.ServerReflectionResponse {
	t.Helper()
	listener, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	s := grpc.NewServer()
	grpcreflect.Register(s)
	register(s)
	done := make(chan error, 1)
	go func() { done <- s.Serve(listener) }()
	defer func() { s.Stop(); <-done }()
	conn, err := grpc.NewClient(listener.Addr().String(),
		grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	stream, err := v1.NewServerReflectionClient(conn).ServerReflectionInfo(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := stream.Send(r); err != nil {
		t.Fatal(err)
	}
	a, err := stream.Recv()
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func symbol(name string) *v1.ServerReflectionRequest {
	symbol := &v1.ServerReflectionRequest_FileContainingSymbol{FileContainingSymbol: name}
	return &v1.ServerReflectionRequest{MessageRequest: symbol}
}

func TestFile(t *testing.T) {
	register := func(s *grpc.Server) { shop.RegisterShopServer(s, server{}) }
	for _, name := range []string{"shop.v1.Shop", "shop.v1.User", "shop.v1.Shop.Put"} {
		a := ask(t, register, symbol(name))
		// The file and google/protobuf/empty.proto, which it imports.
		if files := a.GetFileDescriptorResponse().GetFileDescriptorProto(); len(files) != 2 ||
			!strings.Contains(string(files[0]), "internal/shop/shop.proto") {
			t.Errorf("%s: %v", name, a)
		}
	}
}

// TestErrors: what is missing is said together with what to do.
func TestErrors(t *testing.T) {
	bare := shop.Shop_ServiceDesc
	bare.ServiceName, bare.Metadata = "shop.v1.Bare", "bare.proto"
	broken := shop.Shop_ServiceDesc
	broken.ServiceName, broken.Metadata = "shop.v1.Broken",
		&rt.Descriptors{Set: []string{"\xff"}}
	for want, desc := range map[string]*grpc.ServiceDesc{
		"service shop.v1.Bare has no descriptors: generate it with grpc: {descriptors: true} in gremlin.yaml": &bare,
		"the descriptors of service shop.v1.Broken: proto:":                                                   &broken,
	} {
		a := ask(t, func(s *grpc.Server) {
			s.RegisterService(desc, server{})
		}, symbol(desc.ServiceName))
		if text := a.GetErrorResponse().GetErrorMessage(); !strings.Contains(text, want) {
			t.Errorf("%q does not say %q", text, want)
		}
	}
}
