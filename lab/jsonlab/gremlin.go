package jsonlab

import "github.com/octopus-framework/octopus/lab/worker"

// gremlinMessage is what the lab needs of our generated messages.
type gremlinMessage[M any] interface {
	*M
	Marshal() []byte
	MarshalAppend(dst []byte) []byte
	Unmarshal(b []byte) error
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
