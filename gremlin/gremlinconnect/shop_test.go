package gremlinconnect_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"connectrpc.com/connect/v2"
	"connectrpc.com/connect/v2/connecthttp"

	"github.com/octopus-framework/octopus/gremlin/gremlinconnect"
	"github.com/octopus-framework/octopus/gremlin/gremlinconnect/internal/shop"
	"github.com/octopus-framework/octopus/gremlin/gremlinconnect/internal/shop/shopconnect"
)

// server is the service of the tests.
type server struct {
	shopconnect.UnimplementedShopHandler
}

func (server) Get(_ context.Context, r *shop.GetRequestReader) (*shop.Deposit, error) {
	if r.GetId() == "gone" {
		return nil, connect.NewError(connect.CodeNotFound, "no such deposit").
			WithDetail(gremlinconnect.NewErrorDetail(&shop.Problem{Id: r.GetId()}))
	}
	amount := int64(0)
	for _, v := range r.GetTags() {
		amount += v
	}
	return &shop.Deposit{Id: r.GetId(), Amount: amount, User: &shop.User{Id: "u" + r.GetId()}}, nil
}

func (server) List(_ context.Context, r *shop.GetRequestReader,
	s shopconnect.ShopListServerStream) error {
	if err := s.SendHeaders(); err != nil {
		return err
	}
	var d shop.Deposit
	for i := range int64(10) {
		// one message for all: Send has encoded it when it returns
		d.Id, d.Amount = fmt.Sprint(r.GetId(), i), i
		if err := s.Send(&d); err != nil {
			return err
		}
	}
	return nil
}

func (server) Put(_ context.Context, s shopconnect.ShopPutServerStream) (*shop.Summary, error) {
	var kept []*shop.DepositReader
	for {
		d, err := s.Receive()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		kept = append(kept, d)
	}
	sum := &shop.Summary{Count: int32(len(kept))}
	for _, d := range kept { // they are ours, all of them
		sum.Sum += d.GetAmount()
	}
	return sum, nil
}

func (server) Watch(_ context.Context, s shopconnect.ShopWatchServerStream) error {
	for {
		r, err := s.Receive()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := s.Send(&shop.Deposit{Id: r.GetId()}); err != nil {
			return err
		}
	}
}

// start serves the shop, in HTTP/1.1 and in HTTP/2 without TLS.
func start(t *testing.T, opts ...connecthttp.Option) *httptest.Server {
	t.Helper()
	s := connect.NewServer()
	shopconnect.RegisterShopHandler(s, server{})
	mux := http.NewServeMux()
	connecthttp.Mount(mux, s, opts...)
	web := httptest.NewUnstartedServer(mux)
	web.Config.Protocols = new(http.Protocols)
	web.Config.Protocols.SetHTTP1(true)
	web.Config.Protocols.SetUnencryptedHTTP2(true)
	web.Start()
	t.Cleanup(web.Close)
	return web
}

// over returns a client that speaks HTTP/2, which streams both ways take.
func over(t *testing.T, web *httptest.Server, opts ...connecthttp.Option) shopconnect.ShopClient {
	transport := &http.Transport{Protocols: new(http.Protocols)}
	transport.Protocols.SetUnencryptedHTTP2(true)
	t.Cleanup(transport.CloseIdleConnections)
	return shopconnect.NewShopClient(connect.NewClient(
		connecthttp.NewTransport(&http.Client{Transport: transport}, web.URL, opts...)))
}

// TestShop calls all four kinds of methods in every protocol and codec.
func TestShop(t *testing.T) {
	web := start(t, gremlinconnect.WithCodecs())
	for protocol, option := range map[string][]connecthttp.Option{
		"connect":     nil,
		"connect-get": {connecthttp.WithHTTPGet()},
		"gzip":        {connecthttp.WithSendGzip()},
		"grpc":        {connecthttp.WithGRPC()},
		"grpcweb":     {connecthttp.WithGRPCWeb()},
	} {
		for _, codec := range []string{"proto", "json"} {
			t.Run(protocol+"/"+codec, func(t *testing.T) {
				opts := append([]connecthttp.Option{gremlinconnect.WithCodecs(),
					connecthttp.WithSendCodec(codec)}, option...)
				callAll(t, over(t, web, opts...))
			})
		}
	}
}

func callAll(t *testing.T, c shopconnect.ShopClient) {
	ctx := t.Context()
	d, err := c.Get(ctx, &shop.GetRequest{Id: "7", Tags: map[string]int64{"a": 1 << 40, "é": 2}})
	if err != nil || d.GetId() != "7" || d.GetAmount() != 1<<40+2 || d.GetUser().GetId() != "u7" {
		t.Errorf("Get: %v, %v", d, err)
	}

	_, err = c.Get(ctx, &shop.GetRequest{Id: "gone"})
	var problem shop.ProblemReader
	if found, wrong := gremlinconnect.Detail(err,
		&problem); connect.CodeOf(err) != connect.CodeNotFound || !found || wrong != nil ||
		problem.GetId() != "gone" {
		t.Errorf("Get of what is not there: %v; detail %t, %v", err, found, wrong)
	}

	list, err := c.List(ctx, &shop.GetRequest{Id: "l"})
	if err != nil {
		t.Fatal(err)
	}
	for i := range int64(10) {
		if d, err := list.Receive(); err != nil || d.GetId() != fmt.Sprint("l", i) ||
			d.GetAmount() != i {
			t.Fatalf("List, %d: %v, %v", i, d, err)
		}
	}
	if d, err := list.Receive(); !errors.Is(err, io.EOF) {
		t.Errorf("List goes on: %v, %v", d, err)
	}
	if err := list.Close(); err != nil {
		t.Error(err)
	}

	put, err := c.Put(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for i := range int64(100) {
		if err := put.Send(&shop.Deposit{Id: "x", Amount: i}); err != nil {
			t.Fatal(err)
		}
	}
	if s, err := put.CloseAndReceive(); err != nil || s.GetCount() != 100 || s.GetSum() != 4950 {
		t.Errorf("Put: %v, %v", s, err)
	}

	watch, err := c.Watch(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 10 {
		if err := watch.Send(&shop.GetRequest{Id: fmt.Sprint(i)}); err != nil {
			t.Fatal(err)
		}
		if d, err := watch.Receive(); err != nil || d.GetId() != fmt.Sprint(i) {
			t.Fatalf("Watch, %d: %v, %v", i, d, err)
		}
	}
	if err := watch.CloseSend(); err != nil {
		t.Error(err)
	}
	if d, err := watch.Receive(); !errors.Is(err, io.EOF) {
		t.Errorf("Watch goes on: %v, %v", d, err)
	}
	if err := watch.Close(); err != nil {
		t.Error(err)
	}
}
