// Package grpcjson lets servers and clients of gremlin speak JSON over gRPC, as
// "application/grpc+json". Importing it registers a codec "json"; then a server answers JSON to
// requests in JSON, beside those in protobuf:
//
//	import _ "github.com/octopus-framework/octopus/gremlin/gremlingrpc/grpcjson"
//
//	client.Get(ctx, req, grpcjson.CallOption())
//
// The mapping is protobuf's canonical one. A request becomes wire bytes and a Reader on them,
// without a Message between; a Message becomes JSON at once. Generated code must have JSON (`json:
// true`). Messages of protobuf-go go through protojson.
//
// Not every peer has such a codec: grpc-go's servers take an unknown one for protobuf and fail,
// others refuse the request. JSON drops unknown fields, and Anys need their types.
package grpcjson

import (
	"bytes"
	"fmt"

	"google.golang.org/grpc"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/octopus-framework/octopus/gremlin"
	"github.com/octopus-framework/octopus/gremlin/gremlingrpc"
	"github.com/octopus-framework/octopus/gremlin/json"
	jsonrt "github.com/octopus-framework/octopus/gremlin/json/rt"
)

// Name is the name of the codec, which requests have behind "application/grpc+".
const Name = "json"

func init() { Register() }

// Option changes what a codec does.
type Option func(*json.Options)

// WithTypes names extensions, and what an Any may hold. It must not change any more.
func WithTypes(t *gremlin.Types) Option { return func(o *json.Options) { o.Types = t } }

// WithJSON sets how gremlin's messages are written and read. The default discards unknown fields.
func WithJSON(options json.Options) Option { return func(o *json.Options) { *o = options } }

// Register makes a codec with these options the one that grpc uses for "json". The package does it
// by itself without any. It must be called in an init function or first in main.
func Register(opts ...Option) { encoding.RegisterCodecV2(NewCodec(opts...)) }

// CallOption makes a call speak JSON. The server must have a codec for it.
func CallOption() grpc.CallOption { return grpc.CallContentSubtype(Name) }

// NewCodec returns a codec with the name "json" for gremlin's Messages and Readers and for those of
// protobuf-go. Any number of goroutines may use it.
func NewCodec(opts ...Option) encoding.CodecV2 {
	c := &codec{json.Options{DiscardUnknown: true}}
	for _, o := range opts {
		o(&c.o)
	}
	return c
}

type codec struct{ o json.Options }

func (c *codec) Name() string { return Name }

// appender is a Message or Reader that was generated with JSON.
type appender interface {
	AppendJSON(b []byte, o json.Options) ([]byte, error)
}

func (c *codec) Marshal(v any) (mem.BufferSlice, error) {
	if m, ok := gremlingrpc.Unwrap(v); ok {
		return gremlingrpc.MarshalObserved(c, m)
	}
	var text []byte
	var err error
	switch m := v.(type) {
	case *gremlingrpc.Raw:
		return gremlingrpc.MarshalRaw(Name, m)
	case appender:
		text, err = m.AppendJSON(nil, c.o)
	case proto.Message:
		text, err = protojson.Marshal(m)
	default:
		err = without(v)
	}
	if err != nil {
		return nil, err
	}
	return mem.BufferSlice{mem.SliceBuffer(text)}, nil
}

func (c *codec) Unmarshal(data mem.BufferSlice, v any) error {
	if m, ok := gremlingrpc.Unwrap(v); ok {
		return gremlingrpc.UnmarshalObserved(c, data, m)
	}
	if m, ok := v.(*gremlingrpc.Raw); ok {
		gremlingrpc.UnmarshalRaw(Name, data, m)
		return nil
	}
	text := data.Materialize()
	switch m := v.(type) {
	case gremlin.Reader:
		return c.read(text, m)
	case jsonrt.Message:
		return explain(text, jsonrt.Unmarshal(text, m, c.o))
	case proto.Message:
		return explain(text,
			protojson.UnmarshalOptions{DiscardUnknown: c.o.DiscardUnknown}.Unmarshal(text, m))
	}
	return without(v)
}

// read makes r read what text says.
func (c *codec) read(text []byte, r gremlin.Reader) error {
	t, ok := r.(jsonrt.Type)
	if !ok {
		return without(r)
	}
	b, err := jsonrt.ToWire(nil, text, t.GremlinJSON(), c.o)
	if err == nil {
		err = r.Unmarshal(b)
	}
	if err == nil {
		err = r.CheckEncoding() // required fields
	}
	if err != nil {
		_ = r.Unmarshal(nil) // nothing is left to read of what was refused
	}
	return explain(text, err)
}

// without is the error for a type that has no JSON.
func without(v any) error {
	if t, ok := v.(gremlin.Type); ok {
		return fmt.Errorf(
			"%s was generated without JSON: set json: true in gremlin.yaml and generate again",
			t.GremlinTable().Name)
	}
	return fmt.Errorf(
		"codec json: cannot encode or decode %T: a message of gremlin with JSON or a proto.Message is wanted", v)
}

// explain adds to an error that the peer may not have spoken JSON.
func explain(text []byte, err error) error {
	if err == nil {
		return nil
	}
	if start := bytes.TrimLeft(text, " \t\r\n"); len(start) == 0 ||
		bytes.IndexByte([]byte(`{["tfn-0123456789`), start[0]) < 0 {
		return fmt.Errorf(
			"%w (this is no JSON: the peer called it application/grpc+json; does it have a codec for JSON?)", err)
	}
	return err
}
