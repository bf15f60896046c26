package gremlingrpc

import (
	"bytes"
	"fmt"
	"sync"

	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/mem"

	"github.com/octopus-framework/octopus/gremlin"
)

// Name is the name of the codec, which requests have behind "application/grpc+".
const Name = "proto"

// Option changes what a codec does.
type Option func(*codec)

// WithShallow leaves nested messages unchecked when a Reader arrives. Then a nested message that is
// malformed reads as empty, which a server with grpc's own codec would have refused; CheckEncoding
// of the Reader tells.
func WithShallow() Option { return func(c *codec) { c.shallow = true } }

// WithMemoryLimit refuses Messages that may take more than max bytes of memory, which can be many
// times their encoding. Readers take none beside theirs. See gremlin.UnmarshalWithin.
func WithMemoryLimit(max int) Option { return func(c *codec) { c.memory = max } }

// WithCheckSent also checks the strings of Messages that are sent, which costs a second pass over
// the encoding. Required fields are always checked. Without it a string that is not UTF-8 is
// refused by the receiver.
func WithCheckSent() Option { return func(c *codec) { c.checkSent = true } }

// WithPool sets where the buffers for what is sent come from. The default is one [NewPool] for all
// codecs.
func WithPool(p mem.BufferPool) Option { return func(c *codec) { c.pool = p } }

// NewCodec returns a codec with the name "proto" that serves gremlin's Messages, Readers and *Raw,
// and hands all else to next; nil means the codec that was registered as "proto" before the one of
// this package. Any number of goroutines may use it.
func NewCodec(next encoding.CodecV2, opts ...Option) encoding.CodecV2 {
	if next == nil {
		next = registeredBefore()
	}
	c := &codec{next: next, pool: defaultPool}
	for _, o := range opts {
		o(c)
	}
	return c
}

// IsCodec tells whether c is a codec of this package.
func IsCodec(c encoding.CodecV2) bool {
	_, ok := c.(*codec)
	return ok
}

type codec struct {
	next      encoding.CodecV2
	pool      mem.BufferPool
	memory    int // 0 for no limit
	shallow   bool
	checkSent bool
}

func (c *codec) Name() string { return Name }

func (c *codec) Marshal(v any) (mem.BufferSlice, error) {
	switch m := v.(type) {
	case gremlin.Message:
		return c.encode(m)
	case gremlin.Reader:
		// The bytes are on their way when the caller has got back what may be memory of its own:
		// they are copied.
		if err := m.Err(); err != nil {
			return nil, fmt.Errorf("a Reader of malformed bytes cannot be sent: %w", err)
		}
		return mem.BufferSlice{mem.Copy(m.Raw(), c.pool)}, nil
	case *Raw:
		return MarshalRaw(Name, m)
	case borrower:
		return m.share()
	case *Observed:
		return MarshalObserved(c, m)
	}
	return c.next.Marshal(v)
}

func (c *codec) Unmarshal(data mem.BufferSlice, v any) error {
	err := c.unmarshal(data, v)
	if err != nil && len(data) > 0 && bytes.HasPrefix(data[0].ReadOnlyData(), []byte("{\"")) {
		if _, observed := v.(*Observed); !observed {
			err = fmt.Errorf(
				"%w (this looks like JSON: if the peer sent application/grpc+json, import gremlingrpc/grpcjson)", err)
		}
	}
	return err
}

func (c *codec) unmarshal(data mem.BufferSlice, v any) error {
	switch m := v.(type) {
	case gremlin.Reader:
		return c.read(own(data), m)
	case gremlin.Message:
		return c.decode(data, m)
	case *Raw:
		UnmarshalRaw(Name, data, m)
		return nil
	case borrower:
		return m.borrow(data, c)
	case *Observed:
		return UnmarshalObserved(c, data, m)
	}
	return c.next.Unmarshal(data, v)
}

// read makes r read b and checks it.
func (c *codec) read(b []byte, r gremlin.Reader) error {
	err := r.Unmarshal(b)
	if err == nil && !c.shallow {
		err = r.CheckEncoding()
	}
	if err != nil {
		_ = r.Unmarshal(nil) // nothing is left to read of what was refused
	}
	return err
}

// maxScratch is the largest scratch buffer that is kept, in bytes.
const maxScratch = 1 << 20

// scratches are where messages are encoded before their size is known.
var scratches = sync.Pool{New: func() any { return new([]byte) }}

// encode writes m into a scratch buffer and copies that to one of the right size: a pass for the
// size before would cost more than the copy.
func (c *codec) encode(m gremlin.Message) (mem.BufferSlice, error) {
	if err := gremlin.CheckInitialized(m); err != nil {
		return nil, err
	}
	if c.checkSent {
		if err := checkEncoding(m); err != nil {
			return nil, err
		}
	}
	s := scratches.Get().(*[]byte)
	b := m.MarshalAppend((*s)[:0])
	if cap(b) > maxScratch {
		scratches.Put(s)
		return mem.BufferSlice{mem.SliceBuffer(b)}, nil
	}
	*s = b
	out := mem.Copy(b, c.pool)
	scratches.Put(s)
	return mem.BufferSlice{out}, nil
}

// checkEncoding checks what encoding does not.
func checkEncoding(m gremlin.Message) error {
	if v, ok := m.(interface{ CheckEncoding() error }); ok {
		return v.CheckEncoding()
	}
	return nil
}

// decode fills m, which keeps nothing of data.
func (c *codec) decode(data mem.BufferSlice, m gremlin.Message) error {
	b := data.MaterializeToBuffer(c.pool)
	defer b.Free()
	if c.memory > 0 {
		return gremlin.UnmarshalWithin(b.ReadOnlyData(), m, c.memory)
	}
	err := m.Unmarshal(b.ReadOnlyData())
	if err != nil {
		m.Reset()
	}
	return err
}

// own returns the bytes of data as memory that nobody writes to any more. grpc's buffers that come
// from no pool are such memory already: all messages up to a KiB.
func own(data mem.BufferSlice) []byte {
	if len(data) == 1 {
		if b, ok := data[0].(mem.SliceBuffer); ok {
			return b
		}
		// not cleared before, unlike what Materialize makes
		return append([]byte(nil), data[0].ReadOnlyData()...)
	}
	return data.Materialize()
}
