package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"connectrpc.com/connect/v2"

	"github.com/octopus-framework/octopus/conformance/connect/suite"
	"github.com/octopus-framework/octopus/conformance/connect/suite/suiteconnect"
	"github.com/octopus-framework/octopus/conformance/connect/wire"
	"github.com/octopus-framework/octopus/gremlin"
)

// doing is a call that is being made.
type doing struct {
	req     *suite.ClientCompatRequest
	client  suiteconnect.ConformanceServiceClient
	ctx     context.Context
	cancel  context.CancelFunc
	result  *suite.ClientResponseResult
	answers int
}

// call makes the call that req describes. An error is none of the call's.
func call(ctx context.Context,
	req *suite.ClientCompatRequest) (*suite.ClientResponseResult, error) {
	client, closeAll, err := dial(req)
	if err != nil {
		return nil, err
	}
	defer closeAll()
	if req.TimeoutMs != nil {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Duration(*req.TimeoutMs)*time.Millisecond)
		defer cancel()
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ctx, info := connect.NewClientContext(ctx)
	wire.AddHeaders(info.RequestHeader(), req.RequestHeaders)
	d := &doing{req: req, client: client, ctx: ctx, cancel: cancel,
		result: new(suite.ClientResponseResult)}
	if err := d.method(); err != nil {
		return nil, err
	}
	d.result.ResponseHeaders = wire.Headers(info.ResponseHeader())
	d.result.ResponseTrailers = wire.Headers(info.ResponseTrailer())
	return d.result, nil
}

func (d *doing) method() error {
	switch name := *d.req.Method; name {
	case "Unary":
		return unary(d, d.client.Unary)
	case "IdempotentUnary":
		return unary(d, d.client.IdempotentUnary)
	case "Unimplemented":
		return unary(d, d.client.Unimplemented)
	case "ServerStream":
		return d.serverStream()
	case "ClientStream":
		return d.clientStream()
	case "BidiStream":
		return d.bidiStream()
	default:
		return fmt.Errorf("there is no method %q", name)
	}
}

// request decodes a request of the call.
func (d *doing) request(i int, m gremlin.Message) error {
	return m.Unmarshal(d.req.RequestMessages[i].Value)
}

// got records an answer with its payload, and that it is time to cancel.
func (d *doing) got(answer any) {
	if a, ok := answer.(interface {
		GetPayload() *suite.ConformancePayloadReader
	}); ok {
		d.result.Payloads = append(d.result.Payloads, *a.GetPayload().ToMessage())
	}
	d.answers++
	if c := d.timing(); c.afterAnswers == d.answers {
		d.cancel()
	}
}

// timing is when the call is to be cancelled; -1 and false stand for never.
type timing struct {
	beforeClose  bool
	afterClose   int // milliseconds
	afterAnswers int
}

func (d *doing) timing() timing {
	t := timing{afterClose: -1, afterAnswers: -1}
	if d.req.Cancel == nil {
		return t
	}
	switch when := d.req.Cancel.CancelTiming.(type) {
	case *suite.ClientCompatRequest_Cancel_BeforeCloseSend:
		t.beforeClose = true
	case *suite.ClientCompatRequest_Cancel_AfterCloseSendMs:
		t.afterClose = int(when.AfterCloseSendMs)
	case *suite.ClientCompatRequest_Cancel_AfterNumResponses:
		t.afterAnswers = int(when.AfterNumResponses)
	default:
		t.afterClose = 0
	}
	return t
}

// cancelLater cancels the call if it is to be after the last request, from another goroutine.
func (d *doing) cancelLater() {
	if t := d.timing(); t.afterClose >= 0 {
		time.AfterFunc(time.Duration(t.afterClose)*time.Millisecond, d.cancel)
	}
}

func unary[Req, Res any, P interface {
	*Req
	gremlin.Message
}](d *doing, method func(context.Context, *Req) (*Res, error)) error {
	req := new(Req)
	if err := d.request(0, P(req)); err != nil {
		return err
	}
	d.cancelLater()
	res, err := method(d.ctx, req)
	if err == nil {
		d.got(res)
	}
	d.result.Error = wire.Error(err)
	return nil
}

func (d *doing) serverStream() error {
	var req suite.ServerStreamRequest
	if err := d.request(0, &req); err != nil {
		return err
	}
	s, err := d.client.ServerStream(d.ctx, &req)
	if err != nil {
		d.result.Error = wire.Error(err)
		return nil
	}
	d.cancelLater()
	d.result.Error = wire.Error(errors.Join(drain(d, s.Receive), s.Close()))
	return nil
}

// drain receives all that is left.
func drain[Res any](d *doing, receive func() (*Res, error)) error {
	for {
		res, err := receive()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		d.got(res)
	}
}

// unsent records that the server ended the call before request i.
func (d *doing) unsent(i int) { d.result.NumUnsentRequests = int32(len(d.req.RequestMessages) - i) }

func (d *doing) pause() { time.Sleep(time.Duration(d.req.RequestDelayMs) * time.Millisecond) }

func (d *doing) clientStream() error {
	s, err := d.client.ClientStream(d.ctx)
	if err != nil {
		return err
	}
	for i := range d.req.RequestMessages {
		var req suite.ClientStreamRequest
		if err := d.request(i, &req); err != nil {
			return err
		}
		d.pause()
		if err := s.Send(&req); errors.Is(err, io.EOF) {
			d.unsent(i)
			break
		}
	}
	if d.timing().beforeClose {
		d.cancel()
	}
	d.cancelLater()
	res, err := s.CloseAndReceive()
	if err == nil {
		d.got(res)
	}
	d.result.Error = wire.Error(err)
	return nil
}

func (d *doing) bidiStream() error {
	s, err := d.client.BidiStream(d.ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	full := d.req.StreamType == suite.StreamType_STREAM_TYPE_FULL_DUPLEX_BIDI_STREAM
	var failed error
	for i := range d.req.RequestMessages {
		var req suite.BidiStreamRequest
		if err := d.request(i, &req); err != nil {
			return err
		}
		d.pause()
		if err := s.Send(&req); errors.Is(err, io.EOF) {
			d.unsent(i)
			break
		}
		if !full {
			continue
		}
		res, err := s.Receive()
		if err != nil {
			failed = err
			break
		}
		d.got(res)
	}
	if d.timing().beforeClose {
		d.cancel()
	}
	if err := s.CloseSend(); err != nil && failed == nil {
		failed = err
	}
	if t := d.timing(); t.afterClose >= 0 {
		time.Sleep(time.Duration(t.afterClose) * time.Millisecond)
		d.cancel()
	}
	if failed == nil {
		failed = drain(d, s.Receive)
	} else if errors.Is(failed, io.EOF) {
		failed = nil
	}
	d.result.Error = wire.Error(failed)
	return nil
}
