package main

import (
	"context"
	"errors"
	"io"
	"iter"

	"google.golang.org/grpc"

	shopv1 "github.com/octopus-framework/octopus/examples/shop/shop/v1"
	"github.com/octopus-framework/octopus/examples/shop/shop/v1/shopv1connect"
)

// received yields what receive returns, until io.EOF.
func received[M any](receive func() (*M, error)) iter.Seq2[*M, error] {
	return func(yield func(*M, error) bool) {
		for {
			m, err := receive()
			if errors.Is(err, io.EOF) || !yield(m, err) || err != nil {
				return
			}
		}
	}
}

// overGRPC is the store as grpc-go serves it.
type overGRPC struct {
	shopv1.UnimplementedShopServer
	store
}

func (s overGRPC) Place(ctx context.Context, o *shopv1.OrderReader) (*shopv1.Placed, error) {
	return s.place(ctx, o)
}

func (s overGRPC) List(r *shopv1.ListRequestReader,
	stream grpc.ServerStreamingServer[shopv1.Entry]) error {
	return s.list(stream.Context(), r.GetFrom(), stream.Send)
}

func (s overGRPC) Import(stream grpc.ClientStreamingServer[shopv1.OrderReader,
	shopv1.Imported]) error {
	done, err := s.importAll(stream.Context(), stream.Recv)
	if err != nil {
		return err
	}
	return stream.SendAndClose(done)
}

func (s overGRPC) Watch(stream grpc.BidiStreamingServer[shopv1.WatchRequestReader,
	shopv1.Entry]) error {
	return s.watch(stream.Context(), stream.Recv, stream.Send)
}

// overConnect is the store as connect serves it.
type overConnect struct{ store }

func (s overConnect) Place(ctx context.Context, o *shopv1.OrderReader) (*shopv1.Placed, error) {
	return s.place(ctx, o)
}

func (s overConnect) List(ctx context.Context, r *shopv1.ListRequestReader,
	stream shopv1connect.ShopListServerStream) error {
	return s.list(ctx, r.GetFrom(), stream.Send)
}

func (s overConnect) Import(ctx context.Context,
	stream shopv1connect.ShopImportServerStream) (*shopv1.Imported, error) {
	return s.importAll(ctx, stream.Receive)
}

func (s overConnect) Watch(ctx context.Context, stream shopv1connect.ShopWatchServerStream) error {
	return s.watch(ctx, stream.Receive, stream.Send)
}
