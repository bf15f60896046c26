// Package bytedance is sonic.
package bytedance

import (
	"github.com/bytedance/sonic"
	"github.com/bytedance/sonic/encoder"

	"github.com/octopus-framework/octopus/lab/jsonlab/kit"
	"github.com/octopus-framework/octopus/lab/worker"
)

// Codec is sonic as it comes, for structs.
func Codec[M any]() kit.Codec[M] { return of[M](sonic.ConfigDefault, 0) }

// Std is the setting that behaves as encoding/json.
func Std[M any]() kit.Codec[M] {
	return of[M](sonic.ConfigStd, encoder.EscapeHTML|encoder.SortMapKeys|encoder.CompactMarshaler|encoder.ValidateString)
}

// of gives a codec that fails on a machine or Go version that sonic's compiler does not know: there it is encoding/json in disguise.
func of[M any](api sonic.API, options encoder.Options) kit.Codec[M] {
	if sonic.APIKind != sonic.UseSonicJSON {
		const no = "sonic hands over to encoding/json on this machine or Go version"
		return kit.Codec[M]{
			Encode: func(*M) []byte { panic(no) },
			Append: func([]byte, *M) []byte { panic(no) },
			Decode: func([]byte, *M) { panic(no) },
		}
	}
	kept := new([]byte) // here, because EncodeInto puts it on the heap
	return kit.Codec[M]{
		Encode: func(m *M) []byte { return kit.Must(api.Marshal(m)) },
		Append: func(_ []byte, m *M) []byte {
			*kept = (*kept)[:0]
			worker.Must(encoder.EncodeInto(kept, m, options))
			return *kept
		},
		Decode: func(text []byte, m *M) { worker.Must(api.Unmarshal(text, m)) },
	}
}
