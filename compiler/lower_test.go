package compiler

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
)

// TestLowerReportsAllErrors gives Lower descriptors that a front end would not make: several errors in one file and in
// files that do not depend on each other all come out; a file that imports a wrong one is not blamed.
func TestLowerReportsAllErrors(t *testing.T) {
	file := func(name string, imports []string, labels ...descriptorpb.FieldDescriptorProto_Label) *descriptorpb.FileDescriptorProto {
		m := &descriptorpb.DescriptorProto{Name: proto.String("M")}
		for i, l := range labels {
			m.Field = append(m.Field, &descriptorpb.FieldDescriptorProto{Name: proto.String(string(rune('a' + i))),
				Number: proto.Int32(int32(i + 1)), Label: l.Enum(), Type: descriptorpb.FieldDescriptorProto_TYPE_INT32.Enum()})
		}
		return &descriptorpb.FileDescriptorProto{Name: proto.String(name + ".proto"), Package: proto.String(name),
			Syntax: proto.String("proto3"), Dependency: imports, MessageType: []*descriptorpb.DescriptorProto{m}}
	}
	const required, optional = descriptorpb.FieldDescriptorProto_LABEL_REQUIRED, descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL
	_, found := Lower(&descriptorpb.FileDescriptorSet{File: []*descriptorpb.FileDescriptorProto{
		file("one", nil, required, optional, required),
		file("two", []string{"one.proto"}, required),
		file("three", []string{"two.proto"}, optional),
		file("four", nil, required),
	}}, nil)
	var got []string
	for _, d := range found {
		got = append(got, quotedNames(d.Message)[0])
	}
	if want := []string{"one.M.a", "one.M.c", "four.M.a"}; !slices.Equal(got, want) {
		t.Errorf("found %v", found)
	}
}

// TestLowerReportsEveryKindOfError gives Lower a file with something wrong in every kind of declaration, and beside each
// something that is right and depends on it: nothing is reported twice, nothing because of another error, and all at their places.
func TestLowerReportsEveryKindOfError(t *testing.T) {
	const text = `
name: "all.proto" package: "p"
message_type { name: "M"
  field { name: "a" number: 1 label: LABEL_OPTIONAL type: TYPE_INT32 }
  field { name: "b" number: 1 label: LABEL_OPTIONAL type: TYPE_INT32 }
  field { name: "c" number: 3 label: LABEL_OPTIONAL type: TYPE_MESSAGE type_name: ".p.None" }
  field { name: "d" number: 4 label: LABEL_OPTIONAL type: TYPE_ENUM type_name: ".p.E" default_value: "THREE" }
  field { name: "only" number: 5 label: LABEL_REPEATED type: TYPE_INT32 oneof_index: 0 }
  field { name: "one" number: 6 label: LABEL_OPTIONAL type: TYPE_INT32 oneof_index: 1 }
  field { name: "between" number: 7 label: LABEL_OPTIONAL type: TYPE_INT32 }
  field { name: "other" number: 8 label: LABEL_OPTIONAL type: TYPE_INT32 oneof_index: 1 }
  field { name: "fine" number: 9 label: LABEL_OPTIONAL type: TYPE_INT32 oneof_index: 2 }
  oneof_decl { name: "short" } oneof_decl { name: "torn" } oneof_decl { name: "good" }
  enum_type { name: "Empty" }
  extension { name: "x" number: 10 label: LABEL_OPTIONAL type: TYPE_INT32 extendee: ".p.M" }
}
message_type { name: "Ranges"
  extension_range { start: 5 end: 5 } extension_range { start: 10 end: 20 }
}
enum_type { name: "E" value { name: "ONE" number: 1 } value { name: "TWO" number: 1 } value { name: "THREE" number: 3 } value { name: "FOUR" number: 3 } }
enum_type { name: "Alias" options { allow_alias: true } value { name: "FIVE" number: 1 } value { name: "SIX" number: 2 } }
enum_type { name: "Reserved" value { name: "SEVEN" number: 7 } value { name: "EIGHT" number: 8 } value { name: "NINE" number: 9 } reserved_range { start: 8 end: 9 } }
extension { name: "y" number: 1 label: LABEL_REQUIRED type: TYPE_INT32 extendee: ".p.Ranges" }
extension { name: "z" number: 15 label: LABEL_OPTIONAL type: TYPE_INT32 extendee: ".p.Ranges" }
service { name: "S" method { name: "A" input_type: ".p.None" output_type: ".p.M" } method { name: "B" input_type: ".p.M" output_type: ".p.M" } }
source_code_info {
  location { path: [4, 0] span: [1, 2, 3] }
  location { path: [4, 0, 6, 0] span: [2, 2, 3] }
  location { path: [4, 0, 8, 1] span: [3, 2, 3] }
  location { path: [5, 2, 2, 2] span: [4, 2, 3] }
  location { path: [6, 0, 2, 0] span: [5, 2, 3] }
}`
	fdp := &descriptorpb.FileDescriptorProto{}
	if err := prototext.Unmarshal([]byte(text), fdp); err != nil {
		t.Fatal(err)
	}
	_, found := Lower(&descriptorpb.FileDescriptorSet{File: []*descriptorpb.FileDescriptorProto{fdp}}, nil)
	var got []string
	for _, d := range found {
		got = append(got, fmt.Sprintf("%d:%d %s", d.Line, d.Column, d.Message))
	}
	// Extensions of p.Ranges cannot be judged.
	want := []string{
		`0:0 message field "p.M.c" cannot resolve type: "p.None" not found`,
		`6:3 service method "p.S.A" cannot resolve input: "p.None" not found`,
		`0:0 enum "p.E" has conflicting non-aliased values on number 1: "TWO" with "ONE"`,
		`0:0 enum "p.E" has conflicting non-aliased values on number 3: "FOUR" with "THREE"`,
		`0:0 enum "p.Alias" allows aliases, but none were found`,
		`0:0 enum value "p.EIGHT" must not use reserved number 8`,
		`5:3 enum value "p.NINE" must not use reserved number 9`,
		`2:3 message "p.M" has conflicting fields: "b" with "a"`,
		`0:0 message field "p.M.only" belongs in a oneof and must be optional`,
		`4:3 message oneof "p.M.torn" must have consecutively declared fields`,
		`0:0 enum "p.M.Empty" must contain at least one value declaration`,
		`3:3 extension field "p.M.x" extends "p.M" with non-extension field number: 10`,
		`0:0 message "p.Ranges" extension ranges has invalid range: 5 to 4`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("found\n%s", strings.Join(got, "\n"))
	}
}
