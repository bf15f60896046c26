package gremlingrpc

import (
	"errors"
	"slices"

	"google.golang.org/grpc/mem"

	"github.com/octopus-framework/octopus/gremlin"
)

// Raw is an encoded message that is not looked into: what a proxy passes on, or one encoding that goes to many streams. The zero
// value is an empty message.
//
// As the target of RecvMsg it keeps the buffers that grpc received, without a copy; as the message of SendMsg it shares them.
// Any number of goroutines may send one Raw at the same time. Nobody may receive into it meanwhile.
type Raw struct {
	data     mem.BufferSlice
	released bool
}

var errReleased = errors.New("gremlingrpc: a Raw was sent after its Release: call Release when SendMsg of the last stream has returned")

// RawOf encodes m once. The bytes are memory of the garbage collector; Release is not needed.
func RawOf(m gremlin.Message) *Raw { return &Raw{data: mem.BufferSlice{mem.SliceBuffer(m.Marshal())}} }

// Len returns the size of the message in bytes.
func (r *Raw) Len() int { return r.data.Len() }

// Read checks the whole message and makes v read it. v does not depend on r: it may be kept when r is released.
func (r *Raw) Read(v Reader) error {
	if r.released {
		return errReleased
	}
	return (&codec{}).Unmarshal(r.data, v)
}

// Release gives the buffers back for reuse. It is for speed alone: the garbage collector takes what is not released. What was
// sent is not affected; sending r again is an error.
func (r *Raw) Release() {
	r.data.Free()
	r.data, r.released = nil, true
}

// keep makes data the contents of r.
func (r *Raw) keep(data mem.BufferSlice) {
	r.data.Free()
	data.Ref()
	r.data, r.released = slices.Clone(data), false
}

// share returns the contents with a reference for whoever gets them.
func (r *Raw) share() (mem.BufferSlice, error) {
	if r == nil {
		return nil, nil
	}
	if r.released {
		return nil, errReleased
	}
	r.data.Ref()
	return slices.Clone(r.data), nil
}
