// Package experiment is version 2 of encoding/json, as go-json-experiment has it.
package experiment

import (
	"bytes"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/octopus-framework/octopus/lab/jsonlab/kit"
	"github.com/octopus-framework/octopus/lab/worker"
)

// Codec is for structs.
func Codec[M any]() kit.Codec[M] {
	var w bytes.Buffer
	return kit.Codec[M]{
		Encode: func(m *M) []byte { return kit.Must(jsonv2.Marshal(m)) },
		Append: func(_ []byte, m *M) []byte {
			w.Reset()
			worker.Must(jsonv2.MarshalWrite(&w, m))
			return w.Bytes()
		},
		Decode: func(text []byte, m *M) { worker.Must(jsonv2.Unmarshal(text, m)) },
	}
}
