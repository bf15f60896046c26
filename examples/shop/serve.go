package main

import (
	"net/http"
	"strings"
	"sync/atomic"

	"connectrpc.com/connect/v2"
	"connectrpc.com/connect/v2/connecthttp"
	"google.golang.org/grpc"

	shopv1 "github.com/octopus-framework/octopus/examples/shop/shop/v1"
	"github.com/octopus-framework/octopus/examples/shop/shop/v1/shopv1connect"
	"github.com/octopus-framework/octopus/gremlin/gremlinconnect"
	"github.com/octopus-framework/octopus/gremlin/gremlingrpc"
	"github.com/octopus-framework/octopus/gremlin/gremlingrpc/grpcreflect"
)

// counts are what was observed of grpc's messages.
type counts struct{ messages, bytes, failures atomic.Int64 }

func (c *counts) observe(e gremlingrpc.Event) {
	c.messages.Add(1)
	c.bytes.Add(int64(e.Bytes))
	if e.Err != nil {
		c.failures.Add(1)
	}
}

// newServer returns a server of one port for everybody: grpc-go for gRPC, with reflection; connect
// for JSON from browsers and curl, and for gRPC-Web.
func newServer(s store, c *counts) *http.Server {
	forGRPC := grpc.NewServer()
	shopv1.RegisterShopServer(gremlingrpc.Observe(forGRPC, c.observe, 1), overGRPC{store: s})
	grpcreflect.Register(forGRPC)

	mux := http.NewServeMux()
	forConnect := connect.NewServer()
	shopv1connect.RegisterShopHandler(forConnect, overConnect{s})
	connecthttp.Mount(mux, forConnect, gremlinconnect.WithCodecs())

	web := &http.Server{Protocols: new(http.Protocols)}
	web.Protocols.SetHTTP1(true)
	web.Protocols.SetUnencryptedHTTP2(true) // what gRPC without TLS is
	web.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		kind := r.Header.Get("Content-Type")
		if strings.HasPrefix(kind, "application/grpc") &&
			!strings.HasPrefix(kind, "application/grpc-web") {
			forGRPC.ServeHTTP(w, r)
			return
		}
		mux.ServeHTTP(w, r)
	})
	return web
}
