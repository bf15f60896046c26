// Package jsoniter is json-iterator/go.
package jsoniter

import (
	jsoniter "github.com/json-iterator/go"

	"github.com/octopus-framework/octopus/lab/jsonlab/kit"
	"github.com/octopus-framework/octopus/lab/worker"
)

// Codec is jsoniter in the setting that behaves as encoding/json, for structs.
func Codec[M any]() kit.Codec[M] { return of[M](jsoniter.ConfigCompatibleWithStandardLibrary) }

// Fastest is its fastest setting, which cuts doubles to six digits.
func Fastest[M any]() kit.Codec[M] { return of[M](jsoniter.ConfigFastest) }

func of[M any](api jsoniter.API) kit.Codec[M] {
	s := api.BorrowStream(nil)
	return kit.Codec[M]{
		Encode: func(m *M) []byte { return kit.Must(api.Marshal(m)) },
		Append: func(_ []byte, m *M) []byte {
			s.Reset(nil)
			s.WriteVal(m)
			worker.Must(s.Error)
			return s.Buffer()
		},
		Decode: func(text []byte, m *M) { worker.Must(api.Unmarshal(text, m)) },
	}
}
