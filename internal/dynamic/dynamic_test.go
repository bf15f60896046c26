package dynamic

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/octopus-framework/octopus/compiler"
	"github.com/octopus-framework/octopus/gremlin"
	"github.com/octopus-framework/octopus/gremlin/descriptor"
)

// load compiles the descriptors' own schema and returns the type of a set of files, and the
// compiled set as an example of it.
func load(t *testing.T) (*Type, []byte) {
	t.Helper()
	res := compiler.Compile(context.Background(),
		compiler.Options{Files: []string{"google/protobuf/descriptor.proto",
			"google/protobuf/api.proto"}})
	if len(res.Diagnostics) > 0 {
		t.Fatal(res.Diagnostics)
	}
	typ, err := New(res, "google.protobuf.FileDescriptorSet", Hex{})
	if err != nil {
		t.Fatal(err)
	}
	b, err := proto.Marshal(res.Descriptors)
	if err != nil {
		t.Fatal(err)
	}
	return typ, b
}

// TestRoundTrip converts a large message through all formats. Binary and text are what generated
// code gives.
func TestRoundTrip(t *testing.T) {
	typ, b := load(t)
	var set descriptor.FileDescriptorSet
	if err := set.Unmarshal(b); err != nil {
		t.Fatal(err)
	}
	want := gremlin.MarshalStable(nil, &set)
	convert := func(to Format, b []byte, from Format, o Options) []byte {
		t.Helper()
		out, err := typ.Convert([]byte("before"), to, b, from, o)
		if err != nil {
			t.Fatal(err)
		}
		return bytes.TrimPrefix(out, []byte("before"))
	}
	if got := convert(Binary, b, Binary, Options{}); !bytes.Equal(got, want) {
		t.Error("binary to binary differs from generated code")
	}
	if got := convert(Text, b, Binary, Options{}); string(got) != set.String() {
		t.Error("text differs from generated code")
	}
	for _, o := range []Options{{}, {Indent: "  "},
		{Indent: "\t", ProtoNames: true, EnumNumbers: true, EmitDefaults: true}} {
		json := convert(JSON, b, Binary, o)
		if again := convert(JSON, b, Binary, o); !bytes.Equal(again, json) {
			t.Error("JSON is not the same twice")
		}
		text := convert(Text, json, JSON, o)
		if got := convert(Binary, text, Text, o); !bytes.Equal(got, want) {
			t.Errorf("with %+v the message has changed", o)
		}
	}
}

func TestUnknownType(t *testing.T) {
	res := compiler.Compile(context.Background(),
		compiler.Options{Files: []string{"google/protobuf/wrappers.proto"}})
	for name, want := range map[string]string{
		"stringvalue":               `did you mean "google.protobuf.StringValue"?`,
		"google.protobuf.Int3Value": `did you mean "google.protobuf.Int32Value"?`,
		"nothing": `there are "google.protobuf.BoolValue", "google.protobuf.BytesValue", "google.protobuf.DoubleValue", ` +
			`"google.protobuf.FloatValue", "google.protobuf.Int32Value", "google.protobuf.Int64Value", "google.protobuf.StringValue", ` +
			`"google.protobuf.UInt32Value", "google.protobuf.UInt64Value"`,
	} {
		_, err := New(res, name, Hex{})
		var e *UnknownTypeError
		if !errors.As(err, &e) || e.Hint() != want {
			t.Errorf("%s: %v, hint %s", name, err, e.Hint())
		}
	}
}

// FuzzSplitter takes any stream apart and puts it together again.
// TestNothingIsNoJSON wants an error that says so: the parser's own names a token
// that is not there.
func TestNothingIsNoJSON(t *testing.T) {
	typ, _ := load(t)
	for _, text := range []string{"", " \n\t"} {
		_, err := typ.Convert(nil, Binary, []byte(text), JSON, Options{})
		var e *Error
		if !errors.As(err, &e) || e.Message != "there is no JSON here; an empty message is {}" {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func FuzzSplitter(f *testing.F) {
	for _, s := range []string{"", "\x02\x10\x05\x00", "{}\n\n{\"a\":1}", "a: 1\n---\n---\nb: 2",
		"---", "\n---\r\n \n", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
		"\xff\xff\xff\x7fx"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, format := range []Format{Binary, JSON, Text} {
			messages, out := split(t, format, b)
			again, out2 := split(t, format, out)
			if len(again) != len(messages) || !bytes.Equal(out, out2) {
				t.Fatalf("%s: %q was split into %q, then into %q", format, b, messages, again)
			}
		}
	})
}

func split(t *testing.T, format Format, b []byte) (messages [][]byte, joined []byte) {
	s := NewSplitter(bytes.NewReader(b), format)
	for {
		m, err := s.Next()
		if err != nil {
			if err == io.EOF && s.next != int64(len(b)) {
				t.Fatalf("%s: %q ends at %d", format, b, s.next)
			}
			return messages, joined
		}
		if s.Offset < 0 || s.Offset > s.next || s.Line > s.line || s.Number != len(messages)+1 {
			t.Fatalf("%s: %q: message at %d, %d", format, b, s.Offset, s.Line)
		}
		messages = append(messages, bytes.Clone(m))
		joined = AppendDelimited(joined, format, m)
	}
}
