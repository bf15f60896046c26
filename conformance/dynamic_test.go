package conformance

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/octopus-framework/octopus/conformance/internal/check"
	"github.com/octopus-framework/octopus/gremlin"
	"github.com/octopus-framework/octopus/gremlin/dynamic"
	"github.com/octopus-framework/octopus/gremlin/json"
)

// dynamicInput compares what types made at run time and generated code do with an input.
func dynamicInput(typ check.Type, d *dynamic.Type, b []byte) error {
	want, got := typ.NewMessage(), dynamic.New(d)
	if err := sameError("Unmarshal", got.Unmarshal(b), want.Unmarshal(b)); err != nil {
		return err
	}
	reader := dynamic.NewReader(d)
	if reader.Unmarshal(b) != nil {
		return nil
	}
	generated := typ.NewReader()
	_ = generated.Unmarshal(b)
	if err := sameError("CheckEncoding", reader.CheckEncoding(),
		generated.CheckEncoding()); err != nil {
		return err
	}
	if err := want.Unmarshal(b); err != nil {
		return nil
	}
	if x, y := got.Marshal(), gremlin.MarshalStable(nil, want); !bytes.Equal(x, y) {
		return fmt.Errorf("Marshal gives %x for %x", x, y)
	}
	if x, y := got.String(), want.String(); x != y {
		return fmt.Errorf("String gives %s\nfor %s", x, y)
	}
	for _, o := range []json.Options{{Types: textTypes}, {Types: textTypes, EmitDefaults: true,
		ProtoNames: true, EnumNumbers: true}} {
		if err := dynamicJSON(typ, d, b, o); err != nil {
			return err
		}
	}
	return nil
}

// dynamicJSON compares the two of an input that is valid.
func dynamicJSON(typ check.Type, d *dynamic.Type, b []byte, o json.Options) error {
	r, generated, m := dynamic.NewReader(d), typ.NewReader(), typ.NewMessage()
	_, _ = r.Unmarshal(b), generated.Unmarshal(b)
	own := o
	own.Types = dynamicTypes.Known()
	x, err := r.AppendJSON(nil, own)
	y, err2 := generated.(interface {
		AppendJSON([]byte, json.Options) ([]byte, error)
	}).AppendJSON(nil, o)
	if err := sameError("AppendJSON", err, err2); err != nil {
		return err
	}
	if !bytes.Equal(x, y) {
		return fmt.Errorf("AppendJSON gives %s\nfor %s", x, y)
	}
	if err != nil {
		return nil
	}
	encoded, err := d.JSONToWire(nil, x, own)
	err2 = json.Unmarshal(x, m.(json.Message), o)
	if err := sameError("JSONToWire", err, err2); err != nil || err2 != nil {
		return err
	}
	again := dynamic.New(d)
	if err := again.Unmarshal(encoded); err != nil {
		return err
	}
	if x, y := again.Marshal(), gremlin.MarshalStable(nil, m); !bytes.Equal(x, y) {
		return fmt.Errorf("JSONToWire gives %x for %x", x, y)
	}
	return nil
}

func sameError(what string, got, want error) error {
	if fmt.Sprint(got) != fmt.Sprint(want) {
		return fmt.Errorf("%s: %v for %v", what, got, want)
	}
	return nil
}

func TestDynamicValues(t *testing.T) {
	values, mutations := rounds()
	forTypes(t, func(t *testing.T, typ check.Type) {
		rng, d := seed(typ.Desc), dynamicType(t, typ)
		for range values / 2 {
			b := textValue(rng, typ)
			if err := dynamicInput(typ, d, b); err != nil {
				t.Fatalf("%v\ninput %x", err, b[:min(len(b), 2000)])
			}
			if len(b) > 20000 {
				continue
			}
			for range mutations {
				c := check.Mutate(rng, b, typ.Desc)
				if err := dynamicInput(typ, d, c); err != nil {
					t.Fatalf("%v\ninput %x", err, c[:min(len(c), 2000)])
				}
			}
		}
	})
}

// TestDynamicChanges changes small values in every place in every way.
func TestDynamicChanges(t *testing.T) {
	forTypes(t, func(t *testing.T, typ check.Type) {
		rng, d := seed(typ.Desc), dynamicType(t, typ)
		n := rng.IntN(10)
		check.Changes(small(rng, typ), typ.Desc, func(c []byte) {
			if n++; n%10 != 0 {
				return
			}
			if err := dynamicInput(typ, d, c); err != nil {
				t.Fatalf("%v\ninput %x", err, c)
			}
		})
	})
}

// FuzzDynamic compares types made at run time with generated code; the first byte says which type.
func FuzzDynamic(f *testing.F) {
	for i, typ := range types {
		rng := seed(typ.Desc)
		for range 3 {
			f.Add(uint8(i), small(rng, typ))
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, b []byte) {
		typ := types[int(which)%len(types)]
		if err := dynamicInput(typ, dynamicType(t, typ), b); err != nil {
			t.Fatalf("%v\ninput %x", err, b)
		}
	})
}

// TestDynamicTexts reads JSON that is wrong in many ways: the same is accepted, with the same
// message, and the rest rejected for the same reason at the same place.
func TestDynamicTexts(t *testing.T) {
	values, mutations := rounds()
	forTypes(t, func(t *testing.T, typ check.Type) {
		rng, d := seed(typ.Desc), dynamicType(t, typ)
		names := jsonNames(typ.Desc)
		ours := json.Options{Types: dynamicTypes.Known()}
		for range values / 2 {
			m := typ.NewMessage()
			if m.Unmarshal(textValue(rng, typ)) != nil {
				continue
			}
			text, err := json.Marshal(m.(json.Message), json.Options{Types: textTypes})
			if err != nil || len(text) > 20000 {
				continue
			}
			for range mutations {
				c := []byte(check.MutateJSON(rng, string(text), names))
				want := json.Unmarshal(c, m.(json.Message), json.Options{Types: textTypes})
				encoded, err := d.JSONToWire(nil, c, ours)
				if err := sameError("JSONToWire", err, want); err != nil {
					t.Fatalf("%v\ntext %s", err, c)
				}
				if err != nil {
					continue
				}
				// a number that a closed enum does not have is an unknown field in an encoding only
				if err := m.Unmarshal(m.Marshal()); err != nil {
					t.Fatal(err)
				}
				got := dynamic.New(d)
				if err := got.Unmarshal(encoded); err != nil || !bytes.Equal(got.Marshal(),
					gremlin.MarshalStable(nil, m)) {
					t.Fatalf("%v: %s\nfor %s\ntext %s", err, got, m, c)
				}
			}
		}
	})
}
