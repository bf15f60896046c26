package gremlingrpc

import (
	"google.golang.org/grpc"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/mem"
)

func init() { Register() }

// Register makes a codec with these options the one that grpc uses for "proto". The package does it
// by itself, without options; it is needed for options, and when another library has registered a
// codec of its own since. It must be called in an init function or first in main, as grpc's
// registry has no lock.
func Register(opts ...Option) { encoding.RegisterCodecV2(NewCodec(nil, opts...)) }

// ServerOption makes a server use a codec of its own with these options, whatever is registered.
// Such a server speaks protobuf only: grpc takes a forced codec for requests of every kind, those
// in JSON too.
func ServerOption(opts ...Option) grpc.ServerOption {
	return grpc.ForceServerCodecV2(NewCodec(nil, opts...))
}

// DialOption makes the calls of a connection use a codec of its own with these options, whatever is
// registered.
func DialOption(opts ...Option) grpc.DialOption {
	return grpc.WithDefaultCallOptions(CallOption(opts...))
}

// CallOption makes a call use a codec of its own with these options. It goes with no other option
// that chooses a codec.
func CallOption(opts ...Option) grpc.CallOption { return grpc.ForceCodecV2(NewCodec(nil, opts...)) }

// registeredBefore returns what codecs of this package hand to what is not gremlin's.
func registeredBefore() encoding.CodecV2 {
	switch c := encoding.GetCodecV2(Name).(type) {
	case *codec:
		return c.next
	case nil:
		return v1{encoding.GetCodec(Name)} // grpc registers one, so that this is of the older kind
	default:
		return c
	}
}

// v1 is a codec of the older kind as one of the newer.
type v1 struct{ encoding.Codec }

func (c v1) Marshal(v any) (mem.BufferSlice, error) {
	b, err := c.Codec.Marshal(v)
	return mem.BufferSlice{mem.SliceBuffer(b)}, err
}

func (c v1) Unmarshal(data mem.BufferSlice, v any) error {
	return c.Codec.Unmarshal(data.Materialize(), v)
}
