package grpc

import (
	"bytes"
	"testing"

	"google.golang.org/grpc/encoding"
	testpb "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/proto"

	"github.com/octopus-framework/octopus/conformance/grpc/interop"
	"github.com/octopus-framework/octopus/gremlin/gremlingrpc"
)

// FuzzVerdict gives bytes to gremlin's codec, for a Reader, a Borrowed and a Message, and to
// protobuf-go: all take them or none does, and what was taken is sent as the same message.
func FuzzVerdict(f *testing.F) {
	for _, r := range hostile() {
		if len(r.body) > 5 && len(r.body) < 100000 {
			f.Add(r.body[5:])
		}
	}
	f.Add([]byte{0x1a, 0x0a, 0x12, 8, 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 0x3a, 4, 0x12,
		2, 0xc3, 0xb6})
	f.Add([]byte{0x3a, 4, 0x12, 2, 0xc3, 0x28})
	f.Add([]byte{0x32, 2, 8, 1, 0x32, 0, 0x72, 1, 0})
	codec := encoding.GetCodecV2(gremlingrpc.Name)
	f.Fuzz(func(t *testing.T, b []byte) {
		var theirs testpb.SimpleRequest
		want := proto.Unmarshal(b, &theirs)
		// In pieces, as a large message comes.
		data := mem.BufferSlice{mem.SliceBuffer(b[:len(b)/2]), mem.SliceBuffer(b[len(b)/2:])}
		var reader interop.SimpleRequestReader
		var message interop.SimpleRequest
		var borrowed gremlingrpc.Borrowed[interop.SimpleRequestReader, *interop.SimpleRequestReader]
		for _, v := range []any{&reader, &message, &borrowed} {
			err := codec.Unmarshal(data, v)
			if (err == nil) != (want == nil) {
				t.Fatalf("%T: %v, protobuf-go: %v", v, err, want)
			}
			if err != nil {
				continue
			}
			out, err := codec.Marshal(v)
			if err != nil {
				t.Fatalf("%T: %v", v, err)
			}
			var again testpb.SimpleRequest
			if err := proto.Unmarshal(out.Materialize(), &again); err != nil ||
				!proto.Equal(&again, &theirs) {
				t.Fatalf("%T: sent as %v (%v), was %v", v, &again, err, &theirs)
			}
			if v == any(&reader) && !bytes.Equal(out.Materialize(), b) {
				t.Fatalf("%T: other bytes are sent", v)
			}
		}
	})
}
