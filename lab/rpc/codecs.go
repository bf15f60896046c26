package main

import (
	"fmt"

	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/mem"
)

// vtMessage is a type that protoc-gen-go-vtproto generated.
type vtMessage interface {
	SizeVT() int
	MarshalToSizedBufferVT([]byte) (int, error)
	UnmarshalVT([]byte) error
}

// vtCodec serves vtprotobuf's types as a codec of grpc's newer interface can: pooled buffers, sized exactly. The project itself ships one
// for the older interface, which copies each message.
type vtCodec struct{}

func (vtCodec) Name() string { return "proto" }

func (vtCodec) Marshal(v any) (mem.BufferSlice, error) {
	m, ok := v.(vtMessage)
	if !ok {
		return nil, fmt.Errorf("%T is none of vtprotobuf's", v)
	}
	size := m.SizeVT()
	if mem.IsBelowBufferPoolingThreshold(size) {
		b := make([]byte, size)
		_, err := m.MarshalToSizedBufferVT(b)
		return mem.BufferSlice{mem.SliceBuffer(b)}, err
	}
	pool := mem.DefaultBufferPool()
	b := pool.Get(size)
	if _, err := m.MarshalToSizedBufferVT((*b)[:size]); err != nil {
		pool.Put(b)
		return nil, err
	}
	return mem.BufferSlice{mem.NewBuffer(b, pool)}, nil
}

func (vtCodec) Unmarshal(data mem.BufferSlice, v any) error {
	m, ok := v.(vtMessage)
	if !ok {
		return fmt.Errorf("%T is none of vtprotobuf's", v)
	}
	b := data.MaterializeToBuffer(mem.DefaultBufferPool())
	defer b.Free()
	return m.UnmarshalVT(b.ReadOnlyData())
}

// rawCodec sends bytes as they are and looks at none that arrive: what transport costs.
type rawCodec struct{}

func (rawCodec) Name() string { return "proto" }

func (rawCodec) Marshal(v any) (mem.BufferSlice, error) {
	return mem.BufferSlice{mem.SliceBuffer(*v.(*[]byte))}, nil
}

func (rawCodec) Unmarshal(data mem.BufferSlice, v any) error {
	*v.(*[]byte) = nil
	_ = data.Len()
	return nil
}

var _, _ encoding.CodecV2 = vtCodec{}, rawCodec{}
