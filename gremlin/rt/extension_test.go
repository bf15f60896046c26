package rt_test

import (
	"testing"

	"github.com/octopus-framework/octopus/gremlin/descriptor"
	"github.com/octopus-framework/octopus/gremlin/rt"
)

// TestExtension sets, reads and clears a message extension, among fields that are unknown.
func TestExtension(t *testing.T) {
	m := &descriptor.FeatureSet{}
	// field_presence = 1, unknown field 1023 = 7
	if err := m.Unmarshal([]byte{0x08, 1, 0xf8, 0x3f, 7}); err != nil {
		t.Fatal(err)
	}
	if descriptor.E_Go.Has(m) || descriptor.E_Go.Get(m) != nil {
		t.Error("set before it was set")
	}
	legacy := true
	descriptor.E_Go.Set(m, &descriptor.GoFeatures{LegacyUnmarshalJsonEnum: &legacy})
	descriptor.E_Go.Set(m, descriptor.E_Go.Get(m)) // replaces, does not add
	var r descriptor.FeatureSetReader
	if err := r.Unmarshal(m.Marshal()); err != nil {
		t.Fatal(err)
	}
	if !descriptor.E_Go.Has(m) || !descriptor.E_Go.Get(m).GetLegacyUnmarshalJsonEnum() {
		t.Errorf("not set in %x", m.Marshal())
	}
	if !descriptor.E_Go.HasIn(&r) || !descriptor.E_Go.GetFrom(&r).GetLegacyUnmarshalJsonEnum() {
		t.Error("the Reader does not see it")
	}
	if again := r.ToMessage(); !again.Equal(m) {
		t.Errorf("%v is not %v", again, m)
	}
	descriptor.E_Go.Clear(m)
	if got := m.Marshal(); descriptor.E_Go.Has(m) || string(got) != "\x08\x01\xf8\x3f\x07" {
		t.Errorf("after Clear %x is left", got)
	}
}

// TestExtensionInMessageSet does the same with an item of a message set, which has a number that is
// none of a field.
func TestExtensionInMessageSet(t *testing.T) {
	const number = 1 << 30
	x := rt.Extension[*descriptor.FeatureSet, *descriptor.FeatureSetReader, *descriptor.GoFeatures]{
		Field: rt.FieldInfo{Name: "test.in_set", Number: number, Kind: rt.KindMessage}, InSet: true,
		Append: func(b []byte, v *descriptor.GoFeatures) []byte {
			return append(append(b, 0x1a, byte(v.Size())), v.Marshal()...)
		},
		Decode: descriptor.E_Go.Decode,
	}
	const item = "\x0b\x10\x80\x80\x80\x80\x04\x1a\x02\x08\x01\x0c"
	// another one, one without number, a field
	const others = "\x0b\x10\x05\x1a\x00\x0c" + "\x0b\x1a\x02\x08\x01\x0c" + "\x18\x07"
	legacy := true
	m := &descriptor.FeatureSet{}
	*m.GremlinUnknown() = rt.UnknownOf([]byte(others))
	if x.Has(m) || x.Get(m) != nil {
		t.Error("set before it was set")
	}
	x.Set(m, &descriptor.GoFeatures{LegacyUnmarshalJsonEnum: &legacy})
	x.Set(m, x.Get(m)) // replaces, does not add
	if got := string(m.GremlinUnknown().Bytes()); got != others+item {
		t.Errorf("set to %q", got)
	}
	x.Clear(m)
	if got := string(m.GremlinUnknown().Bytes()); got != others || x.Has(m) {
		t.Errorf("after Clear %q is left", got)
	}
	for in, want := range map[string]bool{
		item:                               true,
		item[:len(item)-1] + "\x0c" + item: true,
		// the message first
		"\x0b\x1a\x02\x08\x01\x10\x80\x80\x80\x80\x04\x0c": true,
		// the last number counts
		"\x0b\x10\x05\x10\x80\x80\x80\x80\x04\x20\x01\x1a\x02\x08\x01\x0c": true,
		"\x0b\x10\x80\x80\x80\x80\x04\x10\x05\x1a\x02\x08\x01\x0c":         false, // here too
		// two messages that only together are one
		"\x0b\x10\x80\x80\x80\x80\x04\x1a\x01\x08\x1a\x01\x01\x0c": true,
		item[:len(item)-1]:                 false, // no end
		"\x0b\x12\x80\x80\x80\x80\x04\x0c": false,
		"\x82\x80\x80\x80\x20\x02\x08\x01": false, // a field of the number
	} {
		var r descriptor.FeatureSetReader
		_ = r.Unmarshal([]byte(in))
		*m.GremlinUnknown() = rt.UnknownOf([]byte(in))
		if x.Has(m) != want || x.Get(m).GetLegacyUnmarshalJsonEnum() != want {
			t.Errorf("%q: Has %v, Get %v", in, x.Has(m), x.Get(m))
		}
		if r.Err() == nil && x.HasIn(&r) && x.GetFrom(&r).GetLegacyUnmarshalJsonEnum() != want {
			t.Errorf("%q: the Reader has %v", in, x.GetFrom(&r))
		}
		x.Clear(m)
		if want && m.GremlinUnknown().Size() != 0 {
			t.Errorf("%q: Clear leaves %q", in, m.GremlinUnknown().Bytes())
		}
	}
	*m.GremlinUnknown() = rt.UnknownOf([]byte("\x0b\x10\x80\x80\x80\x80\x04\x0c")) // no message
	if !x.Has(m) || x.Get(m) == nil || x.Get(m).Size() != 0 {
		t.Errorf("an item without message: Has %v, Get %v", x.Has(m), x.Get(m))
	}
	if extended, _ := x.GremlinExtension(); extended != nil {
		t.Error("text and JSON would take it for a field")
	}
}

// TestExtensionsOfCopies: copies share unknown fields until one of them gets others.
func TestExtensionsOfCopies(t *testing.T) {
	for name, unknown := range map[string][]byte{
		"fields":    append(make([]byte, 0, 100), 0xf8, 0x3f, 7),
		"malformed": append(make([]byte, 0, 100), 0xf8, 0x3f, 0x80), // which Clear leaves as it is
	} {
		m := &descriptor.FeatureSet{}
		*m.GremlinUnknown() = rt.UnknownOf(unknown)
		a, b := m.Clone(), *m
		yes, no := true, false
		descriptor.E_Go.Set(a, &descriptor.GoFeatures{LegacyUnmarshalJsonEnum: &yes})
		ofA := string(a.Marshal())
		descriptor.E_Go.Set(&b, &descriptor.GoFeatures{LegacyUnmarshalJsonEnum: &no})
		if string(m.Marshal()) != string(unknown) || string(a.Marshal()) != ofA ||
			string(b.Marshal()) == ofA {
			t.Errorf("%s: %x, copies %x, before it was %x, and %x", name, m.Marshal(), a.Marshal(),
				ofA, b.Marshal())
		}
	}
}
