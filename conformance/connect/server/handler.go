package main

import (
	"context"
	"errors"
	"io"
	"time"

	"connectrpc.com/connect/v2"
	"connectrpc.com/connect/v2/connecthttp"

	"github.com/octopus-framework/octopus/conformance/connect/suite"
	"github.com/octopus-framework/octopus/conformance/connect/suite/suiteconnect"
	"github.com/octopus-framework/octopus/conformance/connect/wire"
	"github.com/octopus-framework/octopus/gremlin/gremlinconnect"
	"github.com/octopus-framework/octopus/gremlin/wkt"
)

// handler answers as requests tell it to, and with what it saw of them.
type handler struct {
	suiteconnect.UnimplementedConformanceServiceHandler
}

func (handler) Unary(ctx context.Context,
	r *suite.UnaryRequestReader) (*suite.UnaryResponse, error) {
	p, err := unary(ctx, r.GetResponseDefinition(), []wkt.Any{wire.Any(r)})
	return &suite.UnaryResponse{Payload: p}, err
}

func (handler) IdempotentUnary(ctx context.Context,
	r *suite.IdempotentUnaryRequestReader) (*suite.IdempotentUnaryResponse, error) {
	p, err := unary(ctx, r.GetResponseDefinition(), []wkt.Any{wire.Any(r)})
	return &suite.IdempotentUnaryResponse{Payload: p}, err
}

func (handler) ClientStream(ctx context.Context,
	s suiteconnect.ConformanceServiceClientStreamServerStream) (*suite.ClientStreamResponse,
	error) {
	var def *suite.UnaryResponseDefinitionReader
	var seen []wkt.Any
	for {
		r, err := s.Receive()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if seen == nil {
			def = r.GetResponseDefinition()
		}
		seen = append(seen, wire.Any(r))
	}
	p, err := unary(ctx, def, seen)
	return &suite.ClientStreamResponse{Payload: p}, err
}

// unary makes an answer of a definition, which may be nil.
func unary(ctx context.Context, def *suite.UnaryResponseDefinitionReader,
	seen []wkt.Any) (*suite.ConformancePayload, error) {
	info, _ := connect.CallInfoForServerContext(ctx)
	p := &suite.ConformancePayload{RequestInfo: requestInfo(ctx, info, seen)}
	if def == nil {
		return p, nil
	}
	d := def.ToMessage()
	wire.AddHeaders(info.ResponseHeader(), d.ResponseHeaders)
	wire.AddHeaders(info.ResponseTrailer(), d.ResponseTrailers)
	time.Sleep(time.Duration(d.ResponseDelayMs) * time.Millisecond)
	if def.HasError() {
		return nil, failure(def.GetError(), p.RequestInfo)
	}
	p.Data = def.GetResponseData()
	return p, nil
}

func (handler) ServerStream(ctx context.Context, r *suite.ServerStreamRequestReader,
	s suiteconnect.ConformanceServiceServerStreamServerStream) error {
	a := begin(ctx, r.GetResponseDefinition())
	a.seen = []wkt.Any{wire.Any(r)}
	if len(a.data) > 0 {
		if err := s.SendHeaders(); err != nil {
			return err
		}
	}
	for a.sent < len(a.data) {
		if err := s.Send(&suite.ServerStreamResponse{Payload: a.next(a.sent == 0)}); err != nil {
			return err
		}
	}
	return a.end()
}

func (handler) BidiStream(ctx context.Context,
	s suiteconnect.ConformanceServiceBidiStreamServerStream) error {
	var a *answers
	full := false
	for {
		r, err := s.Receive()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if a == nil {
			a = begin(ctx, r.GetResponseDefinition())
			if full = r.GetFullDuplex(); full && len(a.data) > 0 {
				if err := s.SendHeaders(); err != nil {
					return err
				}
			}
		}
		a.seen = append(a.seen, wire.Any(r))
		if !full {
			continue
		}
		if a.sent == len(a.data) {
			break
		}
		if err := s.Send(&suite.BidiStreamResponse{Payload: a.next(true)}); err != nil {
			return err
		}
		a.seen = nil
	}
	if a == nil {
		return nil
	}
	if !full && len(a.data) > 0 {
		if err := s.SendHeaders(); err != nil {
			return err
		}
	}
	for a.sent < len(a.data) {
		if err := s.Send(&suite.BidiStreamResponse{Payload: a.next(a.sent == 0)}); err != nil {
			return err
		}
	}
	return a.end()
}

// answers are those of a stream.
type answers struct {
	ctx  context.Context
	info *connect.CallInfo
	def  *suite.StreamResponseDefinitionReader
	data [][]byte
	seen []wkt.Any // requests that no answer has told of
	sent int
}

// begin sets the headers that def has, which may be nil.
func begin(ctx context.Context, def *suite.StreamResponseDefinitionReader) *answers {
	a := &answers{ctx: ctx, def: def}
	a.info, _ = connect.CallInfoForServerContext(ctx)
	if def != nil {
		d := def.ToMessage()
		a.data = d.ResponseData
		wire.AddHeaders(a.info.ResponseHeader(), d.ResponseHeaders)
		wire.AddHeaders(a.info.ResponseTrailer(), d.ResponseTrailers)
	}
	return a
}

// next returns the next answer, after the delay. The first tells all about the request.
func (a *answers) next(tell bool) *suite.ConformancePayload {
	p := &suite.ConformancePayload{Data: a.data[a.sent]}
	switch {
	case a.sent == 0:
		p.RequestInfo = requestInfo(a.ctx, a.info, a.seen)
	case tell:
		p.RequestInfo = &suite.ConformancePayload_RequestInfo{Requests: a.seen}
	}
	a.sent++
	time.Sleep(time.Duration(a.def.GetResponseDelayMs()) * time.Millisecond)
	return p
}

// end returns the error that the stream is to end with.
func (a *answers) end() error {
	if a.def == nil || !a.def.HasError() {
		return nil
	}
	if a.sent > 0 {
		return failure(a.def.GetError(), nil)
	}
	return failure(a.def.GetError(), requestInfo(a.ctx, a.info, a.seen))
}

// failure returns an error with its details, and info as one more.
func failure(def *suite.ErrorReader, info *suite.ConformancePayload_RequestInfo) error {
	err := connect.NewError(connect.Code(def.GetCode()), def.GetMessage())
	for d := range def.Details() {
		err = err.WithDetail(&connect.ErrorDetail{Type: d.GetTypeUrl()[len(wire.TypeURL):],
			Value: d.GetValue()})
	}
	if info != nil {
		err = err.WithDetail(gremlinconnect.NewErrorDetail(info))
	}
	return err
}

// requestInfo is what was seen of a request.
func requestInfo(ctx context.Context, call *connect.CallInfo,
	seen []wkt.Any) *suite.ConformancePayload_RequestInfo {
	info := &suite.ConformancePayload_RequestInfo{RequestHeaders: wire.Headers(
		call.RequestHeader()), Requests: seen}
	if deadline, ok := ctx.Deadline(); ok {
		ms := time.Until(deadline).Milliseconds()
		info.TimeoutMs = &ms
	}
	if web, ok := connecthttp.ServerInfoForContext(ctx); ok && len(web.HTTPGetQueryParams()) > 0 {
		info.ConnectGetInfo = new(suite.ConformancePayload_ConnectGetInfo)
		for name, values := range web.HTTPGetQueryParams() {
			info.ConnectGetInfo.QueryParams = append(info.ConnectGetInfo.QueryParams,
				suite.Header{Name: name, Value: values})
		}
	}
	return info
}
