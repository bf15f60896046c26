package gremlin_test

import (
	"testing"

	"github.com/octopus-framework/octopus/gremlin/descriptor"
)

// TestExtension sets, reads and clears a message extension, among fields that are unknown.
func TestExtension(t *testing.T) {
	m := &descriptor.FeatureSet{}
	if err := m.Unmarshal([]byte{0x08, 1, 0xf8, 0x3f, 7}); err != nil { // field_presence = 1, unknown field 1023 = 7
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
