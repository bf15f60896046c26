package gremlin_test

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/octopus-framework/octopus/gremlin"
	"github.com/octopus-framework/octopus/gremlin/descriptor"
	"github.com/octopus-framework/octopus/gremlin/wkt"
)

func text(s string) *string { return &s }

func TestMerge(t *testing.T) {
	dst := descriptor.FileDescriptorProto{
		Name: text("old"), Package: text("p"), Dependency: []string{"a"},
		Options: &descriptor.FileOptions{GoPackage: text("g")},
	}
	src := descriptor.FileDescriptorProto{
		Name: text("new"), Dependency: []string{"b", "c"},
		Options: &descriptor.FileOptions{JavaPackage: text("j")},
	}
	if err := gremlin.Merge(&dst, &src); err != nil {
		t.Fatal(err)
	}
	want := descriptor.FileDescriptorProto{
		Name: text("new"), Package: text("p"), Dependency: []string{"a", "b", "c"},
		Options: &descriptor.FileOptions{GoPackage: text("g"), JavaPackage: text("j")},
	}
	if d := gremlin.Diff(&want, &dst); d != "" {
		t.Error(d)
	}
	src.Dependency[0] = "changed"
	if dst.Dependency[1] != "b" {
		t.Error("what was merged shares memory with the source")
	}
	if err := gremlin.Merge(&dst, &dst); err != nil || len(dst.Dependency) != 6 {
		t.Errorf("a message merged into itself: %v, %v", err, dst.Dependency)
	}
	var wrong *gremlin.TypeError
	if err := gremlin.Merge(&dst, &wkt.Empty{}); !errors.As(err, &wrong) ||
		wrong.Got != "google.protobuf.Empty" {
		t.Errorf("another type: %v", err)
	}
	if err := gremlin.Merge(&wkt.Api{}, &wkt.Api{Name: "\xff"}); !errors.Is(err,
		gremlin.InvalidUTF8) {
		t.Errorf("a string that is not UTF-8: %v", err)
	}
	var e *gremlin.Error
	err := gremlin.UnmarshalMerge([]byte{0x0a, 0xff}, &dst)
	if !errors.As(err, &e) || e.Message != gremlin.NameOf(&dst) {
		t.Errorf("malformed bytes: %v", err)
	}
}

func TestDiff(t *testing.T) {
	number := func(n float64) wkt.Value {
		return wkt.Value{Kind: &wkt.Value_NumberValue{NumberValue: n}}
	}
	list := func(v ...wkt.Value) wkt.Value {
		return wkt.Value{Kind: &wkt.Value_ListValue{ListValue: &wkt.ListValue{Values: v}}}
	}
	unknown := func(b ...byte) *wkt.Empty {
		m := new(wkt.Empty)
		if err := m.Unmarshal(b); err != nil {
			t.Fatal(err)
		}
		return m
	}
	for name, test := range map[string]struct {
		want, got gremlin.Message
		diff      string
	}{
		"equal": {&wkt.Duration{Seconds: 1}, &wkt.Duration{Seconds: 1}, ""},
		"scalars": {&wkt.Duration{Seconds: 1}, &wkt.Duration{Seconds: 2, Nanos: 3},
			"seconds: want 1, got 2\nnanos: want nothing, got 3\n"},
		"strings that look like text": {&wkt.StringValue{Value: "a: {"},
			&wkt.StringValue{Value: " {"},
			"value: want \"a: {\", got \" {\"\n"},
		"lists": {
			&wkt.Api{Methods: []wkt.Method{{Name: "a"}, {Name: "b"}, {}}},
			&wkt.Api{Methods: []wkt.Method{{Name: "a"}, {Name: "c"}}},
			"methods[1].name: want \"b\", got \"c\"\nmethods[2]: want {}, got nothing\n"},
		"maps": {
			&wkt.Struct{Fields: map[string]wkt.Value{"a.b]": list(number(1), number(2)),
				"x": number(1), "z": {}}},
			&wkt.Struct{Fields: map[string]wkt.Value{"a.b]": list(number(1), number(3)),
				"y": number(1), "z": {}}},
			"fields[\"a.b]\"].list_value.values[1].number_value: want 2, got 3\n" +
				"fields[\"x\"].number_value: want 1, got nothing\n" +
				"fields[\"y\"].number_value: want nothing, got 1\n"},
		"unknown fields": {unknown(0x08, 1, 0x08, 2), unknown(0x08, 1, 0x08, 3, 0x12, 2, 0x18, 1),
			"1[1]: want 2, got 3\n2.3: want nothing, got 1\n"},
		"types": {&wkt.Empty{}, &wkt.Any{},
			"want a google.protobuf.Empty, got a google.protobuf.Any\n"},
	} {
		t.Run(name, func(t *testing.T) {
			if d := gremlin.Diff(test.want, test.got); d != test.diff {
				t.Errorf("got\n%s\nwant\n%s", d, test.diff)
			}
		})
	}
}

func TestDelimited(t *testing.T) {
	var stream []byte
	var want []string
	for _, n := range []int{0, 1, 126, 127, 128, 5000, 20000} {
		m := wkt.StringValue{Value: strings.Repeat("x", n)}
		want = append(want, string(m.Marshal()))
		stream = gremlin.AppendDelimited(stream, &m)
	}
	for name, r := range map[string]io.Reader{
		"whole": bytes.NewReader(stream), "by bytes": iotest.OneByteReader(bytes.NewReader(stream)),
		"with data at the end": iotest.DataErrReader(bytes.NewReader(stream)),
	} {
		d := gremlin.NewDelimitedReader(r, 0)
		for i, w := range want {
			if b, err := d.Next(); err != nil || string(b) != w {
				t.Fatalf("%s: message %d is %d bytes, want %d: %v", name, i, len(b), len(w), err)
			}
		}
		if _, err := d.Next(); err != io.EOF {
			t.Errorf("%s: at the end: %v", name, err)
		}
	}
	for _, test := range []struct {
		stream string
		want   error
		text   string
	}{
		{"\x02\x08", io.ErrUnexpectedEOF, "message 0 at offset 0 of the stream: unexpected EOF"},
		{"\x01a\x80", io.ErrUnexpectedEOF, "message 1 at offset 2 of the stream: unexpected EOF"},
		{"\x01a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", gremlin.Malformed,
			"message 1 at offset 2"},
		{"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", gremlin.TooLarge, "message 0 at offset 0"},
		{"\x65", gremlin.TooLarge, "message 0 at offset 0"},
	} {
		d := gremlin.NewDelimitedReader(strings.NewReader(test.stream), 100)
		var err error
		for err == nil {
			_, err = d.Next()
		}
		var e *gremlin.DelimitedError
		if !errors.As(err, &e) || !errors.Is(err, test.want) ||
			!strings.HasPrefix(err.Error(), test.text) {
			t.Errorf("%q: %v, want %s", test.stream, err, test.text)
		}
	}
}

// TestDelimitedBelievesNoLength gives a length of a gibibyte and a few bytes.
func TestDelimitedBelievesNoLength(t *testing.T) {
	const claimed = "\x80\x80\x80\x80\x04"
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	d := gremlin.NewDelimitedReader(strings.NewReader(claimed+"abc"), 1<<30)
	if _, err := d.Next(); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
		t.Errorf("%d bytes are allocated for a message that is not there", n)
	}
}
