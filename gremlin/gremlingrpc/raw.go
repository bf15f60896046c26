package gremlingrpc

import (
	"errors"
	"fmt"
	"slices"

	"google.golang.org/grpc/mem"

	"github.com/octopus-framework/octopus/gremlin"
)

// Raw is an encoded message that is not looked into: what a proxy passes on, or one encoding that
// goes to many streams. The zero value is an empty message.
//
// As the target of RecvMsg it keeps the buffers that grpc received, without a copy; as the message
// of SendMsg it shares them. Any number of goroutines may send one Raw at the same time. Nobody may
// receive into it meanwhile.
type Raw struct {
	data     mem.BufferSlice
	codec    string // what encoded it; empty for the zero value
	released bool
}

var errReleased = errors.New(
	"gremlingrpc: a Raw was sent after its Release: call Release when SendMsg of the last stream has returned")

// RawOf encodes m once. The bytes are memory of the garbage collector; Release is not needed.
func RawOf(m gremlin.Message) *Raw {
	return &Raw{data: mem.BufferSlice{mem.SliceBuffer(m.Marshal())}, codec: Name}
}

// Len returns the size of the message in bytes.
func (r *Raw) Len() int { return r.data.Len() }

// MarshalRaw is what a codec of this name does with a Raw: it shares the bytes, which must have
// been encoded by one of the same name; "" takes any.
func MarshalRaw(codec string, r *Raw) (mem.BufferSlice, error) {
	if r == nil {
		return nil, nil
	}
	if r.released {
		return nil, errReleased
	}
	if codec != "" && r.codec != "" && r.codec != codec {
		return nil,
			fmt.Errorf(
				"gremlingrpc: a Raw encoded by the codec %q cannot be sent with the codec %q: send the message", r.codec, codec)
	}
	r.data.Ref()
	return slices.Clone(r.data), nil
}

// UnmarshalRaw is what a codec of this name does for a Raw: it makes data the contents of r,
// without a copy.
func UnmarshalRaw(codec string, data mem.BufferSlice, r *Raw) {
	r.data.Free()
	data.Ref()
	*r = Raw{data: slices.Clone(data), codec: codec}
}

// Read checks the whole message and makes v read it. v does not depend on r: it may be kept when r
// is released.
func (r *Raw) Read(v gremlin.Reader) error {
	if r.released {
		return errReleased
	}
	if r.codec != Name && r.codec != "" {
		return fmt.Errorf("gremlingrpc: a Raw encoded by the codec %q cannot be read as protobuf",
			r.codec)
	}
	return (&codec{}).Unmarshal(r.data, v)
}

// Release gives the buffers back for reuse. It is for speed alone: the garbage collector takes what
// is not released. What was sent is not affected; sending r again is an error.
func (r *Raw) Release() {
	r.data.Free()
	r.data, r.released = nil, true
}
