package oldoptions

import (
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
)

// What options mean is tested in package compiler, with files and beside protoc.

func TestHide(t *testing.T) {
	for text, want := range map[string]string{
		`option (a) = { b: "}" c { d: 1 } } ; x`:            `option (a) = {                   } ; x`,
		"option (a).b.(c) = /* { */ - {\n\tb\r\n}; x":       "option (a).b.(c) = /* { */ - {\n\t \r\n}; x",
		`int32 a = 1 [a = { b: 1 }, (c) = { ü # } ];`:       `int32 a = 1 [a = { b: 1 }, (c) = {      } ];`,
		`option a.(b) = { b: 1 }; option a = { b # " ' }`:   `option a.(b) = { b: 1 }; option a = { b # " ' }`,
		`option a = { b: { c: 1 # d "e" } f } g };`:         `option a = { b: { c: 1             } g };`,
		`5 [declaration = { a: "{" }, a = { b }];`:          `5 [declaration = {        }, a = { b }];`,
		`option (a) = { b: 1`:                               `option (a) = { b: 1`,
		`rpc A(B) returns (C) { option (a) = { b: '}' }; }`: `rpc A(B) returns (C) { option (a) = {        }; }`,
		`message A { int32 a = 1; }`:                        `message A { int32 a = 1; }`,
	} {
		if got := Hide(text); got != want {
			t.Errorf("%s\nis %s\nwant %s", text, got, want)
		}
	}
}

// none knows no extensions, but every message.
type none struct {
	message protoreflect.MessageDescriptor
}

func (none) Field(string, protoreflect.FullName) protoreflect.FieldDescriptor     { return nil }
func (none) Extension(string, protoreflect.FullName) protoreflect.FieldDescriptor { return nil }
func (n none) Message(protoreflect.FullName) protoreflect.MessageDescriptor {
	return n.message
}

// FuzzRead looks for text that panics or hangs, or is read into what is no encoding.
func FuzzRead(f *testing.F) {
	for _, text := range []string{`name = "\ud83d\ude00\x4\U00110000"`,
		`field.options.packed = true`, `field = { name: "a" number: -0x1 options { ctype: 1 } }`,
		`options { deprecated: t, features < field_presence: IMPLICIT >; uninterpreted_option [{ double_value: 1e5 }] # }`,
		`reserved_name = 'a' "b"`,
		`options.uninterpreted_option = { double_value: - inf name { name_part: "" is_extension: 0 } }`} {
		f.Add(text + ";")
	}
	desc := (&descriptorpb.DescriptorProto{}).ProtoReflect().Descriptor()
	f.Fuzz(func(t *testing.T, text string) {
		if hidden := Hide(text); len(hidden) != len(text) {
			t.Errorf("%q becomes %q", text, hidden)
		}
		s := &Set{Message: desc, Types: none{desc}}
		if err := s.Read(text, 0); err != nil {
			if e, ok := err.(*Error); !ok || e.Start < 0 || e.End > len(text) || e.Start > e.End {
				t.Errorf("%q: %v", text, err)
			}
			return
		}
		if err := proto.Unmarshal(s.Encoded, &descriptorpb.DescriptorProto{}); err != nil {
			t.Errorf("%q is read as %x: %v", text, s.Encoded, err)
		}
	})
}
