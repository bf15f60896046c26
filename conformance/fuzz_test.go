package conformance

import (
	"encoding/hex"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/octopus-framework/octopus/conformance/internal/check"
)

// addSeeds adds the past finds and a random value of each type.
func addSeeds(f *testing.F, add func(which byte, b []byte)) {
	f.Helper()
	for _, p := range past {
		b, err := hex.DecodeString(p.hex)
		if err != nil {
			f.Fatal(err)
		}
		for i, typ := range types {
			if typ.Desc == typeOf(p.typ).Desc {
				add(byte(i), b)
			}
		}
	}
	for i, typ := range types {
		rng := seed(typ.Desc)
		m := typ.New()
		check.Fill(rng, m.ProtoReflect(), 0.4, 1)
		if b := check.Encode(rng, m); len(b) < 4096 {
			add(byte(i), b)
		}
	}
}

// FuzzMessage compares everything there is, for any bytes.
func FuzzMessage(f *testing.F) {
	addSeeds(f, func(which byte, b []byte) { f.Add(which, b) })
	f.Fuzz(func(t *testing.T, which byte, b []byte) {
		if err := check.Input(types[int(which)%len(types)], b); err != nil {
			t.Fatal(err)
		}
	})
}

// FuzzReader reads a Reader whose bytes are replaced after Unmarshal, and compares one whose bytes
// are not.
func FuzzReader(f *testing.F) {
	addSeeds(f, func(which byte, b []byte) { f.Add(which, b, []byte{0xff, 0x80, 0, 0x0a, 0x7f}) })
	f.Fuzz(func(t *testing.T, which byte, b, later []byte) {
		typ := types[int(which)%len(types)]
		want, r := typ.New(), typ.NewReader()
		err := proto.UnmarshalOptions{AllowPartial: true}.Unmarshal(b, want)
		if rerr := r.Unmarshal(b); rerr != nil {
			if err == nil {
				t.Fatalf("Reader.Unmarshal: %v, protobuf-go accepts", rerr)
			}
			return
		}
		if err == nil {
			if err := check.Values(typ, b); err != nil {
				t.Fatal(err)
			}
		}
		copy(b, later)
		check.Read(r, typ.Desc)
		for i := range b {
			b[i] ^= 0x80
		}
		check.Read(r, typ.Desc)
	})
}
