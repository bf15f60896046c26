package gremlingrpc_test

import (
	"fmt"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/mem"

	"github.com/octopus-framework/octopus/gremlin/gremlingrpc"
	"github.com/octopus-framework/octopus/gremlin/gremlingrpc/internal/shop"
)

// foreign is the codec of a library that knows nothing of gremlin.
type foreign struct{ encoding.CodecV2 }

func (foreign) Marshal(v any) (mem.BufferSlice, error) {
	return nil, fmt.Errorf("cannot marshal %T", v)
}

func (foreign) Unmarshal(_ mem.BufferSlice, v any) error {
	return fmt.Errorf("cannot unmarshal %T", v)
}

// TestNameTaken: errors say so when another library has taken the name of the codec, on both sides
// and in streams.
func TestNameTaken(t *testing.T) {
	before := encoding.GetCodecV2("proto")
	encoding.RegisterCodecV2(foreign{before})
	defer encoding.RegisterCodecV2(before)
	const hint = `(the codec registered for "proto" is gremlingrpc_test.foreign, which does not know gremlin's messages: ` +
		`call gremlingrpc.Register first in main, or use gremlingrpc.ServerOption and DialOption)`
	register := func(s *grpc.Server) { shop.RegisterShopServer(s, server{}) }
	t.Run("both", func(t *testing.T) {
		c := shop.NewShopClient(start(t, register, nil, nil))
		if _, err := c.Get(t.Context(), &shop.GetRequest{}); err == nil ||
			!strings.HasSuffix(err.Error(), hint) {
			t.Error(err)
		}
		if _, err := c.List(t.Context(), &shop.GetRequest{}); err == nil ||
			!strings.HasSuffix(err.Error(), hint) {
			t.Error(err)
		}
	})
	t.Run("server", func(t *testing.T) {
		c := shop.NewShopClient(start(t, register,
			nil, []grpc.DialOption{grpc.WithDefaultCallOptions(grpc.ForceCodecV2(before))}))
		if _, err := c.Get(t.Context(), &shop.GetRequest{}); err == nil ||
			!strings.Contains(err.Error(), hint) {
			t.Error(err)
		}
		s, err := c.Watch(t.Context())
		if err == nil {
			err = s.Send(&shop.GetRequest{})
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Recv(); err == nil || !strings.Contains(err.Error(), hint) {
			t.Error(err)
		}
	})
	t.Run("named by option", func(t *testing.T) {
		conn := start(t, register, []grpc.ServerOption{gremlingrpc.ServerOption()},
			[]grpc.DialOption{gremlingrpc.DialOption()})
		// The codec for the rest is now the foreign one, as it was registered before.
		if d, err := shop.NewShopClient(conn).Get(t.Context(),
			&shop.GetRequest{Id: "a"}); err != nil || d.GetId() != "a" {
			t.Errorf("%v, %v", d, err)
		}
	})
}

func TestCompressorMissing(t *testing.T) {
	c := startShop(t)
	_, err := c.Get(t.Context(), &shop.GetRequest{}, grpc.UseCompressor("br"))
	if err == nil || !strings.Contains(err.Error(), `"br"`) ||
		!strings.Contains(err.Error(), "import the package that registers the compressor") {
		t.Error(err)
	}
}
