package gremlingrpc

import (
	"fmt"
	"io"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/status"
)

// taken returns what is registered for "proto" when another library has taken the name from this one.
func taken() any {
	v2 := encoding.GetCodecV2(Name)
	if _, ours := v2.(*codec); ours {
		return nil
	}
	if v2 != nil {
		return v2
	}
	return encoding.GetCodec(Name)
}

// explain adds to an error of encoding or decoding that another codec may be at work, if one is registered.
func explain(err error) error {
	if err == nil || err == io.EOF || status.Code(err) != codes.Internal {
		return err
	}
	other := taken()
	if other == nil {
		return err
	}
	p := status.Convert(err).Proto()
	p.Message += fmt.Sprintf(` (the codec registered for %q is %T, which does not know gremlin's messages: `+
		`call gremlingrpc.Register first in main, or use gremlingrpc.ServerOption and DialOption)`, Name, other)
	return status.ErrorProto(p)
}

// explainedClient and explainedServer are streams whose errors are explained. They are used only while another codec has the
// name.
type explainedClient struct{ grpc.ClientStream }

func (s explainedClient) SendMsg(m any) error { return explain(s.ClientStream.SendMsg(m)) }
func (s explainedClient) RecvMsg(m any) error { return explain(s.ClientStream.RecvMsg(m)) }

type explainedServer struct{ grpc.ServerStream }

func (s explainedServer) SendMsg(m any) error { return explain(s.ServerStream.SendMsg(m)) }
func (s explainedServer) RecvMsg(m any) error { return explain(s.ServerStream.RecvMsg(m)) }
