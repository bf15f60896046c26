package gremlinconnect

import (
	"context"
	"fmt"
	"io"

	"connectrpc.com/connect/v2"
	"connectrpc.com/connect/v2/connectproto"

	"github.com/octopus-framework/octopus/gremlin"
	"github.com/octopus-framework/octopus/gremlin/json"
	jsonrt "github.com/octopus-framework/octopus/gremlin/json/rt"
)

// NewJSONCodec returns the codec "json", the canonical mapping of protobuf. It serves gremlin's
// Messages and Readers that were generated with JSON and hands what is not gremlin's to next; nil
// means connect's own codec of that name. Names that a schema does not have are passed over, as
// connect's codec does, so that schemas may differ. The same message always gives the same text.
// Any number of goroutines may use it.
func NewJSONCodec(next connect.StableCodec, opts ...Option) connect.StableCodec {
	if next == nil {
		next = connectproto.NewJSONCodec()
	}
	c := &jsonCodec{next: next, options: newOptions(opts)}
	c.json = json.Options{DiscardUnknown: true, Types: c.types}
	return c
}

type jsonCodec struct {
	next connect.StableCodec
	options
	json json.Options
}

// appender is a Message or Reader with JSON.
type appender interface {
	AppendJSON(b []byte, o json.Options) ([]byte, error)
}

// jsonReader is a Reader with JSON.
type jsonReader interface {
	gremlin.Reader
	jsonrt.Type
}

func (c *jsonCodec) Name() string   { return connect.CodecNameJSON }
func (c *jsonCodec) IsBinary() bool { return false }

func (c *jsonCodec) MarshalWrite(ctx context.Context, dst io.Writer, msg any) error {
	if t, ok := msg.(gremlin.Type); ok {
		return c.write(dst, t)
	}
	return c.next.MarshalWrite(ctx, dst, msg)
}

func (c *jsonCodec) MarshalWriteStable(ctx context.Context, dst io.Writer, msg any) error {
	if t, ok := msg.(gremlin.Type); ok {
		return c.write(dst, t)
	}
	return c.next.MarshalWriteStable(ctx, dst, msg)
}

func (c *jsonCodec) write(dst io.Writer, t gremlin.Type) error {
	a, ok := t.(appender)
	if !ok {
		return withoutJSON(t)
	}
	var err error
	switch m := t.(type) {
	case gremlin.Message:
		err = gremlin.CheckInitialized(m)
	case gremlin.Reader:
		err = readable(m)
	}
	if err != nil {
		return err
	}
	b, err := a.AppendJSON(spare(dst), c.json)
	if err != nil {
		return err
	}
	_, err = dst.Write(b)
	return err
}

func (c *jsonCodec) UnmarshalRead(ctx context.Context, src io.Reader, msg any) error {
	t, ok := msg.(gremlin.Type)
	if !ok {
		return c.next.UnmarshalRead(ctx, src, msg)
	}
	text, err := look(src)
	if err != nil {
		return err
	}
	switch m := t.(type) {
	case jsonReader:
		b, err := jsonrt.ToWire(make([]byte, 0, len(text)), text, m.GremlinJSON(), c.json)
		if err != nil {
			return err
		}
		return c.read(b, m)
	case json.Message:
		return json.Unmarshal(text, m, c.json)
	}
	return withoutJSON(t)
}

func withoutJSON(t gremlin.Type) error {
	return fmt.Errorf(
		"gremlinconnect: %s was generated without JSON: set options: {json: true} in gremlin.yaml, or parameter json",
		t.GremlinTable().Name)
}
