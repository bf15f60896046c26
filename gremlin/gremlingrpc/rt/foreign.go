package rt

import (
	"fmt"
	"io"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/status"

	"github.com/octopus-framework/octopus/gremlin/gremlingrpc"
)

// taken returns what is registered for "proto" when another library has taken the name from this
// one.
func taken() any {
	v2 := encoding.GetCodecV2(gremlingrpc.Name)
	if gremlingrpc.IsCodec(v2) {
		return nil
	}
	if v2 != nil {
		return v2
	}
	return encoding.GetCodec(gremlingrpc.Name)
}

// explain adds to an error of encoding or decoding what to do, where it comes from how the program
// was put together.
func explain(err error) error {
	if err == nil || err == io.EOF {
		return err
	}
	s, ok := status.FromError(err)
	if !ok {
		return err
	}
	other, hint := taken(), ""
	switch {
	case strings.Contains(s.Message(), "ompressor is not installed"):
		hint =
			"import the package that registers the compressor, for gzip google.golang.org/grpc/encoding/gzip, in this program and in the peer's"
	case other != nil && s.Code() == codes.Internal:
		hint = fmt.Sprintf(
			"the codec registered for %q is %T, which does not know gremlin's messages: "+
				"call gremlingrpc.Register first in main, or use gremlingrpc.ServerOption and DialOption",
			gremlingrpc.Name, other)
	default:
		return err
	}
	p := s.Proto()
	p.Message += " (" + hint + ")"
	return status.ErrorProto(p)
}

// explainedClient and explainedServer are streams whose errors are explained. They are used only
// while another codec has the name.
type explainedClient struct{ grpc.ClientStream }

func (s explainedClient) SendMsg(m any) error { return explain(s.ClientStream.SendMsg(m)) }
func (s explainedClient) RecvMsg(m any) error { return explain(s.ClientStream.RecvMsg(m)) }

type explainedServer struct{ grpc.ServerStream }

func (s explainedServer) SendMsg(m any) error { return explain(s.ServerStream.SendMsg(m)) }
func (s explainedServer) RecvMsg(m any) error { return explain(s.ServerStream.RecvMsg(m)) }
