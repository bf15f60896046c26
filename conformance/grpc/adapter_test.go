package grpc

import (
	"context"

	"google.golang.org/grpc"
	testpb "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/protobuf/proto"

	"github.com/octopus-framework/octopus/conformance/grpc/interop"
	"github.com/octopus-framework/octopus/gremlin"
)

// adapter is the client of grpc-go's interoperability tests over generated code of gremlin.
type adapter struct{ c interop.TestServiceClient }

// message and stock are pointers to messages of gremlin and of protobuf-go.
type (
	message[T any] interface {
		*T
		gremlin.Message
	}
	reader[T any] interface {
		*T
		gremlin.Reader
	}
	stock[T any] interface {
		*T
		proto.Message
	}
)

// ours converts a message of protobuf-go by its encoding.
func ours[T any, P message[T]](m proto.Message) *T {
	b, err := proto.Marshal(m)
	if err != nil {
		panic(err)
	}
	t := new(T)
	if err := P(t).Unmarshal(b); err != nil {
		panic(err)
	}
	return t
}

// theirs converts what a Reader reads.
func theirs[T any, P stock[T]](r gremlin.Reader, err error) (*T, error) {
	if err != nil {
		return nil, err
	}
	t := new(T)
	return t, proto.Unmarshal(r.Raw(), P(t))
}

// stream is a stream of protobuf-go's messages over one of gremlin's.
type stream[SReq, SRes, Req, Res any, PReq stock[SReq], PRes stock[SRes], M message[Req],
	R reader[Res]] struct {
	grpc.ClientStream
	send func(*Req) error
	recv func() (*Res, error)
}

func (s stream[SReq, SRes, Req, Res, PReq, PRes, M, R]) Send(m *SReq) error {
	return s.send(ours[Req, M](PReq(m)))
}

func (s stream[SReq, SRes, Req, Res, PReq, PRes, M, R]) Recv() (*SRes, error) {
	r, err := s.recv()
	return theirs[SRes, PRes](R(r), err)
}

func (s stream[SReq, SRes, Req, Res, PReq, PRes, M, R]) CloseAndRecv() (*SRes, error) {
	return s.Recv()
}

func (a adapter) EmptyCall(ctx context.Context, in *testpb.Empty,
	o ...grpc.CallOption) (*testpb.Empty, error) {
	r, err := a.c.EmptyCall(ctx, ours[interop.Empty](in), o...)
	return theirs[testpb.Empty](r, err)
}

func (a adapter) UnaryCall(ctx context.Context, in *testpb.SimpleRequest,
	o ...grpc.CallOption) (*testpb.SimpleResponse, error) {
	r, err := a.c.UnaryCall(ctx, ours[interop.SimpleRequest](in), o...)
	return theirs[testpb.SimpleResponse](r, err)
}

func (a adapter) CacheableUnaryCall(ctx context.Context, in *testpb.SimpleRequest,
	o ...grpc.CallOption) (*testpb.SimpleResponse, error) {
	r, err := a.c.CacheableUnaryCall(ctx, ours[interop.SimpleRequest](in), o...)
	return theirs[testpb.SimpleResponse](r, err)
}

func (a adapter) UnimplementedCall(ctx context.Context, in *testpb.Empty,
	o ...grpc.CallOption) (*testpb.Empty, error) {
	r, err := a.c.UnimplementedCall(ctx, ours[interop.Empty](in), o...)
	return theirs[testpb.Empty](r, err)
}

// unimplemented is the client of the service that no server has.
type unimplemented struct {
	c interop.UnimplementedServiceClient
}

func (a unimplemented) UnimplementedCall(ctx context.Context, in *testpb.Empty,
	o ...grpc.CallOption) (*testpb.Empty, error) {
	r, err := a.c.UnimplementedCall(ctx, ours[interop.Empty](in), o...)
	return theirs[testpb.Empty](r, err)
}

type (
	output = stream[testpb.StreamingOutputCallRequest, testpb.StreamingOutputCallResponse,
		interop.StreamingOutputCallRequest,
		interop.StreamingOutputCallResponseReader, *testpb.StreamingOutputCallRequest,
		*testpb.StreamingOutputCallResponse,
		*interop.StreamingOutputCallRequest, *interop.StreamingOutputCallResponseReader]
	input = stream[testpb.StreamingInputCallRequest, testpb.StreamingInputCallResponse,
		interop.StreamingInputCallRequest,
		interop.StreamingInputCallResponseReader, *testpb.StreamingInputCallRequest,
		*testpb.StreamingInputCallResponse,
		*interop.StreamingInputCallRequest, *interop.StreamingInputCallResponseReader]
)

func (a adapter) StreamingOutputCall(ctx context.Context, in *testpb.StreamingOutputCallRequest,
	o ...grpc.CallOption,
) (grpc.ServerStreamingClient[testpb.StreamingOutputCallResponse], error) {
	s, err := a.c.StreamingOutputCall(ctx, ours[interop.StreamingOutputCallRequest](in), o...)
	if err != nil {
		return nil, err
	}
	return output{ClientStream: s, recv: s.Recv}, nil
}

func (a adapter) StreamingInputCall(ctx context.Context, o ...grpc.CallOption,
) (grpc.ClientStreamingClient[testpb.StreamingInputCallRequest, testpb.StreamingInputCallResponse],
	error) {
	s, err := a.c.StreamingInputCall(ctx, o...)
	if err != nil {
		return nil, err
	}
	return input{ClientStream: s, send: s.Send, recv: s.CloseAndRecv}, nil
}

func (a adapter) FullDuplexCall(ctx context.Context, o ...grpc.CallOption,
) (grpc.BidiStreamingClient[testpb.StreamingOutputCallRequest, testpb.StreamingOutputCallResponse],
	error) {
	s, err := a.c.FullDuplexCall(ctx, o...)
	if err != nil {
		return nil, err
	}
	return output{ClientStream: s, send: s.Send, recv: s.Recv}, nil
}

func (a adapter) HalfDuplexCall(ctx context.Context, o ...grpc.CallOption,
) (grpc.BidiStreamingClient[testpb.StreamingOutputCallRequest, testpb.StreamingOutputCallResponse],
	error) {
	s, err := a.c.HalfDuplexCall(ctx, o...)
	if err != nil {
		return nil, err
	}
	return output{ClientStream: s, send: s.Send, recv: s.Recv}, nil
}
