package grpc

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/encoding/gzip"
	official "google.golang.org/grpc/interop"
	testpb "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/testdata"

	"github.com/octopus-framework/octopus/conformance/grpc/interop"
	"github.com/octopus-framework/octopus/gremlin/gremlingrpc/grpcjson"
)

// cases are those of grpc-go's interoperability tests that touch codec and stubs. They end the
// process when they fail.
var cases = map[string]func(ctx context.Context, c client){
	"empty_unary": func(ctx context.Context, c client) {
		official.DoEmptyUnaryCall(ctx, c.test)
	},
	"large_unary": func(ctx context.Context, c client) {
		official.DoLargeUnaryCall(ctx, c.test)
	},
	"client_streaming": func(ctx context.Context, c client) {
		official.DoClientStreaming(ctx, c.test)
	},
	"server_streaming": func(ctx context.Context, c client) {
		official.DoServerStreaming(ctx, c.test)
	},
	"ping_pong": func(ctx context.Context, c client) {
		official.DoPingPong(ctx, c.test)
	},
	"empty_stream": func(ctx context.Context, c client) {
		official.DoEmptyStream(ctx, c.test)
	},
	"timeout_on_sleeping_server": func(ctx context.Context, c client) {
		official.DoTimeoutOnSleepingServer(ctx, c.test)
	},
	"cancel_after_begin": func(ctx context.Context, c client) {
		official.DoCancelAfterBegin(ctx, c.test)
	},
	"cancel_after_first_response": func(ctx context.Context, c client) {
		official.DoCancelAfterFirstResponse(ctx, c.test)
	},
	"custom_metadata": func(ctx context.Context, c client) {
		official.DoCustomMetadata(ctx, c.test)
	},
	"status_code_and_message": func(ctx context.Context, c client) {
		official.DoStatusCodeAndMessage(ctx, c.test)
	},
	"special_status_message": func(ctx context.Context, c client) {
		official.DoSpecialStatusMessage(ctx, c.test)
	},
	"unimplemented_method": unimplementedMethod,
	"unimplemented_service": func(ctx context.Context, c client) {
		official.DoUnimplementedService(ctx, c.none)
	},
	"pick_first_unary": func(ctx context.Context, c client) {
		official.DoPickFirstUnary(ctx, c.test)
	},
	"rpc_soak": func(ctx context.Context, c client) {
		soak(ctx, c, func() client { return c })
	},
	"channel_soak": func(ctx context.Context, c client) { soak(ctx, c, c.again) },
}

// client is what the cases call with.
type client struct {
	conn  *grpc.ClientConn
	test  testpb.TestServiceClient
	none  testpb.UnimplementedServiceClient
	again func() client // over a new connection
}

// unimplementedMethod also calls the method by its stub, as the official case sends no message.
func unimplementedMethod(ctx context.Context, c client) {
	official.DoUnimplementedMethod(ctx, c.conn)
	if _, err := c.test.UnimplementedCall(ctx, &testpb.Empty{}); err == nil ||
		!strings.Contains(err.Error(), "Unimplemented") {
		fatal("UnimplementedCall: ", err)
	}
}

// soak is the official soak test for clients that are no connections.
func soak(ctx context.Context, c client, next func() client) {
	if _, ours := c.test.(adapter); !ours {
		official.DoSoakTest(ctx, official.SoakTestConfig{RequestSize: 271828, ResponseSize: 314159,
			NumWorkers: 2, Iterations: 20,
			PerIterationMaxAcceptableLatency: time.Minute, OverallTimeout: time.Minute,
			ServerAddr:     c.conn.Target(),
			ChannelForTest: func() (*grpc.ClientConn, func()) { return next().conn, func() {} }})
		return
	}
	for range 20 {
		official.DoLargeUnaryCall(ctx, next().test)
	}
}

func fatal(args ...any) {
	fmt.Fprintln(os.Stderr, args...)
	os.Exit(1)
}

// The environment variables by which a test starts itself as a client.
const caseVar, targetVar, sideVar, modeVar = "INTEROP_CASE", "INTEROP_TARGET", "INTEROP_CLIENT",
	"INTEROP_MODE"

func TestMain(m *testing.M) {
	if name := os.Getenv(caseVar); name != "" {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		cases[name](ctx, dial(os.Getenv(targetVar), os.Getenv(sideVar), os.Getenv(modeVar)))
		cancel()
		fmt.Println("passed", name)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// dial returns a client of one side, "stock" or "gremlin", for a mode of transport.
func dial(target, side, mode string) client {
	creds := insecure.NewCredentials()
	if mode == "tls" || mode == "http" {
		var err error
		if creds, err = credentials.NewClientTLSFromFile(testdata.Path("ca.pem"),
			"foo.test.google.fr"); err != nil {
			fatal(err)
		}
	}
	opts := []grpc.DialOption{grpc.WithTransportCredentials(creds)}
	if mode == "gzip" {
		opts = append(opts, grpc.WithDefaultCallOptions(grpc.UseCompressor(gzip.Name)))
	}
	if mode == "json" {
		opts = append(opts, grpc.WithDefaultCallOptions(grpcjson.CallOption()))
	}
	conn, err := grpc.NewClient(target, opts...)
	if err != nil {
		fatal(err)
	}
	c := client{conn: conn, test: testpb.NewTestServiceClient(conn),
		none: testpb.NewUnimplementedServiceClient(conn)}
	if side == "gremlin" {
		c.test = adapter{interop.NewTestServiceClient(conn)}
		c.none = unimplemented{interop.NewUnimplementedServiceClient(conn)}
	}
	c.again = func() client { return dial(target, side, mode) }
	return c
}

// stockServer is grpc-go's, with the identity that one case asks for.
type stockServer struct{ testpb.TestServiceServer }

func (s stockServer) UnaryCall(ctx context.Context,
	r *testpb.SimpleRequest) (*testpb.SimpleResponse, error) {
	a, err := s.TestServiceServer.UnaryCall(ctx, r)
	if r.GetFillServerId() && err == nil {
		a.ServerId = "stock"
	}
	return a, err
}

// afterCancel keeps a stream that ends without a message open until the client has cancelled it.
// Only cancel_after_begin has such a stream: it cancels and closes at the same time, and fails,
// whatever the codec, where the server is quick to answer.
func afterCancel(srv any, s grpc.ServerStream, info *grpc.StreamServerInfo,
	h grpc.StreamHandler) error {
	if strings.HasSuffix(info.FullMethod, "/StreamingInputCall") {
		s = &patient{ServerStream: s}
	}
	return h(srv, s)
}

type patient struct {
	grpc.ServerStream
	received bool
}

func (s *patient) RecvMsg(m any) error {
	err := s.ServerStream.RecvMsg(m)
	if err == io.EOF && !s.received {
		<-s.Context().Done()
		return s.Context().Err()
	}
	s.received = true
	return err
}

// serve starts a server of one side and returns its address. It ends with the test.
func serve(t *testing.T, side, mode string) string {
	t.Helper()
	listener, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	cert, err := tls.LoadX509KeyPair(testdata.Path("server1.pem"), testdata.Path("server1.key"))
	if err != nil {
		t.Fatal(err)
	}
	opts := []grpc.ServerOption{grpc.StreamInterceptor(afterCancel)}
	if mode == "tls" {
		opts = append(opts, grpc.Creds(credentials.NewServerTLSFromCert(&cert)))
	}
	s := grpc.NewServer(opts...)
	if side == "gremlin" {
		interop.RegisterTestServiceServer(s, testService{})
	} else {
		testpb.RegisterTestServiceServer(s, stockServer{official.NewTestServer()})
	}
	done := make(chan error, 1)
	if mode == "http" {
		h := &http.Server{Handler: s, TLSConfig: &tls.Config{Certificates: []tls.Certificate{cert},
			NextProtos: []string{"h2"}}}
		go func() { done <- h.ServeTLS(listener, "", "") }()
		t.Cleanup(func() { h.Close(); <-done })
	} else {
		go func() { done <- s.Serve(listener) }()
		t.Cleanup(func() { s.Stop(); <-done })
	}
	return listener.Addr().String()
}

// TestInterop runs every case with every pair of client and server of which one is gremlin's, each
// in a process of its own. In JSON, the other side's messages go through the codec of grpcjson,
// too.
func TestInterop(t *testing.T) {
	if len(cases) != 17 {
		t.Fatalf("%d cases", len(cases))
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	names := make([]string, 0, len(cases))
	for name := range cases {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, mode := range []string{"plain", "gzip", "tls", "http", "json"} {
		for _, pair := range [][2]string{{"stock", "gremlin"}, {"gremlin", "stock"},
			{"gremlin", "gremlin"}} {
			target := serve(t, pair[1], mode)
			for _, name := range names {
				if mode == "json" && name == "unimplemented_method" {
					continue // it sends no message where one is due, and nothing is no JSON
				}
				t.Run(mode+"/"+pair[0]+" to "+pair[1]+"/"+name, func(t *testing.T) {
					cmd := exec.CommandContext(t.Context(), self)
					cmd.Env = append(os.Environ(), caseVar+"="+name, targetVar+"="+target,
						sideVar+"="+pair[0], modeVar+"="+mode)
					out, err := cmd.CombinedOutput()
					if err != nil || !strings.Contains(string(out), "passed "+name) {
						t.Errorf("%v\n%s", err, out)
					}
				})
			}
		}
	}
}
