package jsonlab

import (
	"bytes"
	"encoding/json"

	"github.com/bytedance/sonic"
	"github.com/bytedance/sonic/encoder"
	jsonv2 "github.com/go-json-experiment/json"
	jsoniter "github.com/json-iterator/go"
	"github.com/mailru/easyjson"
	"github.com/mailru/easyjson/jwriter"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/octopus-framework/octopus/lab/worker"
)

// encodingJSON is the standard library. Its Encoder ends a text with a new line.
func encodingJSON[M any]() codec[M] {
	var w bytes.Buffer
	e := json.NewEncoder(&w)
	return codec[M]{
		encode: func(m *M) []byte { return must(json.Marshal(m)) },
		append: func(_ []byte, m *M) []byte {
			w.Reset()
			worker.Must(e.Encode(m))
			return w.Bytes()
		},
		decode: func(text []byte, m *M) { worker.Must(json.Unmarshal(text, m)) },
	}
}

func experiment[M any]() codec[M] {
	var w bytes.Buffer
	return codec[M]{
		encode: func(m *M) []byte { return must(jsonv2.Marshal(m)) },
		append: func(_ []byte, m *M) []byte {
			w.Reset()
			worker.Must(jsonv2.MarshalWrite(&w, m))
			return w.Bytes()
		},
		decode: func(text []byte, m *M) { worker.Must(jsonv2.Unmarshal(text, m)) },
	}
}

func iterator[M any](api jsoniter.API) func() codec[M] {
	return func() codec[M] { return iteratorCodec[M](api, api.BorrowStream(nil)) }
}

func iteratorCodec[M any](api jsoniter.API, s *jsoniter.Stream) codec[M] {
	return codec[M]{
		encode: func(m *M) []byte { return must(api.Marshal(m)) },
		append: func(_ []byte, m *M) []byte {
			s.Reset(nil)
			s.WriteVal(m)
			worker.Must(s.Error)
			return s.Buffer()
		},
		decode: func(text []byte, m *M) { worker.Must(api.Unmarshal(text, m)) },
	}
}

// bytedance is sonic. On a machine or Go version that its compiler does not know it is encoding/json in disguise; see
// SonicCompiles.
func bytedance[M any](api sonic.API, options encoder.Options) func() codec[M] {
	return func() codec[M] {
		kept := new([]byte) // here, because EncodeInto puts it on the heap
		return codec[M]{
			encode: func(m *M) []byte { return must(api.Marshal(m)) },
			append: func(_ []byte, m *M) []byte {
				*kept = (*kept)[:0]
				worker.Must(encoder.EncodeInto(kept, m, options))
				return *kept
			},
			decode: func(text []byte, m *M) { worker.Must(api.Unmarshal(text, m)) },
		}
	}
}

// SonicCompiles tells whether sonic is itself here and not encoding/json.
func SonicCompiles() bool { return sonic.APIKind == sonic.UseSonicJSON }

type easyMessage[M any] interface {
	*M
	easyjson.MarshalerUnmarshaler
}

func easy[M any, P easyMessage[M]]() codec[M] {
	w := new(jwriter.Writer)
	return codec[M]{
		encode: func(m *M) []byte { return must(easyjson.Marshal(P(m))) },
		append: func(buf []byte, m *M) []byte {
			P(m).MarshalEasyJSON(w)
			return must(w.BuildBytes(buf))
		},
		decode: func(text []byte, m *M) { worker.Must(easyjson.Unmarshal(text, P(m))) },
	}
}

type protoMessage[M any] interface {
	*M
	proto.Message
}

// google is protojson; from and to encoded bytes it goes through a message, as it has no other way.
func google[M any, P protoMessage[M]]() codec[M] {
	read := protojson.UnmarshalOptions{DiscardUnknown: true}
	return codec[M]{
		encode: func(m *M) []byte { return must(protojson.Marshal(P(m))) },
		append: func(buf []byte, m *M) []byte { return must(protojson.MarshalOptions{}.MarshalAppend(buf[:0], P(m))) },
		decode: func(text []byte, m *M) { worker.Must(read.Unmarshal(text, P(m))) },
		fromWire: func(buf, wire []byte) []byte {
			m := P(new(M))
			worker.Must(proto.Unmarshal(wire, m))
			return must(protojson.MarshalOptions{}.MarshalAppend(buf[:0], m))
		},
		toWire: func(buf, text []byte) []byte {
			m := P(new(M))
			worker.Must(read.Unmarshal(text, m))
			return must(proto.MarshalOptions{}.MarshalAppend(buf[:0], m))
		},
	}
}

func must[T any](x T, err error) T {
	worker.Must(err)
	return x
}
