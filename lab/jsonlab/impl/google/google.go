// Package google is protojson.
package google

import (
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/octopus-framework/octopus/lab/jsonlab/kit"
	"github.com/octopus-framework/octopus/lab/worker"
)

type message[M any] interface {
	*M
	proto.Message
}

// Codec is for generated messages; from and to encoded bytes it goes through a message, as it has no other way.
func Codec[M any, P message[M]]() kit.Codec[M] {
	read := protojson.UnmarshalOptions{DiscardUnknown: true}
	return kit.Codec[M]{
		Encode: func(m *M) []byte { return kit.Must(protojson.Marshal(P(m))) },
		Append: func(buf []byte, m *M) []byte {
			return kit.Must(protojson.MarshalOptions{}.MarshalAppend(buf[:0], P(m)))
		},
		Decode: func(text []byte, m *M) { worker.Must(read.Unmarshal(text, P(m))) },
		FromWire: func(buf, wire []byte) []byte {
			m := P(new(M))
			worker.Must(proto.Unmarshal(wire, m))
			return kit.Must(protojson.MarshalOptions{}.MarshalAppend(buf[:0], m))
		},
		ToWire: func(buf, text []byte) []byte {
			m := P(new(M))
			worker.Must(read.Unmarshal(text, m))
			return kit.Must(proto.MarshalOptions{}.MarshalAppend(buf[:0], m))
		},
	}
}
