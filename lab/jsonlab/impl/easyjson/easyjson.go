// Package easyjson is mailru/easyjson.
package easyjson

import (
	"github.com/mailru/easyjson"
	"github.com/mailru/easyjson/jwriter"

	"github.com/octopus-framework/octopus/lab/jsonlab/kit"
	"github.com/octopus-framework/octopus/lab/worker"
)

type message[M any] interface {
	*M
	easyjson.MarshalerUnmarshaler
}

// Codec is for structs with the methods that easyjson generates.
func Codec[M any, P message[M]]() kit.Codec[M] {
	w := new(jwriter.Writer)
	return kit.Codec[M]{
		Encode: func(m *M) []byte { return kit.Must(easyjson.Marshal(P(m))) },
		Append: func(buf []byte, m *M) []byte {
			P(m).MarshalEasyJSON(w)
			return kit.Must(w.BuildBytes(buf))
		},
		Decode: func(text []byte, m *M) { worker.Must(easyjson.Unmarshal(text, P(m))) },
	}
}
