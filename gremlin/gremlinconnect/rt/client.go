// Package rt is for generated code alone, that for Connect: it is what stubs have in common, and
// you do not call it. Its functions are a contract with the compiler (docs/compatibility.md).
// People use package gremlinconnect, where the types of streams have their names, too.
package rt

import (
	"context"

	"connectrpc.com/connect/v2"
)

// A ServerStreamingClient is what a client has of a call that is answered with a stream. One
// goroutine at a time receives.
type ServerStreamingClient[Res any] struct{ stream connect.ClientStream }

// Receive returns the next answer, or an error that is io.EOF for errors.Is after the last.
func (s ServerStreamingClient[Res]) Receive() (*Res, error) { return receive[Res](s.stream) }

// Close gives up a stream that has not been read to its end. It may be called at any time, and more
// than once.
func (s ServerStreamingClient[Res]) Close() error { return s.stream.Close() }

// A ClientStreamingClient is what a client has of a call whose requests go as a stream. One
// goroutine at a time uses it.
type ClientStreamingClient[Req, Res any] struct{ stream connect.ClientStream }

// SendHeaders opens the stream without a message. The first Send does it, too.
func (s ClientStreamingClient[Req, Res]) SendHeaders() error { return s.stream.SendHeaders() }

// Send sends a request, which may be changed afterwards.
func (s ClientStreamingClient[Req, Res]) Send(req *Req) error { return explain(s.stream.Send(req)) }

// CloseAndReceive ends the requests and returns the answer.
func (s ClientStreamingClient[Req, Res]) CloseAndReceive() (*Res, error) {
	if err := s.stream.CloseSend(); err != nil {
		return nil, err
	}
	return receive[Res](s.stream)
}

// A BidiStreamingClient is what a client has of a call with streams both ways. One goroutine at a
// time sends, and one receives.
type BidiStreamingClient[Req, Res any] struct{ stream connect.ClientStream }

// SendHeaders opens the stream without a message. The first Send or Receive does it, too.
func (s BidiStreamingClient[Req, Res]) SendHeaders() error { return s.stream.SendHeaders() }

// Send sends a request, which may be changed afterwards.
func (s BidiStreamingClient[Req, Res]) Send(req *Req) error { return explain(s.stream.Send(req)) }

// CloseSend ends the requests.
func (s BidiStreamingClient[Req, Res]) CloseSend() error { return s.stream.CloseSend() }

// Receive returns the next answer, or an error that is io.EOF for errors.Is after the last.
func (s BidiStreamingClient[Req, Res]) Receive() (*Res, error) { return receive[Res](s.stream) }

// Close gives up a stream that has not been read to its end. It may be called at any time, and more
// than once.
func (s BidiStreamingClient[Req, Res]) Close() error { return s.stream.Close() }

func receive[M any](s interface{ Receive(any) error }) (*M, error) {
	m := new(M)
	if err := s.Receive(m); err != nil {
		return nil, explain(err)
	}
	return m, nil
}

// CallUnary calls a unary method.
func CallUnary[Res any](ctx context.Context, c *connect.Client, spec connect.Spec,
	req any) (*Res, error) {
	res := new(Res)
	if err := c.CallUnary(ctx, spec, req, res); err != nil {
		return nil, explain(err)
	}
	return res, nil
}

// CallServerStream calls a method that answers with a stream.
func CallServerStream[Res any](ctx context.Context, c *connect.Client, spec connect.Spec,
	req any) (ServerStreamingClient[Res], error) {
	stream, err := c.CallServerStream(ctx, spec, req)
	return ServerStreamingClient[Res]{stream}, explain(err)
}

// CallClientStream calls a method whose requests go as a stream.
func CallClientStream[Req, Res any](ctx context.Context, c *connect.Client,
	spec connect.Spec) (ClientStreamingClient[Req, Res], error) {
	stream, err := c.CallClientStream(ctx, spec)
	return ClientStreamingClient[Req, Res]{stream}, explain(err)
}

// CallBidiStream calls a method with streams both ways.
func CallBidiStream[Req, Res any](ctx context.Context, c *connect.Client,
	spec connect.Spec) (BidiStreamingClient[Req, Res], error) {
	stream, err := c.CallClientStream(ctx, spec)
	return BidiStreamingClient[Req, Res]{stream}, explain(err)
}
