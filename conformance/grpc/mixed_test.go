package grpc

import (
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"google.golang.org/grpc"
	channelz "google.golang.org/grpc/channelz/service"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	testpb "google.golang.org/grpc/interop/grpc_testing"

	"github.com/octopus-framework/octopus/conformance/grpc/interop"
	"github.com/octopus-framework/octopus/conformance/grpc/peer"
	"github.com/octopus-framework/octopus/gremlin/gremlingrpc/grpcreflect"
	"github.com/octopus-framework/octopus/internal/oracle"
)

// benchmark is a service of protobuf-go.
type benchmark struct {
	testpb.UnimplementedBenchmarkServiceServer
}

func (benchmark) UnaryCall(_ context.Context,
	r *testpb.SimpleRequest) (*testpb.SimpleResponse, error) {
	return &testpb.SimpleResponse{Payload: r.GetPayload()}, nil
}

// serveMixed starts a server with services of gremlin, of protobuf-go, and of grpc-go itself.
func serveMixed(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	s := grpc.NewServer()
	peer.RegisterPeerServer(s, peerService{})
	interop.RegisterTestServiceServer(s, testService{})
	testpb.RegisterBenchmarkServiceServer(s, benchmark{})
	h := health.NewServer()
	healthpb.RegisterHealthServer(s, h)
	channelz.RegisterChannelzServiceToServer(s)
	grpcreflect.Register(s)
	done := make(chan error, 1)
	go func() { done <- s.Serve(listener) }()
	t.Cleanup(func() { s.Stop(); <-done })
	return listener.Addr().String()
}

// TestMixed calls all services of one server over one connection.
func TestMixed(t *testing.T) {
	conn, err := grpc.NewClient(serveMixed(t),
		grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	ctx := t.Context()
	a, err := peer.NewPeerClient(conn).Echo(ctx,
		&peer.Request{Count: 2, Item: &peer.Item{Name: "a"}})
	if err != nil || a.LenItems() != 2 {
		t.Errorf("%v, %v", a, err)
	}
	b, err := testpb.NewBenchmarkServiceClient(conn).UnaryCall(ctx,
		&testpb.SimpleRequest{Payload: &testpb.Payload{Body: []byte("abc")}})
	if err != nil || string(b.GetPayload().GetBody()) != "abc" {
		t.Errorf("%v, %v", b, err)
	}
	c, err := healthpb.NewHealthClient(conn).Check(ctx, &healthpb.HealthCheckRequest{})
	if err != nil || c.GetStatus() != healthpb.HealthCheckResponse_SERVING {
		t.Errorf("%v, %v", c, err)
	}
}

// TestGrpcurl lists, describes and calls by reflection.
func TestGrpcurl(t *testing.T) {
	if testing.Short() {
		t.Skip("builds grpcurl")
	}
	grpcurl := filepath.Join(t.TempDir(), "grpcurl")
	if out, err := exec.Command("go", "build", "-o", grpcurl,
		"github.com/fullstorydev/grpcurl/cmd/grpcurl").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	addr := serveMixed(t)
	run := func(args ...string) string {
		t.Helper()
		out, err := exec.Command(grpcurl, append([]string{"-plaintext"},
			args...)...).CombinedOutput()
		if err != nil && !strings.Contains(string(out), "ERROR:") {
			t.Fatalf("%v\n%s", err, out)
		}
		return string(out)
	}
	services := strings.Fields(run(addr, "list"))
	want := []string{"grpc.channelz.v1.Channelz", "grpc.health.v1.Health",
		"grpc.reflection.v1.ServerReflection",
		"grpc.reflection.v1alpha.ServerReflection", "grpc.testing.BenchmarkService",
		"grpc.testing.TestService", "octopus.peer.Peer"}
	if !slices.Equal(services, want) {
		t.Errorf("list: %q", services)
	}
	if text := run(addr, "describe", "octopus.peer.Item"); !strings.Contains(text,
		"map<string, .octopus.peer.Item> parts = 4;") {
		t.Error(text)
	}
	text := run("-d",
		`{"item": {"name": "a", "color": "COLOR_RED", "time": "2026-11-22T10:00:00Z"}, "count": 1}`,
		addr, "octopus.peer.Peer/Echo")
	if !strings.Contains(text, `"color": "COLOR_RED"`) ||
		!strings.Contains(text, `"time": "2026-11-22T10:00:00Z"`) {
		t.Error(text)
	}
	text = run("-d", `{"item": {"name": "b"}, "count": 3}`, addr, "octopus.peer.Peer/Expand")
	if strings.Count(text, `"name": "b"`) != 3 {
		t.Error(text)
	}
	text = run("-d", `{"item": {"name": "c"}}{"item": {"name": "d"}}`, addr,
		"octopus.peer.Peer/Collect")
	if !strings.Contains(text, `"c"`) || !strings.Contains(text, `"d"`) {
		t.Error(text)
	}
	text = run("-d", `{"item": {"name": "e"}, "code": 5}`, addr, "octopus.peer.Peer/Echo")
	if !strings.Contains(text, "Code: NotFound") ||
		!strings.Contains(text, `"text": "detail of e"`) {
		t.Error(text)
	}
	text = run("-d", `{"payload": {"body": "YWJj"}}`, addr,
		"grpc.testing.BenchmarkService/UnaryCall")
	if !strings.Contains(text, `"body": "YWJj"`) {
		t.Error(text)
	}
}

// TestBufCurl calls by reflection.
func TestBufCurl(t *testing.T) {
	buf := tool(t, "buf")
	cmd := exec.Command(buf, "curl", "--http2-prior-knowledge", "--protocol", "grpc", "-d",
		`{"item": {"name": "a"}, "count": 2}`,
		"http://"+serveMixed(t)+"/octopus.peer.Peer/Echo")
	cmd.Env = append(os.Environ(), "BUF_CACHE_DIR="+t.TempDir())
	out, err := cmd.CombinedOutput()
	if err != nil || strings.Count(string(out), `"name": "a"`) != 2 {
		t.Errorf("%v\n%s", err, out)
	}
}

// tool finds a program in the folder that make tools fills, or on the PATH, or skips the test.
func tool(t *testing.T, name string) string {
	t.Helper()
	if path, err := filepath.Abs(filepath.Join("..", "..", ".tools", "bin", name)); err == nil {
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	path, err := exec.LookPath(name)
	if err != nil {
		oracle.Skip(t, name, "not on this machine; make tools installs one in .tools")
	}
	return path
}
