package conformance

import (
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/octopus-framework/octopus/conformance/internal/check"
	"github.com/octopus-framework/octopus/conformance/internal/gen/known"
	"github.com/octopus-framework/octopus/conformance/internal/gen/p2"
	"github.com/octopus-framework/octopus/gremlin"
	"github.com/octopus-framework/octopus/gremlin/wkt"
)

// knownTypes is what Any and extensions may be in the tests.
var knownTypes = &gremlin.Types{
	Messages: []gremlin.Type{(*known.Named)(nil), (*known.Known)(nil), (*p2.Extendable)(nil),
		(*wkt.Duration)(nil), (*wkt.Timestamp)(nil),
		(*wkt.Int32Value)(nil), (*wkt.Any)(nil), (*wkt.Empty)(nil), (*wkt.Struct)(nil),
		(*wkt.Value)(nil)},
	Extensions: []gremlin.ExtensionType{&p2.E_ExtInt, &p2.E_ExtString, &p2.E_ExtMessage,
		&p2.E_ExtPacked, &p2.E_ExtStrings,
		&p2.E_ExtMessages, &p2.E_ExtShade, &p2.E_ExtTones, &p2.E_ExtDouble},
}

func TestJSONOfValues(t *testing.T) {
	values, _ := rounds()
	forTypes(t, func(t *testing.T, typ check.Type) {
		rng := seed(typ.Desc)
		for range values/3 + 1 {
			b := random(rng, typ)
			if err := check.JSON(typ, b, knownTypes); err != nil {
				t.Fatalf("%v\ninput %x", err, b[:min(len(b), 2000)])
			}
		}
	})
}

// TestJSONOfMutations is TestJSONOfValues for encodings that are unusual: out of order, in pieces,
// twice, with unknown fields.
func TestJSONOfMutations(t *testing.T) {
	values, mutations := rounds()
	forTypes(t, func(t *testing.T, typ check.Type) {
		rng := seed(typ.Desc)
		for range values/3 + 1 {
			b := random(rng, typ)
			for range mutations {
				if b = check.Mutate(rng, b, typ.Desc); len(b) > 20000 {
					break
				}
				if err := check.JSON(typ, b, knownTypes); err != nil {
					t.Fatalf("%v\ninput %x", err, b[:min(len(b), 2000)])
				}
			}
		}
	})
}

// jsonNames returns names that mean something in a type or in what is in it.
func jsonNames(md protoreflect.MessageDescriptor) (names []string) {
	names = []string{"unknown", "@type", "value", "[octopus.test.p2.ext_int]",
		"[octopus.test.p2.ext_message]"}
	for i := range md.Fields().Len() {
		names = append(names, md.Fields().Get(i).JSONName(), string(md.Fields().Get(i).Name()))
	}
	return names
}

func TestJSONTexts(t *testing.T) {
	values, mutations := rounds()
	forTypes(t, func(t *testing.T, typ check.Type) {
		rng := seed(typ.Desc)
		for range values {
			m := typ.New()
			check.Fill(rng, m.ProtoReflect(), share(rng)/4, rng.IntN(3))
			text, err := protojson.MarshalOptions{AllowPartial: true}.Marshal(m)
			if err != nil {
				text = []byte("{}")
			}
			for range 2 * mutations {
				c := check.MutateJSON(rng, string(text), jsonNames(typ.Desc))
				if err := check.JSONText(typ, []byte(c), knownTypes); err != nil {
					t.Fatalf("%v\ninput %q", err, c)
				}
			}
		}
	})
}

// FuzzJSONText compares what is made of any text.
func FuzzJSONText(f *testing.F) {
	for i, typ := range types {
		rng := seed(typ.Desc)
		m := typ.New()
		check.Fill(rng, m.ProtoReflect(), 0.2, 1)
		if text, err := protojson.Marshal(m); err == nil && len(text) < 4096 {
			f.Add(byte(i), text)
			f.Add(byte(i), []byte(check.MutateJSON(rng, string(text), jsonNames(typ.Desc))))
		}
	}
	for i := range types {
		f.Add(byte(i), []byte(`{"byFixed32":{"00":0}}`)) // a key that protobuf-go reads
		f.Add(byte(i), []byte(`{"byInt64":{"+1":2}}`))
		f.Add(byte(i), []byte(`{"byUint64":{"0\u0030":0}}`))
		f.Add(byte(i),
			[]byte(`{"byInt32":{"1e2":1}}`)) // values may be written like that, keys may not
		f.Add(byte(i), []byte(`{"byUint64":{"1.0" :1}}`))
		f.Add(byte(i), []byte(`{"byFixed32":{"-0":0}}`))
		f.Add(byte(i), []byte(`{"byInt32":{"-0":0}}`))
		f.Add(byte(i), []byte(`{"byUint64":{"-\u0030":0}}`))
		// Entries whose enum value has an unknown name are left out, but their key must not have
		// been there.
		f.Add(byte(i), []byte(`{"openBy":{"1":"?","1":1}}`))
		f.Add(byte(i), []byte(`{"openBy":{"1":1,"1":"?"}}`))
		f.Add(byte(i), []byte(`{"openBy":{"1":"?","1":"?"}}`))
		f.Add(byte(i), []byte(`{"openBy":{"1":"?","2":2,"1":1,"2":"?"}}`))
		f.Add(byte(i), []byte(`{"iUint32":-0,"iUint64":"-0","iFixed32":-0.0,"iFixed64":"-0e1"}`))
	}
	f.Fuzz(func(t *testing.T, which byte, text []byte) {
		if err := check.JSONText(types[int(which)%len(types)], text, knownTypes); err != nil {
			t.Fatal(err)
		}
	})
}

// FuzzJSONOfBytes compares what is written for any encoding.
func FuzzJSONOfBytes(f *testing.F) {
	addSeeds(f, func(which byte, b []byte) { f.Add(which, b) })
	f.Fuzz(func(t *testing.T, which byte, b []byte) {
		if err := check.JSON(types[int(which)%len(types)], b, knownTypes); err != nil {
			t.Fatal(err)
		}
	})
}
