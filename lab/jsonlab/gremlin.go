package jsonlab

import (
	"github.com/octopus-framework/octopus/gremlin/json"
	"github.com/octopus-framework/octopus/lab/worker"
)

// gremlinMessage is what the lab needs of our generated messages.
type gremlinMessage[M any] interface {
	*M
	json.Message
	Marshal() []byte
	MarshalAppend(dst []byte) []byte
	Unmarshal(b []byte) error
	MarshalJSON() ([]byte, error)
	AppendJSON(b []byte, o json.Options) ([]byte, error)
}

// gremlinReader is what it needs of their Readers.
type gremlinReader[R any] interface {
	*R
	Unmarshal(b []byte) error
	AppendJSON(b []byte, o json.Options) ([]byte, error)
}

// discard is what protojson is told too: unknown fields are passed over.
var discard = json.Options{DiscardUnknown: true}

func gremlinMessages[M any, P gremlinMessage[M]]() codec[M] {
	return codec[M]{
		encode: func(m *M) []byte { return must(P(m).MarshalJSON()) },
		append: func(buf []byte, m *M) []byte { return must(P(m).AppendJSON(buf[:0], json.Options{})) },
		decode: func(text []byte, m *M) { worker.Must(json.Unmarshal(text, P(m), discard)) },
		fromWire: func(buf, wire []byte) []byte {
			m := P(new(M))
			worker.Must(m.Unmarshal(wire))
			return must(m.AppendJSON(buf[:0], json.Options{}))
		},
		toWire: func(buf, text []byte) []byte {
			m := P(new(M))
			worker.Must(json.Unmarshal(text, m, discard))
			return m.MarshalAppend(buf[:0])
		},
	}
}

// gremlinTwoSteps is what a program does that does not know of a Reader's AppendJSON.
func gremlinTwoSteps[M any, P gremlinMessage[M]]() codec[M] {
	return codec[M]{
		fromWire: func(_, wire []byte) []byte {
			m := P(new(M))
			worker.Must(m.Unmarshal(wire))
			return must(m.MarshalJSON())
		},
	}
}

// gremlinReaders goes from encoding to encoding without a message.
func gremlinReaders[R any, P gremlinReader[R]](toWire func(dst, text []byte, o json.Options) ([]byte, error)) func() codec[R] {
	return func() codec[R] {
		r := P(new(R))
		return codec[R]{
			fromWire: func(buf, wire []byte) []byte {
				worker.Must(r.Unmarshal(wire))
				return must(r.AppendJSON(buf[:0], json.Options{}))
			},
			toWire: func(buf, text []byte) []byte { return must(toWire(buf[:0], text, discard)) },
		}
	}
}

// gremlinSixDigits writes doubles with six digits.
func gremlinSixDigits[M any, P gremlinMessage[M]]() codec[M] {
	six := json.Options{SixDigits: true}
	return codec[M]{
		encode: func(m *M) []byte { return must(json.Marshal(P(m), six)) },
		append: func(buf []byte, m *M) []byte { return must(P(m).AppendJSON(buf[:0], six)) },
		decode: func(text []byte, m *M) { worker.Must(json.Unmarshal(text, P(m), discard)) },
	}
}

// binary is our protobuf on the same messages: what the text costs beside it.
func binary[M any, P gremlinMessage[M]]() codec[M] {
	return codec[M]{
		encode: func(m *M) []byte { return P(m).Marshal() },
		append: func(buf []byte, m *M) []byte { return P(m).MarshalAppend(buf[:0]) },
		decode: func(wire []byte, m *M) { worker.Must(P(m).Unmarshal(wire)) },
		binary: true,
	}
}
