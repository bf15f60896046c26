package rt

import (
	"context"
	"strings"

	"connectrpc.com/connect/v2"
)

// A ServerStreamingServer is what a handler answers to with a stream. One goroutine at a time
// sends.
type ServerStreamingServer[Res any] struct{ stream connect.ServerStream }

// SendHeaders sends the headers without a message. The first Send does it, too.
func (s ServerStreamingServer[Res]) SendHeaders() error { return s.stream.SendHeaders() }

// Send sends an answer, which may be changed afterwards.
func (s ServerStreamingServer[Res]) Send(res *Res) error { return explain(s.stream.Send(res)) }

// A ClientStreamingServer is where a handler receives a stream of requests. One goroutine at a time
// does.
type ClientStreamingServer[Req any] struct{ stream connect.ServerStream }

// Receive returns the next request, or an error that is io.EOF for errors.Is after the last.
func (s ClientStreamingServer[Req]) Receive() (*Req, error) { return receive[Req](s.stream) }

// A BidiStreamingServer is what a handler has of streams both ways. One goroutine at a time sends,
// and one receives.
type BidiStreamingServer[Req, Res any] struct{ stream connect.ServerStream }

// Receive returns the next request, or an error that is io.EOF for errors.Is after the last.
func (s BidiStreamingServer[Req, Res]) Receive() (*Req, error) { return receive[Req](s.stream) }

// SendHeaders sends the headers without a message. The first Send does it, too.
func (s BidiStreamingServer[Req, Res]) SendHeaders() error { return s.stream.SendHeaders() }

// Send sends an answer, which may be changed afterwards.
func (s BidiStreamingServer[Req, Res]) Send(res *Res) error { return explain(s.stream.Send(res)) }

// Unary serves a unary method.
func Unary[Req, Res any](call func(context.Context, *Req) (*Res, error)) connect.ServerFunc {
	return func(ctx context.Context, _ connect.Spec, stream connect.ServerStream) error {
		req, err := receive[Req](stream)
		if err != nil {
			return err
		}
		res, err := call(ctx, req)
		if err != nil {
			return err
		}
		return explain(stream.Send(res))
	}
}

// ServerStream serves a method that answers with a stream.
func ServerStream[Req, Res any](call func(context.Context, *Req,
	ServerStreamingServer[Res]) error) connect.ServerFunc {
	return func(ctx context.Context, _ connect.Spec, stream connect.ServerStream) error {
		req, err := receive[Req](stream)
		if err != nil {
			return err
		}
		return call(ctx, req, ServerStreamingServer[Res]{stream})
	}
}

// ClientStream serves a method whose requests come as a stream.
func ClientStream[Req, Res any](call func(context.Context, ClientStreamingServer[Req]) (*Res,
	error)) connect.ServerFunc {
	return func(ctx context.Context, _ connect.Spec, stream connect.ServerStream) error {
		res, err := call(ctx, ClientStreamingServer[Req]{stream})
		if err != nil {
			return err
		}
		return explain(stream.Send(res))
	}
}

// BidiStream serves a method with streams both ways.
func BidiStream[Req, Res any](call func(context.Context,
	BidiStreamingServer[Req, Res]) error) connect.ServerFunc {
	return func(ctx context.Context, _ connect.Spec, stream connect.ServerStream) error {
		return call(ctx, BidiStreamingServer[Req, Res]{stream})
	}
}

// Unimplemented is the error of a method that a handler does not have.
func Unimplemented(procedure string) error {
	return connect.NewError(connect.CodeUnimplemented,
		strings.ReplaceAll(strings.TrimPrefix(procedure, "/"), "/", ".")+" is not implemented")
}
