package gremlin_test

import (
	"slices"
	"testing"

	"github.com/octopus-framework/octopus/gremlin"
	"github.com/octopus-framework/octopus/gremlin/descriptor"
	"github.com/octopus-framework/octopus/gremlin/json"
	"github.com/octopus-framework/octopus/gremlin/wkt"
)

// TestMergeBehindLength: what lies behind the end of a list that was cut does not come back.
func TestMergeBehindLength(t *testing.T) {
	element := func(name string) []byte {
		m := descriptor.FileDescriptorProto{
			MessageType: []descriptor.DescriptorProto{{Name: &name}},
			Dependency:  []string{name}, PublicDependency: []int32{3},
		}
		return m.Marshal()
	}
	short := func() *descriptor.FileDescriptorProto {
		name := "old"
		m := &descriptor.FileDescriptorProto{
			MessageType: []descriptor.DescriptorProto{{}, {Name: &name,
				Field: make([]descriptor.FieldDescriptorProto, 3), ReservedName: []string{"x"}}},
			Dependency: []string{"a", "b"}, PublicDependency: []int32{1, 2},
		}
		m.MessageType, m.Dependency = m.MessageType[:1], m.Dependency[:1]
		m.PublicDependency = m.PublicDependency[:1]
		return m
	}
	check := func(how string, m *descriptor.FileDescriptorProto, err error) {
		t.Helper()
		if err != nil || len(m.MessageType) != 2 || m.MessageType[1].GetName() != "new" ||
			len(m.MessageType[1].Field) != 0 || len(m.MessageType[1].ReservedName) != 0 ||
			len(m.Dependency) != 2 || m.Dependency[1] != "new" ||
			!slices.Equal(m.PublicDependency, []int32{1, 3}) {
			t.Errorf("%s: %v, %v", how, err, m)
		}
	}
	m := short()
	check("UnmarshalMerge", m, gremlin.UnmarshalMerge(element("new"), m))
	m = short()
	var src descriptor.FileDescriptorProto
	if err := src.Unmarshal(element("new")); err != nil {
		t.Fatal(err)
	}
	check("Merge", m, gremlin.Merge(m, &src))

	// JSON has no merge: what its reader begins with is empty
	list := wkt.ListValue{Values: []wkt.Value{{Kind: &wkt.Value_BoolValue{BoolValue: true}}, {}}}
	list.Values = list.Values[:0]
	err := json.Unmarshal([]byte(`[null]`), &list, json.Options{})
	if err != nil || len(list.Values) != 1 || list.Values[0].GetBoolValue() {
		t.Errorf("JSON: %v, %v", err, &list)
	}
}
