package gremlinconnect

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"connectrpc.com/connect/v2"
	"connectrpc.com/connect/v2/connecthttp"
	"connectrpc.com/connect/v2/connectproto"

	"github.com/octopus-framework/octopus/gremlin"
)

// Option changes what the codecs do.
type Option func(*options)

type options struct {
	types   *gremlin.Types
	memory  int // 0 for no limit
	shallow bool
}

// WithShallow leaves nested messages unchecked when a Reader arrives. Then a nested message that is
// malformed reads as empty, which a server with connect's own codecs would have refused;
// CheckEncoding of the Reader tells.
func WithShallow() Option { return func(o *options) { o.shallow = true } }

// WithMemoryLimit refuses Messages that may take more than max bytes of memory, which can be many
// times their binary encoding. Readers take none beside theirs. See gremlin.UnmarshalWithin. JSON
// is not affected: limit it with connecthttp.WithReadMaxBytes.
func WithMemoryLimit(max int) Option { return func(o *options) { o.memory = max } }

// WithTypes names extensions, and what an Any may hold, to the JSON codec. It must not change any
// more.
func WithTypes(t *gremlin.Types) Option { return func(o *options) { o.types = t } }

// WithCodecs makes a handler or client serve gremlin's messages, and all that connect's own codecs
// serve: "proto", which a client sends unless connecthttp.WithSendCodec says otherwise, and "json".
func WithCodecs(opts ...Option) connecthttp.Option {
	return connecthttp.WithCodecs(NewCodec(nil, opts...), NewJSONCodec(nil, opts...))
}

// NewCodec returns the codec "proto". It serves gremlin's Messages and Readers and hands all else
// to next; nil means connect's own codec of that name. Any number of goroutines may use it.
func NewCodec(next connect.StableCodec, opts ...Option) connect.StableCodec {
	if next == nil {
		next = connectproto.NewBinaryCodec()
	}
	return &codec{next, newOptions(opts)}
}

func newOptions(opts []Option) (all options) {
	for _, o := range opts {
		o(&all)
	}
	return all
}

type codec struct {
	next connect.StableCodec
	options
}

func (c *codec) Name() string   { return connect.CodecNameProto }
func (c *codec) IsBinary() bool { return true }

func (c *codec) MarshalWrite(ctx context.Context, dst io.Writer, msg any) error {
	if m, ok := msg.(gremlin.Message); ok {
		return writeMessage(dst, m, gremlin.Message.MarshalAppend)
	}
	if r, ok := msg.(gremlin.Reader); ok {
		return writeReader(dst, r)
	}
	return c.next.MarshalWrite(ctx, dst, msg)
}

func (c *codec) MarshalWriteStable(ctx context.Context, dst io.Writer, msg any) error {
	if m, ok := msg.(gremlin.Message); ok {
		return writeMessage(dst, m, func(m gremlin.Message, b []byte) []byte {
			return gremlin.MarshalStable(b, m)
		})
	}
	if r, ok := msg.(gremlin.Reader); ok {
		return writeReader(dst, r)
	}
	return c.next.MarshalWriteStable(ctx, dst, msg)
}

func (c *codec) UnmarshalRead(ctx context.Context, src io.Reader, msg any) error {
	if r, ok := msg.(gremlin.Reader); ok {
		b, err := own(src)
		if err != nil {
			return err
		}
		return c.read(b, r)
	}
	m, ok := msg.(gremlin.Message)
	if !ok {
		return c.next.UnmarshalRead(ctx, src, msg)
	}
	b, err := look(src)
	if err != nil {
		return err
	}
	if c.memory > 0 {
		return gremlin.UnmarshalWithin(b, m, c.memory)
	}
	if err = m.Unmarshal(b); err != nil {
		m.Reset()
	}
	return err
}

// read makes r read b and checks it.
func (o *options) read(b []byte, r gremlin.Reader) error {
	err := r.Unmarshal(b)
	if err == nil && !o.shallow {
		err = r.CheckEncoding()
	}
	if err != nil {
		_ = r.Unmarshal(nil) // nothing is left to read of what was refused
	}
	return err
}

func writeMessage(dst io.Writer, m gremlin.Message,
	appendTo func(gremlin.Message, []byte) []byte) error {
	if err := gremlin.CheckInitialized(m); err != nil {
		return err
	}
	_, err := dst.Write(appendTo(m, spare(dst)))
	return err
}

func writeReader(dst io.Writer, r gremlin.Reader) error {
	if err := readable(r); err != nil {
		return err
	}
	_, err := dst.Write(r.Raw())
	return err
}

func readable(r gremlin.Reader) error {
	if err := r.Err(); err != nil {
		return fmt.Errorf("a Reader of malformed bytes cannot be sent: %w", err)
	}
	return nil
}

// spare returns the memory of dst that is not used yet, to append to. What does not fit there takes
// one more copy, which is less than a pass for the size would cost.
func spare(dst io.Writer) []byte {
	if d, ok := dst.(interface{ AvailableBuffer() []byte }); ok {
		return d.AvailableBuffer()
	}
	return nil
}

// own returns what is left of src as memory that nobody else has.
func own(src io.Reader) ([]byte, error) {
	if b, ok := src.(*bytes.Buffer); ok {
		// not cleared before, unlike what make returns
		return append([]byte(nil), b.Next(b.Len())...), nil
	}
	return io.ReadAll(src)
}

// look returns what is left of src, until the call ends.
func look(src io.Reader) ([]byte, error) {
	if b, ok := src.(*bytes.Buffer); ok {
		return b.Next(b.Len()), nil
	}
	return io.ReadAll(src)
}
