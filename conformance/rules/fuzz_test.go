package rules_test

import (
	"testing"

	"github.com/octopus-framework/octopus/conformance/rules/every"
	"github.com/octopus-framework/octopus/gremlin/validate"
)

// FuzzReader compares what a Reader says of any bytes with what the Message in them says.
func FuzzReader(f *testing.F) {
	f.Add(valid().Marshal())
	m := valid()
	m.Text, m.Numbers, m.One = nil, nil, &every.Every_Every{Every: valid()}
	m.Maps.Truth, m.Required = map[bool]string{false: ""}, &every.Required{Float: 1}
	f.Add(m.Marshal())
	f.Add([]byte("\x2a\x02\x0a\x10"))
	f.Add([]byte("\x0a\x04\x0a\x02ab\x0a\x05\x4a\x03a@b\x2a\x06\x1a\x04\x08\x01\x12\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		var m every.Every
		var r every.EveryReader
		o := validate.Options{Now: now}
		wrong := m.Unmarshal(b)
		if err := r.Unmarshal(b); err != nil {
			if wrong == nil {
				t.Errorf("the Reader cannot be opened: %v", err)
			}
			return
		}
		got := validate.Check(&r, o)
		if wrong != nil {
			if got == nil {
				t.Errorf("malformed, %v, and valid", wrong)
			}
			return
		}
		want := validate.Check(&m, o)
		if (got == nil) != (want == nil) || got != nil && got.Error() != want.Error() {
			t.Errorf("a Reader says %v, the Message %v", got, want)
		}
	})
}
