package grpc

import (
	"context"
	"errors"
	"io"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"

	"github.com/octopus-framework/octopus/conformance/grpc/peer"
	"github.com/octopus-framework/octopus/gremlin/gremlingrpc"
)

// peerService is the service for tests with other languages and with tools.
type peerService struct{ peer.UnimplementedPeerServer }

func (peerService) Echo(_ context.Context, r *peer.RequestReader) (*peer.Answer, error) {
	return echo(r)
}

func echo(r *peer.RequestReader) (*peer.Answer, error) {
	if c := codes.Code(r.GetCode()); c != codes.OK {
		return nil, gremlingrpc.Status(c, "as asked",
			&peer.Problem{Text: "detail of " + r.GetItem().GetName()})
	}
	a := &peer.Answer{}
	item := r.GetItem()
	for range r.GetCount() {
		a.Items = append(a.Items, *item.ToMessage())
	}
	return a, nil
}

func (peerService) Expand(r *peer.RequestReader,
	out grpc.ServerStreamingServer[peer.Answer]) error {
	item := r.GetItem()
	for range r.GetCount() {
		if err := out.Send(&peer.Answer{Items: []peer.Item{*item.ToMessage()}}); err != nil {
			return err
		}
	}
	return nil
}

func (peerService) Collect(in grpc.ClientStreamingServer[peer.RequestReader, peer.Answer]) error {
	a := &peer.Answer{}
	for {
		r, err := in.Recv()
		if errors.Is(err, io.EOF) {
			return in.SendAndClose(a)
		}
		if err != nil {
			return err
		}
		a.Items = append(a.Items, *r.GetItem().ToMessage())
	}
}

func (peerService) Chat(s grpc.BidiStreamingServer[peer.RequestReader, peer.Answer]) error {
	for {
		r, err := s.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		a, err := echo(r)
		if err != nil {
			return err
		}
		if err := s.Send(a); err != nil {
			return err
		}
	}
}
