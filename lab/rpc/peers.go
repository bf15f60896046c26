package main

import (
	"google.golang.org/grpc/encoding"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/octopus-framework/octopus/gremlin"
	"github.com/octopus-framework/octopus/gremlin/gremlingrpc"
	stock "github.com/octopus-framework/octopus/lab/internal/pb/google"
	ours "github.com/octopus-framework/octopus/lab/internal/pb/gremlin"
	vt "github.com/octopus-framework/octopus/lab/internal/pb/vt"
	"github.com/octopus-framework/octopus/lab/workload"
)

// peer is a codec with its types.
type peer struct {
	name  string
	codec encoding.CodecV2
	// decoded returns an encoded message as one to send.
	decoded func(t types, b []byte) (any, error)
	// target returns where a message is received.
	target func(t types) any
}

// types makes empty messages of one type in all libraries.
type types struct {
	stock, vt, message, reader func() any
}

func of[S, V, M, R any]() types {
	return types{func() any { return new(S) }, func() any { return new(V) }, func() any { return new(M) }, func() any { return new(R) }}
}

var known = map[string]types{
	"TenInts":    of[stock.TenInts, vt.TenInts, ours.TenInts, ours.TenIntsReader](),
	"Submit":     of[stock.Submit, vt.Submit, ours.Submit, ours.SubmitReader](),
	"Deposit":    of[stock.Deposit, vt.Deposit, ours.Deposit, ours.DepositReader](),
	"AllTypes":   of[stock.AllTypes, vt.AllTypes, ours.AllTypes, ours.AllTypesReader](),
	"DeepNested": of[stock.DeepNested, vt.DeepNested, ours.DeepNested, ours.DeepNestedReader](),
	"Smalls":     of[stock.Smalls, vt.Smalls, ours.Smalls, ours.SmallsReader](),
	"Moments":    of[stock.Moments, vt.Moments, ours.Moments, ours.MomentsReader](),
	"Blob":       of[stock.Blob, vt.Blob, ours.Blob, ours.BlobReader](),
}

// peers are compared in every row. The first is what the others are compared with.
var peers = []peer{
	{"grpc-go", stockCodec(), func(t types, b []byte) (any, error) {
		m := t.stock()
		return m, proto.Unmarshal(b, m.(proto.Message))
	}, func(t types) any { return t.stock() }},
	{"vtprotobuf", vtCodec{}, func(t types, b []byte) (any, error) {
		m := t.vt()
		return m, m.(vtMessage).UnmarshalVT(b)
	}, func(t types) any { return t.vt() }},
	{"gremlin-reader", gremlingrpc.NewCodec(nil), ourMessage, func(t types) any { return t.reader() }},
	{"gremlin-message", gremlingrpc.NewCodec(nil), ourMessage, func(t types) any { return t.message() }},
	{"raw", rawCodec{}, func(_ types, b []byte) (any, error) { return &b, nil }, func(types) any { return new([]byte) }},
}

func ourMessage(t types, b []byte) (any, error) {
	m := t.message()
	return m, m.(gremlin.Message).Unmarshal(b)
}

// stockCodec returns grpc-go's own codec. What is registered as "proto" is gremlin's, which hands protobuf-go's messages to it after two
// type assertions that fail: tens of nanoseconds of a call of tens of microseconds.
func stockCodec() encoding.CodecV2 { return encoding.GetCodecV2("proto") }

// blob returns a payload of 128 KiB.
func blob() workload.Workload {
	const kind, size = 0x0a, 128 << 10 // field 1, bytes
	b := protowire.AppendVarint([]byte{kind}, size)
	return workload.Workload{Name: "Blob128KiB", Type: "Blob", Data: [][]byte{append(b, make([]byte, size)...)}}
}
