// Package gremlin is our own, in its forms.
package gremlin

import (
	"github.com/octopus-framework/octopus/gremlin/json"
	"github.com/octopus-framework/octopus/lab/jsonlab/kit"
	"github.com/octopus-framework/octopus/lab/worker"
)

// message is what the lab needs of our generated messages.
type message[M any] interface {
	*M
	json.Message
	Marshal() []byte
	MarshalAppend(dst []byte) []byte
	Unmarshal(b []byte) error
	MarshalJSON() ([]byte, error)
	AppendJSON(b []byte, o json.Options) ([]byte, error)
}

// reader is what it needs of their Readers.
type reader[R any] interface {
	*R
	Unmarshal(b []byte) error
	AppendJSON(b []byte, o json.Options) ([]byte, error)
}

// discard is what protojson is told too: unknown fields are passed over.
var discard = json.Options{DiscardUnknown: true}

// Messages is generated messages.
func Messages[M any, P message[M]]() kit.Codec[M] {
	return kit.Codec[M]{
		Encode: func(m *M) []byte { return kit.Must(P(m).MarshalJSON()) },
		Append: func(buf []byte, m *M) []byte { return kit.Must(P(m).AppendJSON(buf[:0], json.Options{})) },
		Decode: func(text []byte, m *M) { worker.Must(json.Unmarshal(text, P(m), discard)) },
		FromWire: func(buf, wire []byte) []byte {
			m := P(new(M))
			worker.Must(m.Unmarshal(wire))
			return kit.Must(m.AppendJSON(buf[:0], json.Options{}))
		},
		ToWire: func(buf, text []byte) []byte {
			m := P(new(M))
			worker.Must(json.Unmarshal(text, m, discard))
			return m.MarshalAppend(buf[:0])
		},
	}
}

// TwoSteps is what a program does that does not know of a Reader's AppendJSON.
func TwoSteps[M any, P message[M]]() kit.Codec[M] {
	return kit.Codec[M]{
		FromWire: func(_, wire []byte) []byte {
			m := P(new(M))
			worker.Must(m.Unmarshal(wire))
			return kit.Must(m.MarshalJSON())
		},
	}
}

// Readers goes from encoding to encoding without a message.
func Readers[R any, P reader[R]](toWire func(dst, text []byte, o json.Options) ([]byte, error)) func() kit.Codec[R] {
	return func() kit.Codec[R] {
		r := P(new(R))
		return kit.Codec[R]{
			FromWire: func(buf, wire []byte) []byte {
				worker.Must(r.Unmarshal(wire))
				return kit.Must(r.AppendJSON(buf[:0], json.Options{}))
			},
			ToWire: func(buf, text []byte) []byte { return kit.Must(toWire(buf[:0], text, discard)) },
		}
	}
}

// SixDigits writes doubles with six digits.
func SixDigits[M any, P message[M]]() kit.Codec[M] {
	six := json.Options{SixDigits: true}
	return kit.Codec[M]{
		Encode: func(m *M) []byte { return kit.Must(json.Marshal(P(m), six)) },
		Append: func(buf []byte, m *M) []byte { return kit.Must(P(m).AppendJSON(buf[:0], six)) },
		Decode: func(text []byte, m *M) { worker.Must(json.Unmarshal(text, P(m), discard)) },
	}
}

// Binary is our protobuf on the same messages: what the text costs beside it.
func Binary[M any, P message[M]]() kit.Codec[M] {
	return kit.Codec[M]{
		Encode: func(m *M) []byte { return P(m).Marshal() },
		Append: func(buf []byte, m *M) []byte { return P(m).MarshalAppend(buf[:0]) },
		Decode: func(wire []byte, m *M) { worker.Must(P(m).Unmarshal(wire)) },
		Binary: true,
	}
}
