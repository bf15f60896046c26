package wkt_test

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/octopus-framework/octopus/gremlin"
	"github.com/octopus-framework/octopus/gremlin/descriptor"
	"github.com/octopus-framework/octopus/gremlin/wkt"
)

func TestAny(t *testing.T) {
	a := wkt.AnyOf(&wkt.Duration{Seconds: 90})
	if a.TypeUrl != "type.googleapis.com/google.protobuf.Duration" || !a.Is((*wkt.Duration)(nil)) ||
		a.Is((*wkt.Empty)(nil)) {
		t.Errorf("the Any is %v", a)
	}
	var d wkt.Duration
	if err := a.UnmarshalTo(&d); err != nil || d.Seconds != 90 {
		t.Errorf("%v, %v", err, d)
	}
	var r wkt.AnyReader
	if err := r.Unmarshal(a.Marshal()); err != nil {
		t.Fatal(err)
	}
	var dr wkt.DurationReader
	if err := r.UnmarshalTo(&dr); err != nil || dr.GetSeconds() != 90 || !r.Is(&dr) {
		t.Errorf("a Reader: %v, %v", err, dr)
	}
	var wrong *wkt.AnyTypeError
	if err := a.UnmarshalTo(&wkt.Empty{}); !errors.As(err, &wrong) ||
		!strings.Contains(err.Error(), "not a google.protobuf.Empty") {
		t.Errorf("another type: %v", err)
	}
	var none *wkt.Any
	if err := none.UnmarshalTo(&d); !errors.As(err, &wrong) ||
		!strings.Contains(err.Error(), "is empty") {
		t.Errorf("nothing: %v", err)
	}
	for url, want := range map[string]bool{"x/google.protobuf.Duration": true,
		"/google.protobuf.Duration": true,
		"google.protobuf.Duration":  false, "x/google.protobuf.Duration2": false, "": false} {
		if got := (&wkt.Any{TypeUrl: url}).Is(&d); got != want {
			t.Errorf("%q is a Duration: %v", url, got)
		}
	}
}

// TestStructs compares with what encoding/json makes of the same values.
func TestStructs(t *testing.T) {
	values := map[string]any{
		"nothing": nil, "yes": true, "int": -3, "uint8": uint8(200), "int64": int64(1 << 53),
		"float":   1.5,
		"float32": float32(0.5), "text": "äx", "bytes": []byte{1, 2, 255},
		"list": []any{1, "a", []any{}, nil},
		"map":  map[string]any{"a": map[string]any{"b": 1}, "": ""},
	}
	s, err := wkt.StructOf(values)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(values)
	if err != nil {
		t.Fatal(err)
	}
	var want map[string]any
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	if got := s.AsMap(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	var parsed wkt.Struct
	if err := parsed.UnmarshalJSON(text); err != nil || !parsed.Equal(s) {
		t.Errorf("%v\n%s", err, gremlin.Diff(s, &parsed))
	}
	l, err := wkt.ListValueOf([]any{s, wkt.Value{}, math.Inf(1)})
	if err != nil || len(l.AsSlice()) != 3 || l.AsSlice()[1] != nil {
		t.Errorf("%v, %v", err, l)
	}
	var nowhere *wkt.Struct
	if len(nowhere.AsMap()) != 0 {
		t.Error("a nil Struct has fields")
	}
	for want, x := range map[string]any{
		"wkt: a Go value that a Value cannot hold":         struct{}{},
		"wkt: a.b[1]: a Go value that a Value cannot hold": map[string]any{"a": map[string]any{"b": []any{1, make(chan int)}}},
		"wkt: [0].x: a string that is not UTF-8":           []any{map[string]any{"x": "\xff"}},
		"wkt: a.\"\\xff\": a string that is not UTF-8":     map[string]any{"a": map[string]any{"\xff": 1}},
	} {
		var e *wkt.ValueError
		if _, err := wkt.ValueOf(x); !errors.As(err, &e) || err.Error() != want {
			t.Errorf("%v: %v, want %s", x, err, want)
		}
	}
	circle := []any{nil}
	circle[0] = circle
	if _, err := wkt.ValueOf(circle); err == nil ||
		!strings.Contains(err.Error(), "nested too deep") {
		t.Errorf("a list in itself: %.100v", err)
	}
}

func TestFieldMasks(t *testing.T) {
	file := (*descriptor.FileDescriptorProto)(nil)
	mask := func(paths ...string) *wkt.FieldMask { return &wkt.FieldMask{Paths: paths} }
	for paths, ok := range map[string]bool{"name": true, "options.go_package": true,
		"message_type": true, "dependency": true,
		"nmae": false, "options.none": false, "message_type.name": false, "name.x": false,
		"": false, "options.": false} {
		_, err := wkt.FieldMaskOf(file, "package", paths)
		var e *wkt.PathError
		if (err == nil) != ok || !ok && (!errors.As(err, &e) || e.Path != paths) {
			t.Errorf("%q: %v", paths, err)
		}
	}
	m := mask("b", "a.c", "a", "a-b", "a.c.d", "b", "ab")
	if m.Normalize(); !slices.Equal(m.Paths, []string{"a", "a-b", "ab", "b"}) {
		t.Errorf("normalized: %v", m.Paths)
	}
	if u := wkt.Union(mask("a.b", "c"), nil, mask("a", "d.e")); !slices.Equal(u.Paths,
		[]string{"a", "c", "d.e"}) {
		t.Errorf("union: %v", u.Paths)
	}
	if i := wkt.Intersect(mask("a.b", "c", "x.y"), mask("a", "c.d", "x.z")); !slices.Equal(i.Paths,
		[]string{"a.b", "c.d"}) {
		t.Errorf("intersection: %v", i.Paths)
	}
}

func TestPrune(t *testing.T) {
	text := func(s string) *string { return &s }
	whole := descriptor.FileDescriptorProto{
		Name: text("n"), Package: text("p"), Dependency: []string{"a", "b"},
		MessageType: []descriptor.DescriptorProto{{Name: text("m")}},
		Options:     &descriptor.FileOptions{GoPackage: text("g"), JavaPackage: text("j")},
	}
	// an unknown field
	b := append(whole.Marshal(), 0x98, 0x06, 1)
	// options again
	b = append(b,
		(&descriptor.FileDescriptorProto{Options: &descriptor.FileOptions{}}).Marshal()...)
	for _, test := range []struct {
		paths []string
		want  descriptor.FileDescriptorProto
	}{
		{nil, descriptor.FileDescriptorProto{}},
		{[]string{"name", "dependency"}, descriptor.FileDescriptorProto{Name: text("n"),
			Dependency: []string{"a", "b"}}},
		{[]string{"options.go_package"},
			descriptor.FileDescriptorProto{Options: &descriptor.FileOptions{GoPackage: text("g")}}},
		{[]string{"options.java_package", "options", "message_type"},
			descriptor.FileDescriptorProto{
				MessageType: whole.MessageType, Options: whole.Options}},
	} {
		m := wkt.FieldMask{Paths: test.paths}
		out, err := m.Prune([]byte("x"), b, &whole)
		if err != nil || out[0] != 'x' {
			t.Fatal(err)
		}
		var got descriptor.FileDescriptorProto
		if err := got.Unmarshal(out[1:]); err != nil {
			t.Fatal(err)
		}
		if d := gremlin.Diff(&test.want, &got); d != "" {
			t.Errorf("%v:\n%s", test.paths, d)
		}
	}
	m := wkt.FieldMask{Paths: []string{"options.go_package"}}
	for i := range b {
		var got descriptor.FileDescriptorProto
		out, err := m.Prune(nil, b[:i], &whole)
		if wellFormed := got.Unmarshal(b[:i]) == nil; wellFormed != (err == nil) {
			t.Errorf("%d bytes: %v, decoding them is well: %v", i, err, wellFormed)
		}
		if err != nil && len(out) != 0 {
			t.Errorf("%d bytes: %x in spite of the error", i, out)
		}
	}
	if _, err := (&wkt.FieldMask{Paths: []string{"none"}}).Prune(nil, b, &whole); err == nil {
		t.Error("a path that there is not was pruned")
	}
}
