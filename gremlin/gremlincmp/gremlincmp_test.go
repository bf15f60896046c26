package gremlincmp_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/octopus-framework/octopus/gremlin"
	"github.com/octopus-framework/octopus/gremlin/descriptor"
	"github.com/octopus-framework/octopus/gremlin/gremlincmp"
	"github.com/octopus-framework/octopus/gremlin/wkt"
)

func newType() *wkt.Type {
	return &wkt.Type{
		Name:   "shop.v1.Deposit",
		Oneofs: []string{"b", "a", "c"},
		Fields: []wkt.Field{{Name: "amount", Number: 3, Packed: true},
			{Name: "user", Kind: wkt.Field_TYPE_MESSAGE}},
		SourceContext: &wkt.SourceContext{FileName: "shop.proto"},
		Syntax:        wkt.Syntax_SYNTAX_PROTO3,
	}
}

func newReader(t *testing.T, m *wkt.Type) *wkt.TypeReader {
	t.Helper()
	r := wkt.NewTypeReader()
	if err := r.Unmarshal(m.Marshal()); err != nil {
		t.Fatal(err)
	}
	return r
}

// TestWhereMessagesAre compares messages in all the places where cmp alone panics or shows one
// line.
func TestWhereMessagesAre(t *testing.T) {
	x, y := newType(), newType()
	y.Fields[1].Name = "buyer"
	type inside struct {
		T wkt.Type
		P *wkt.Type
	}
	var none *wkt.Type
	for name, c := range map[string][3]any{
		"pointer": {x, newType(), y},
		"value":   {*x, *newType(), *y},
		"list":    {[]wkt.Type{*x}, []wkt.Type{*newType()}, []wkt.Type{*y}},
		"map": {map[string]wkt.Type{"k": *x}, map[string]wkt.Type{"k": *newType()},
			map[string]wkt.Type{"k": *y}},
		"struct": {inside{T: *x, P: x}, inside{T: *newType(), P: newType()},
			inside{T: *y, P: y}},
		"interface": {[]any{x}, []any{newType()}, []any{y}},
		"reader":    {newReader(t, x), newReader(t, newType()), newReader(t, y)},
		"readers": {[]wkt.TypeReader{*newReader(t, x)},
			[]wkt.TypeReader{*newReader(t, newType())}, []wkt.TypeReader{*newReader(t, y)}},
		"nil":      {x, newType(), none},
		"both nil": {none, none, x},
	} {
		if d := cmp.Diff(c[0], c[1], gremlincmp.Transform()); d != "" {
			t.Errorf("%s: equal ones differ:\n%s", name, d)
		}
		d := cmp.Diff(c[0], c[2], gremlincmp.Transform())
		if d == "" || !strings.Contains(name, "nil") && (!strings.Contains(d, `"buyer"`) ||
			!strings.Contains(d, `"user"`)) {
			t.Errorf("%s: the difference is\n%s", name, d)
		}
	}
	if cmp.Equal([]any{x}, []any{&wkt.Empty{}}, gremlincmp.Transform()) {
		t.Error("messages of two types are equal")
	}
}

// TestKinds compares a message of each kind of field with ones in which one field is another.
func TestKinds(t *testing.T) {
	s := func(change func(*wkt.Struct)) *wkt.Struct {
		m := &wkt.Struct{Fields: map[string]wkt.Value{
			"n": {Kind: &wkt.Value_NumberValue{NumberValue: 1.5}},
			"s": {Kind: &wkt.Value_StringValue{StringValue: ""}},
			"b": {Kind: &wkt.Value_BoolValue{}},
			"0": {Kind: &wkt.Value_NullValue{}}, "": {},
		}}
		change(m)
		return m
	}
	same := s(func(*wkt.Struct) {})
	for name, change := range map[string]func(*wkt.Struct){
		"number": func(m *wkt.Struct) {
			m.Fields["n"] = wkt.Value{Kind: &wkt.Value_NumberValue{NumberValue: 2}}
		},
		"member": func(m *wkt.Struct) { m.Fields["b"] = m.Fields["0"] },
		"key":    func(m *wkt.Struct) { delete(m.Fields, "") },
		"no member": func(m *wkt.Struct) {
			m.Fields["s"] = wkt.Value{}
		},
	} {
		if cmp.Equal(same, s(change), gremlincmp.Transform()) {
			t.Errorf("%s: equal", name)
		}
	}
	if d := cmp.Diff(same, s(func(*wkt.Struct) {}), gremlincmp.Transform()); d != "" {
		t.Error(d)
	}
	// proto2, groups, packed lists, defaults with presence, closed enums.
	d := func() *descriptor.FileDescriptorProto {
		return &descriptor.FileDescriptorProto{
			Name: ptr("a.proto"), PublicDependency: []int32{1, 2},
			MessageType: []descriptor.DescriptorProto{{Name: ptr("A")}},
			Options: &descriptor.FileOptions{
				OptimizeFor: descriptor.FileOptions_SPEED.Enum(), Deprecated: ptr(false)},
			SourceCodeInfo: &descriptor.SourceCodeInfo{
				Location: []descriptor.SourceCodeInfo_Location{{Path: []int32{4, 0}}}}}
	}
	a, b := d(), d()
	b.SourceCodeInfo.Location[0].Path[1] = 1
	if diff := cmp.Diff(a, b, gremlincmp.Transform()); !strings.Contains(diff, "path") {
		t.Errorf("the difference is %s", diff)
	}
	b = d()
	b.Options.Deprecated = nil
	if cmp.Equal(a, b, gremlincmp.Transform()) {
		t.Error("false is the same as nothing")
	}
	if d := cmp.Diff(a, b, gremlincmp.Transform(), gremlincmp.IgnoreDefaultScalars()); d != "" {
		t.Error(d)
	}
}

// TestOptions: each option makes a pair equal which is not without it.
func TestOptions(t *testing.T) {
	unknown := &wkt.Type{}
	if err := unknown.Unmarshal([]byte{0xb8, 0x3e, 1, 0xba, 0x3e, 1, 'x'}); err != nil {
		t.Fatal(err)
	}
	list := func(names ...string) *wkt.Type { return &wkt.Type{Oneofs: names} }
	fields := func(numbers ...int32) *wkt.Type {
		m := &wkt.Type{}
		for _, n := range numbers {
			m.Fields = append(m.Fields, wkt.Field{Number: n})
		}
		return m
	}
	empty := &wkt.Type{SourceContext: &wkt.SourceContext{}}
	typ := (*wkt.Type)(nil)
	for name, c := range map[string]struct {
		x, y any
		opt  cmp.Option
	}{
		"IgnoreFields": {&wkt.Type{Name: "x"}, &wkt.Type{Name: "y"},
			gremlincmp.IgnoreFields(typ, "name")},
		"IgnoreFields of one": {&wkt.Type{Name: "x"}, &wkt.Type{},
			gremlincmp.IgnoreFields((*wkt.TypeReader)(nil), "name")},
		"IgnoreOneofs": {&wkt.Value{Kind: &wkt.Value_BoolValue{}},
			&wkt.Value{Kind: &wkt.Value_StructValue{StructValue: &wkt.Struct{}}},
			gremlincmp.IgnoreOneofs((*wkt.Value)(nil), "kind")},
		"IgnoreOneofs of a Reader": {&wkt.Value{Kind: &wkt.Value_BoolValue{}}, &wkt.Value{},
			gremlincmp.IgnoreOneofs((*wkt.ValueReader)(nil), "kind")},
		"FilterOneof": {&wkt.Value{Kind: &wkt.Value_NumberValue{NumberValue: 1}},
			&wkt.Value{Kind: &wkt.Value_NumberValue{NumberValue: 1.01}},
			gremlincmp.FilterOneof((*wkt.Value)(nil), "kind", cmpopts.EquateApprox(0, 0.1))},
		"IgnoreEnums": {&wkt.Type{Syntax: wkt.Syntax_SYNTAX_PROTO3}, &wkt.Type{},
			gremlincmp.IgnoreEnums(&wkt.Syntax_info)},
		"IgnoreUnknown":       {unknown, &wkt.Type{}, gremlincmp.IgnoreUnknown()},
		"IgnoreEmptyMessages": {empty, &wkt.Type{}, gremlincmp.IgnoreEmptyMessages()},
		"IgnoreMessages": {newType(), &wkt.Type{Name: newType().Name,
			Oneofs: newType().Oneofs, Fields: newType().Fields, Syntax: 1},
			gremlincmp.IgnoreMessages((*wkt.SourceContext)(nil))},
		"SortRepeated": {list("a", "b", "c"), list("c", "a", "b"),
			gremlincmp.SortRepeated(func(x, y string) bool { return x < y })},
		"SortRepeated messages": {fields(1, 2), fields(2, 1),
			gremlincmp.SortRepeated(func(x, y gremlincmp.Message) bool {
				return x["number"].(int32) < y["number"].(int32)
			})},
		"SortRepeatedFields": {list("a", "b", "c"), list("c", "a", "b"),
			gremlincmp.SortRepeatedFields(typ, "oneofs")},
		"SortRepeatedFields messages": {fields(1, 2, 3), fields(2, 1, 3),
			gremlincmp.SortRepeatedFields(typ, "fields")},
		"FilterField": {list("a", "b"), list("b", "a"), gremlincmp.FilterField(typ, "oneofs",
			cmpopts.SortSlices(func(x, y string) bool { return x < y }))},
		"FilterMessage": {&wkt.Type{Name: "x"}, &wkt.Type{Name: "y"},
			gremlincmp.FilterMessage(typ, cmp.Ignore())},
		"EquateNaNs": {&wkt.Value{Kind: &wkt.Value_NumberValue{NumberValue: nan()}},
			&wkt.Value{Kind: &wkt.Value_NumberValue{NumberValue: nan()}}, cmpopts.EquateNaNs()},
	} {
		if cmp.Equal(c.x, c.y, gremlincmp.Transform()) {
			t.Errorf("%s: equal without it", name)
		}
		if d := cmp.Diff(c.x, c.y, gremlincmp.Transform(), c.opt); d != "" {
			t.Errorf("%s:\n%s", name, d)
		}
		if cmp.Equal([]any{c.x, &wkt.Api{Name: "x"}}, []any{c.y, &wkt.Api{Name: "y"}},
			gremlincmp.Transform(), c.opt) {
			t.Errorf("%s ignores other messages", name)
		}
	}
	for name, wrong := range map[string]func(){
		"no oneof": func() { gremlincmp.IgnoreOneofs(typ, "name") },
		"no field": func() { gremlincmp.IgnoreFields(typ, "nmae") },
		"no less":  func() { gremlincmp.SortRepeated(func(x, y string) int { return 0 }) },
		"no func":  func() { gremlincmp.SortRepeated(1) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			wrong()
		}()
	}
}

// TestCycle: cmp does not end the process over a Message that contains itself; what it is compared
// with is different.
func TestCycle(t *testing.T) {
	circle := &wkt.ListValue{Values: make([]wkt.Value, 1)}
	circle.Values[0].Kind = &wkt.Value_ListValue{ListValue: circle}
	if cmp.Equal(circle, &wkt.ListValue{}, gremlincmp.Transform()) {
		t.Error("a circle equals an empty list")
	}
	if d := cmp.Diff(circle, &wkt.ListValue{}, gremlincmp.Transform()); !strings.Contains(d,
		"contains itself") {
		t.Errorf("the difference is %s", d)
	}
	if !cmp.Equal(circle, circle, gremlincmp.Transform()) {
		t.Error("a circle does not equal itself")
	}
}

// TestAny: with the types of what they hold, Any messages are compared by that.
func TestAny(t *testing.T) {
	pack := func(m *wkt.Api, more ...byte) *wkt.Any {
		return &wkt.Any{TypeUrl: "type.googleapis.com/google.protobuf.Api",
			Value: append(more, m.Marshal()...)}
	}
	x := pack(&wkt.Api{Name: "x", Version: "1"})
	y := pack(&wkt.Api{Version: "1"}, []byte("\x0a\x01x")...)
	known := gremlincmp.Transform(gremlincmp.MessageTypeResolver(&gremlin.Types{
		Messages: []gremlin.Type{(*wkt.Api)(nil)}}))
	if cmp.Equal(x, pack(&wkt.Api{}, []byte("\x22\x011\x0a\x01x")...), gremlincmp.Transform()) {
		t.Error("bytes in another order are the same")
	}
	if d := cmp.Diff(x, pack(&wkt.Api{}, []byte("\x22\x011\x0a\x01x")...), known); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(x, y, known); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(x, pack(&wkt.Api{Name: "z", Version: "1"}), known); !strings.Contains(d,
		`"name"`) {
		t.Errorf("the difference is %s", d)
	}
	broken := pack(&wkt.Api{}, 0x0a, 9)
	if cmp.Equal(x, broken, known) || !cmp.Equal(broken, pack(&wkt.Api{}, 0x0a, 9), known) {
		t.Error("what is malformed is not compared as bytes")
	}
}

func nan() float64 {
	zero := 0.0
	return zero / zero
}

// TestBrokenReader: a Reader with an error is equal to nothing that has none.
func TestBrokenReader(t *testing.T) {
	var r wkt.TypeReader
	if err := r.Unmarshal([]byte{0x0a, 9}); err == nil {
		t.Fatal("no error")
	}
	if cmp.Equal(&r, wkt.NewTypeReader(), gremlincmp.Transform()) {
		t.Error("malformed equals empty")
	}
}

func ptr[T any](v T) *T { return &v }
