// Package standard is encoding/json of the standard library.
package standard

import (
	"bytes"
	"encoding/json"

	"github.com/octopus-framework/octopus/lab/jsonlab/kit"
	"github.com/octopus-framework/octopus/lab/worker"
)

// Codec is for structs. The Encoder ends a text with a new line.
func Codec[M any]() kit.Codec[M] {
	var w bytes.Buffer
	e := json.NewEncoder(&w)
	return kit.Codec[M]{
		Encode: func(m *M) []byte { return kit.Must(json.Marshal(m)) },
		Append: func(_ []byte, m *M) []byte {
			w.Reset()
			worker.Must(e.Encode(m))
			return w.Bytes()
		},
		Decode: func(text []byte, m *M) { worker.Must(json.Unmarshal(text, m)) },
	}
}
