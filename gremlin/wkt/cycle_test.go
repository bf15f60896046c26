package wkt_test

import (
	"errors"
	"testing"

	"github.com/octopus-framework/octopus/gremlin"
	"github.com/octopus-framework/octopus/gremlin/json"
	"github.com/octopus-framework/octopus/gremlin/wkt"
)

// TestCycle writes messages that contain themselves: through a list, more than once, and through a
// map. Each writer gives an error or panics with one, and the program goes on.
func TestCycle(t *testing.T) {
	list := &wkt.ListValue{Values: make([]wkt.Value, 2)}
	for i := range list.Values {
		list.Values[i].Kind = &wkt.Value_ListValue{ListValue: list}
	}
	object := &wkt.Struct{Fields: map[string]wkt.Value{}}
	object.Fields["a"] = wkt.Value{Kind: &wkt.Value_StructValue{StructValue: object}}
	for name, m := range map[string]interface {
		json.Message
		MarshalJSON() ([]byte, error)
		String() string
		CheckEncoding() error
	}{"list": list, "map": object} {
		for writer, write := range map[string]func() error{
			"Marshal":       func() error { m.Marshal(); return nil },
			"MarshalAppend": func() error { m.MarshalAppend(nil); return nil },
			"delimited":     func() error { gremlin.AppendDelimited(nil, m); return nil },
			"stable":        func() error { gremlin.MarshalStable(nil, m); return nil },
			"text":          func() error { _ = m.String(); return nil },
			"diff":          func() error { gremlin.Diff(m, m); return nil },
			"size":          func() error { size(m); return nil },
			"clone":         func() error { clone(m); return nil },
			"JSON":          func() error { _, err := m.MarshalJSON(); return err },
			"AppendJSON": func() error {
				_, err := json.Append(nil, m, json.Options{})
				return err
			},
			"check": m.CheckEncoding,
		} {
			err, panicked := caught(write)
			var e *gremlin.Error
			if !errors.As(err, &e) || e.Code != gremlin.TooDeep {
				t.Errorf("%s, %s: %v", name, writer, err)
			}
			if returns := writer == "JSON" || writer == "AppendJSON" ||
				writer == "check"; panicked == returns {
				t.Errorf("%s, %s: panicked is %v", name, writer, panicked)
			}
		}
	}
}

func size(m gremlin.Message) int { return m.Size() }

func clone(m any) any {
	if m, ok := m.(*wkt.Struct); ok {
		return m.Clone()
	}
	return m.(*wkt.ListValue).Clone()
}

// TestEqualCycle: what contains itself equals itself alone.
func TestEqualCycle(t *testing.T) {
	circle := func() *wkt.ListValue {
		list := &wkt.ListValue{Values: make([]wkt.Value, 2)}
		for i := range list.Values {
			list.Values[i].Kind = &wkt.Value_ListValue{ListValue: list}
		}
		return list
	}
	x, y := circle(), circle()
	if !x.Equal(x) || x.Equal(y) {
		t.Errorf("itself %v, another %v", x.Equal(x), x.Equal(y))
	}
}

// caught returns the error that f returns or panics with.
func caught(f func() error) (err error, panicked bool) {
	defer func() {
		if p := recover(); p != nil {
			err, panicked = p.(error), true
		}
	}()
	return f(), false
}

// TestDeepIsNoCycle writes as many levels as can be read.
func TestDeepIsNoCycle(t *testing.T) {
	v := &wkt.Value{}
	for range 4990 {
		v = &wkt.Value{Kind: &wkt.Value_ListValue{ListValue: &wkt.ListValue{
			Values: []wkt.Value{*v, {Kind: &wkt.Value_BoolValue{}}, {}}}}}
	}
	if c := v.Clone(); !c.Equal(v) || c.Size() != len(v.Marshal()) {
		t.Error("a deep value is not its clone, or not as long")
	}
	for range 20 { // as many messages as it takes for a look at the stack
		v.Marshal()
	}
	wide := &wkt.ListValue{}
	for range 50000 {
		wide.Values = append(wide.Values, wkt.Value{Kind: &wkt.Value_BoolValue{}})
	}
	if b := wide.Marshal(); len(b) == 0 {
		t.Error("nothing is written")
	}
}
