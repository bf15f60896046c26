package gremlingrpc

import (
	"context"
	"errors"
	"io"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// Proxy returns a handler for grpc.UnknownServiceHandler that passes calls of every kind on to
// another server without decoding a message. director chooses the connection by the method,
// "/shop.v1.Shop/Get", and the metadata in ctx, and returns the context of the outgoing call, to
// which it may add metadata with metadata.NewOutgoingContext; a status error from it is the answer.
// Deadlines and cancellation carry over with the context. Headers, trailers and status come back as
// the server sent them.
//
// The server of the proxy needs a codec of this package: the registered one or that of
// ServerOption.
func Proxy(director func(ctx context.Context, method string) (context.Context,
	grpc.ClientConnInterface, error)) grpc.StreamHandler {
	return func(_ any, in grpc.ServerStream) error {
		method, ok := grpc.MethodFromServerStream(in)
		if !ok {
			return status.Error(codes.Internal,
				"gremlingrpc: a stream without a method cannot be passed on")
		}
		ctx, cc, err := director(in.Context(), method)
		if err != nil {
			return err
		}
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		out, err := cc.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true, ClientStreams: true},
			method,
			grpc.ForceCodecV2(asReceived{subtype(in.Context())}))
		if err != nil {
			return err
		}
		go passRequests(out, in, cancel)
		return passAnswers(in, out)
	}
}

// passRequests ends with the last request, or when one of the streams does.
func passRequests(out grpc.ClientStream, in grpc.ServerStream, cancel context.CancelFunc) {
	for {
		var m Raw
		if err := in.RecvMsg(&m); err != nil {
			if errors.Is(err, io.EOF) {
				_ = out.CloseSend() // its errors come from RecvMsg, too
			} else {
				cancel()
			}
			return
		}
		err := out.SendMsg(&m)
		m.Release()
		if err != nil {
			return // RecvMsg tells why
		}
	}
}

// passAnswers returns the status that the server ended with.
func passAnswers(in grpc.ServerStream, out grpc.ClientStream) error {
	header, err := out.Header()
	if err == nil && header != nil {
		err = in.SetHeader(header)
	}
	for err == nil {
		var m Raw
		if err = out.RecvMsg(&m); err != nil {
			break
		}
		err = in.SendMsg(&m)
		m.Release()
	}
	in.SetTrailer(out.Trailer())
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// asReceived is a codec of Raws under the name that the requests came with.
type asReceived struct{ name string }

func (c asReceived) Name() string                           { return c.name }
func (c asReceived) Marshal(v any) (mem.BufferSlice, error) { return MarshalRaw("", v.(*Raw)) }

func (c asReceived) Unmarshal(data mem.BufferSlice, v any) error {
	UnmarshalRaw(c.name, data, v.(*Raw))
	return nil
}

// subtype returns what stands behind "application/grpc+" in a request.
func subtype(ctx context.Context) string {
	md, _ := metadata.FromIncomingContext(ctx)
	for _, v := range md.Get("content-type") {
		const prefix = "application/grpc+"
		if len(v) > len(prefix) && v[:len(prefix)] == prefix {
			return v[len(prefix):]
		}
	}
	return Name
}
