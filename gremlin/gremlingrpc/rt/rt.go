// Package rt is for generated code alone, that for gRPC: it is what stubs have in common, and you
// do not call it. Its functions are a contract with the compiler (docs/compatibility.md). People
// use package gremlingrpc, whose codec comes with it.
package rt

import (
	"context"
	"fmt"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// RegisterService adds a service to a server. It panics when the server has one of that name.
func RegisterService(s grpc.ServiceRegistrar, desc *grpc.ServiceDesc, srv any) {
	if known, ok := s.(interface {
		GetServiceInfo() map[string]grpc.ServiceInfo
	}); ok {
		if _, twice := known.GetServiceInfo()[desc.ServiceName]; twice {
			panic(
				fmt.Sprintf(
					"gremlingrpc: service %s is registered on this server already: register it once; "+
						"code for it may also be there from protoc-gen-go-grpc", desc.ServiceName))
		}
	}
	s.RegisterService(desc, srv)
}

// Unary serves a call of a unary method: it decodes the request and calls the method, through the
// interceptor if there is one.
func Unary[S, Req, Res any](srv any, call func(S, context.Context, *Req) (*Res, error),
	method string, ctx context.Context,
	dec func(any) error, interceptor grpc.UnaryServerInterceptor,
) (any, error) {
	in := new(Req)
	if err := dec(in); err != nil {
		return nil, explain(err)
	}
	if interceptor == nil {
		return call(srv.(S), ctx, in)
	}
	return interceptor(ctx, in, &grpc.UnaryServerInfo{Server: srv, FullMethod: method},
		func(ctx context.Context, req any) (any, error) { return call(srv.(S), ctx, req.(*Req)) })
}

// ServeServerStream receives the request of a method that answers with a stream, and returns it
// with the stream.
func ServeServerStream[Req, Res any](s grpc.ServerStream) (*Req, *grpc.GenericServerStream[Req,
	Res], error) {
	stream := ServeStream[Req, Res](s)
	in, err := stream.Recv()
	return in, stream, err
}

// ServeStream returns the stream of a method whose requests come as a stream.
func ServeStream[Req, Res any](s grpc.ServerStream) *grpc.GenericServerStream[Req, Res] {
	if taken() != nil {
		s = explainedServer{s}
	}
	return &grpc.GenericServerStream[Req, Res]{ServerStream: s}
}

// Unimplemented is the error of a method that a server does not have.
func Unimplemented(method string) error {
	return status.Error(codes.Unimplemented,
		"method "+method[strings.LastIndexByte(method, '/')+1:]+" not implemented")
}

// Invoke calls a unary method.
func Invoke[Res any](ctx context.Context, cc grpc.ClientConnInterface, method string, in any,
	opts []grpc.CallOption) (*Res, error) {
	out := new(Res)
	if err := cc.Invoke(ctx, method, in, out, static(opts)...); err != nil {
		return nil, explain(err)
	}
	return out, nil
}

// OpenServerStream calls a method that answers with a stream.
func OpenServerStream[Req, Res any](ctx context.Context, cc grpc.ClientConnInterface,
	desc *grpc.StreamDesc, method string,
	in *Req, opts []grpc.CallOption,
) (*grpc.GenericClientStream[Req, Res], error) {
	s, err := OpenStream[Req, Res](ctx, cc, desc, method, opts)
	if err != nil {
		return nil, err
	}
	if err := s.SendMsg(in); err != nil {
		return nil, err
	}
	if err := s.CloseSend(); err != nil {
		return nil, err
	}
	return s, nil
}

// OpenStream calls a method whose requests go as a stream.
func OpenStream[Req, Res any](ctx context.Context, cc grpc.ClientConnInterface,
	desc *grpc.StreamDesc, method string,
	opts []grpc.CallOption,
) (*grpc.GenericClientStream[Req, Res], error) {
	s, err := cc.NewStream(ctx, desc, method, static(opts)...)
	if err != nil {
		return nil, explain(err)
	}
	if taken() != nil {
		s = explainedClient{s}
	}
	return &grpc.GenericClientStream[Req, Res]{ClientStream: s}, nil
}

// static adds that the name of the method is known at compile time, so that OpenTelemetry may use
// it as an attribute.
func static(opts []grpc.CallOption) []grpc.CallOption {
	return append([]grpc.CallOption{grpc.StaticMethod()}, opts...)
}
