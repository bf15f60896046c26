package grpc

import (
	"context"
	"errors"
	"io"
	"os"
	"strconv"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/octopus-framework/octopus/conformance/grpc/interop"
)

const (
	initialKey  = "x-grpc-test-echo-initial"
	trailingKey = "x-grpc-test-echo-trailing-bin"
)

// testService is the service of the interoperability tests.
type testService struct {
	interop.UnimplementedTestServiceServer
}

func (testService) EmptyCall(context.Context, *interop.EmptyReader) (*interop.Empty, error) {
	return &interop.Empty{}, nil
}

func (testService) UnaryCall(ctx context.Context,
	r *interop.SimpleRequestReader) (*interop.SimpleResponse, error) {
	header, trailer := echoed(ctx)
	if err := grpc.SetHeader(ctx, header); err != nil {
		return nil, err
	}
	if err := grpc.SetTrailer(ctx, trailer); err != nil {
		return nil, err
	}
	if err := wanted(r.GetResponseStatus()); err != nil {
		return nil, err
	}
	p, err := payload(r.GetResponseType(), r.GetResponseSize())
	if err != nil {
		return nil, err
	}
	out := &interop.SimpleResponse{Payload: p}
	if r.GetFillServerId() {
		out.ServerId = strconv.Itoa(os.Getpid())
	}
	return out, nil
}

func (testService) StreamingOutputCall(r *interop.StreamingOutputCallRequestReader,
	out grpc.ServerStreamingServer[interop.StreamingOutputCallResponse],
) error {
	return answer(r, out.Send)
}

func (testService) StreamingInputCall(
	in grpc.ClientStreamingServer[interop.StreamingInputCallRequestReader,
		interop.StreamingInputCallResponse],
) error {
	size := 0
	for {
		r, err := in.Recv()
		if errors.Is(err, io.EOF) {
			return in.SendAndClose(
				&interop.StreamingInputCallResponse{AggregatedPayloadSize: int32(size)})
		}
		if err != nil {
			return err
		}
		size += len(r.GetPayload().GetBody())
	}
}

func (testService) FullDuplexCall(
	s grpc.BidiStreamingServer[interop.StreamingOutputCallRequestReader,
		interop.StreamingOutputCallResponse],
) error {
	header, trailer := echoed(s.Context())
	if err := s.SetHeader(header); err != nil {
		return err
	}
	s.SetTrailer(trailer)
	for {
		r, err := s.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := wanted(r.GetResponseStatus()); err != nil {
			return err
		}
		if err := answer(r, s.Send); err != nil {
			return err
		}
	}
}

// answer sends what a request asks for.
func answer(r *interop.StreamingOutputCallRequestReader,
	send func(*interop.StreamingOutputCallResponse) error) error {
	for p := range r.ResponseParameters() {
		time.Sleep(time.Duration(p.GetIntervalUs()) * time.Microsecond)
		body, err := payload(r.GetResponseType(), p.GetSize_())
		if err != nil {
			return err
		}
		if err := send(&interop.StreamingOutputCallResponse{Payload: body}); err != nil {
			return err
		}
	}
	return nil
}

func payload(t interop.PayloadType, size int32) (*interop.Payload, error) {
	if size < 0 || t != interop.PayloadType_COMPRESSABLE {
		return nil, status.Errorf(codes.InvalidArgument, "no payload of type %v and size %d", t,
			size)
	}
	return &interop.Payload{Type: t, Body: make([]byte, size)}, nil
}

// wanted returns the status that a request asks for as an error.
func wanted(s *interop.EchoStatusReader) error {
	return status.Error(codes.Code(s.GetCode()), s.GetMessage())
}

// echoed returns the metadata that a request wants back.
func echoed(ctx context.Context) (header, trailer metadata.MD) {
	in, _ := metadata.FromIncomingContext(ctx)
	header, trailer = metadata.MD{}, metadata.MD{}
	header.Append(initialKey, in.Get(initialKey)...)
	trailer.Append(trailingKey, in.Get(trailingKey)...)
	return header, trailer
}
