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

// TestLowerReportsAllErrors gives Lower descriptors that a front end would not make: several errors
// in one file and in files that do not depend on each other all come out; a file that imports a
// wrong one is not blamed.
func TestLowerReportsAllErrors(t *testing.T) {
	file := func(name string, imports []string,
		labels ...descriptorpb.FieldDescriptorProto_Label) *descriptorpb.FileDescriptorProto {
		m := &descriptorpb.DescriptorProto{Name: proto.String("M")}
		for i, l := range labels {
			m.Field = append(m.Field,
				&descriptorpb.FieldDescriptorProto{Name: proto.String(string(rune('a' + i))),
					Number: proto.Int32(int32(i + 1)), Label: l.Enum(),
					Type: descriptorpb.FieldDescriptorProto_TYPE_INT32.Enum()})
		}
		return &descriptorpb.FileDescriptorProto{Name: proto.String(name + ".proto"),
			Package: proto.String(name),
			Syntax:  proto.String("proto3"), Dependency: imports,
			MessageType: []*descriptorpb.DescriptorProto{m}}
	}
	const required, optional = descriptorpb.FieldDescriptorProto_LABEL_REQUIRED,
		descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL
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

// TestLowerReportsEveryKindOfError gives Lower a file with something wrong in every kind of
// declaration, and beside each something that is right and depends on it: nothing is reported
// twice, nothing because of another error, and all at their places.
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
  field { name: "map" number: 20 label: LABEL_REPEATED type: TYPE_MESSAGE type_name: ".p.M.MapEntry" }
  nested_type { name: "MapEntry" options { map_entry: true }
    field { name: "key" number: 1 label: LABEL_OPTIONAL type: TYPE_INT32 }
    field { name: "value" number: 2 label: LABEL_OPTIONAL type: TYPE_MESSAGE type_name: ".p.None" } }
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
  location { path: [4, 0, 2, 1] span: [1, 4, 5] }
  location { path: [4, 0, 2, 9] span: [8, 2, 3] }
  location { path: [4, 0, 6, 0] span: [2, 2, 3] }
  location { path: [4, 0, 8, 1] span: [3, 2, 3] }
  location { path: [5, 2, 2, 2] span: [4, 2, 3] }
  location { path: [6, 0, 2, 0] span: [5, 2, 3] }
}`
	fdp := &descriptorpb.FileDescriptorProto{}
	if err := prototext.Unmarshal([]byte(text), fdp); err != nil {
		t.Fatal(err)
	}
	_,
		found := Lower(
		&descriptorpb.FileDescriptorSet{File: []*descriptorpb.FileDescriptorProto{fdp}}, nil)
	var got []string
	for _, d := range found {
		got = append(got, fmt.Sprintf("%d:%d %s", d.Line, d.Column, d.Message))
	}
	// Extensions of p.Ranges cannot be judged.
	want := []string{
		`2:3 message field "p.M.c" cannot resolve type: "p.None" not found`,
		`9:3 message field "p.M.MapEntry.value" cannot resolve type: "p.None" not found`,
		`6:3 service method "p.S.A" cannot resolve input: "p.None" not found`,
		`0:0 enum "p.E" has conflicting non-aliased values on number 1: "TWO" with "ONE"`,
		`0:0 enum "p.E" has conflicting non-aliased values on number 3: "FOUR" with "THREE"`,
		`0:0 enum "p.Alias" allows aliases, but none were found`,
		`0:0 enum value "p.EIGHT" must not use reserved number 8`,
		`5:3 enum value "p.NINE" must not use reserved number 9`,
		`2:5 message "p.M" has conflicting fields: "b" with "a"`,
		`2:3 message field "p.M.only" belongs in a oneof and must be optional`,
		`4:3 message oneof "p.M.torn" must have consecutively declared fields`,
		`2:3 enum "p.M.Empty" must contain at least one value declaration`,
		`3:3 extension field "p.M.x" extends "p.M" with non-extension field number: 10`,
		`0:0 message "p.Ranges" extension ranges has invalid range: 5 to 4`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("found\n%s", strings.Join(got, "\n"))
	}
}

// TestLowerReportsEveryDuplicate declares names twice, in every kind of declaration, and refers to
// them: every duplicate is reported, at the second place, and so is what is wrong apart from that,
// also inside of what has the name of another.
func TestLowerReportsEveryDuplicate(t *testing.T) {
	const text = `
name: "all.proto" package: "p"
message_type { name: "M"
  field { name: "a" number: 1 label: LABEL_OPTIONAL type: TYPE_MESSAGE type_name: ".p.M.In" }
  field { name: "a" number: 2 label: LABEL_OPTIONAL type: TYPE_INT32 oneof_index: 0 }
  field { name: "b" number: 5 label: LABEL_OPTIONAL type: TYPE_INT32 oneof_index: 1 }
  field { name: "e" number: 6 label: LABEL_OPTIONAL type: TYPE_ENUM type_name: ".p.E" default_value: "X" }
  field { name: "f" number: 7 label: LABEL_OPTIONAL type: TYPE_ENUM type_name: ".p.F" default_value: "X" }
  oneof_decl { name: "o" } oneof_decl { name: "o" }
}
message_type { name: "M"
  field { name: "a" number: 1 label: LABEL_OPTIONAL type: TYPE_MESSAGE type_name: ".p.M.In" }
  field { name: "b" number: 1 label: LABEL_OPTIONAL type: TYPE_INT32 }
  nested_type { name: "In" }
  nested_type { name: "a-b" field { name: "c" number: 0 label: LABEL_OPTIONAL type: TYPE_INT32 } }
}
message_type { name: "M" }
message_type { name: "Maps"
  field { name: "map" number: 3 label: LABEL_REPEATED type: TYPE_MESSAGE type_name: ".p.Maps.MapEntry" }
  field { name: "map" number: 4 label: LABEL_REPEATED type: TYPE_MESSAGE type_name: ".p.Maps.MapEntry" }
  nested_type { name: "MapEntry" options { map_entry: true }
    field { name: "key" number: 1 label: LABEL_OPTIONAL type: TYPE_INT32 }
    field { name: "value" number: 2 label: LABEL_OPTIONAL type: TYPE_MESSAGE type_name: ".p.M" } }
  nested_type { name: "MapEntry" options { map_entry: true }
    field { name: "key" number: 1 label: LABEL_OPTIONAL type: TYPE_INT32 }
    field { name: "value" number: 2 label: LABEL_OPTIONAL type: TYPE_MESSAGE type_name: ".p.M.In" } }
  extension_range { start: 100 end: 200 }
}
enum_type { name: "E" value { name: "X" number: 0 } }
enum_type { name: "F" value { name: "X" number: 0 } value { name: "" number: 1 } }
enum_type { name: "M" value { name: "Y" number: 0 } }
extension { name: "far" number: 300 label: LABEL_OPTIONAL type: TYPE_INT32 extendee: ".p.Maps" }
extension { name: "E" number: 100 label: LABEL_OPTIONAL type: TYPE_MESSAGE type_name: ".p.M.In" extendee: ".p.Maps" }
extension { name: "ofM" number: 100 label: LABEL_OPTIONAL type: TYPE_INT32 extendee: ".p.M" }
service { name: "S" method { name: "A" input_type: ".p.M" output_type: ".p.M.In" } }
service { name: "S"
  method { name: "B" input_type: ".p.Maps" output_type: ".p.Maps" }
  method { name: "B" input_type: ".p.Maps" output_type: ".p.Maps" }
  method { name: "C" input_type: ".p.None" output_type: ".p.M" }
  method { name: "D" input_type: ".p.None" output_type: ".p.Maps" }
}
`
	fdp := &descriptorpb.FileDescriptorProto{}
	if err := prototext.Unmarshal([]byte(text), fdp); err != nil {
		t.Fatal(err)
	}
	all := declarations(fdp)
	fdp.SourceCodeInfo = &descriptorpb.SourceCodeInfo{}
	for i, d := range all { // each in a line of its own
		fdp.SourceCodeInfo.Location = append(fdp.SourceCodeInfo.Location,
			&descriptorpb.SourceCodeInfo_Location{Path: d.path, Span: []int32{int32(i), 0, 1}})
	}
	_,
		found := Lower(
		&descriptorpb.FileDescriptorSet{File: []*descriptorpb.FileDescriptorProto{fdp}}, nil)
	var got []string
	for _, d := range found {
		if d.Line == 0 {
			t.Errorf("nowhere: %s", d.Message)
			continue
		}
		got = append(got, fmt.Sprintf("%d %s", all[d.Line-1].path, d.Message))
	}
	want := []string{
		`[5 1 2 0] descriptor "p.X" already declared`,
		`[5 1 2 1] descriptor "p.F" has an invalid nested name: ""`,
		`[4 1] descriptor "p.M" already declared`,
		`[4 2] descriptor "p.M" already declared`,
		`[5 2] descriptor "p.M" already declared`,
		`[4 0 2 1] descriptor "p.M.a" already declared`,
		`[4 1 3 1] descriptor "p.M" has an invalid nested name: "a-b"`,
		`[4 3 2 1] descriptor "p.Maps.map" already declared`,
		`[7 1] descriptor "p.E" already declared`,
		`[6 1] descriptor "p.S" already declared`,
		`[6 1 2 1] descriptor "p.S.B" already declared`,
		`[6 1 2 3] service method "p.S.D" cannot resolve input: "p.None" not found`,
		`[4 1 2 1] message "p.M" has conflicting fields: "b" with "a"`,
		`[4 1 3 1 2 0] message field "p.M.a-b.c" has an invalid number: 0`,
		`[7 0] extension field "p.far" extends "p.Maps" with non-extension field number: 300`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("found\n%s", strings.Join(got, "\n"))
	}
}

// TestLowerReportsConflictsOfFiles declares names that another file has.
func TestLowerReportsConflictsOfFiles(t *testing.T) {
	parse := func(text string) *descriptorpb.FileDescriptorProto {
		fdp := &descriptorpb.FileDescriptorProto{}
		if err := prototext.Unmarshal([]byte(text), fdp); err != nil {
			t.Fatal(err)
		}
		return fdp
	}
	_, found := Lower(&descriptorpb.FileDescriptorSet{File: []*descriptorpb.FileDescriptorProto{
		parse(
			`name: "a" package: "p" message_type { name: "M" nested_type { name: "In" } } message_type { name: "N" } enum_type { name: "E" value { name: "X" number: 0 } }`),
		parse(`name: "b" package: "p" message_type { name: "M" nested_type { name: "In" } } enum_type { name: "F" value { name: "X" number: 0 } }
			service { name: "N" } source_code_info { location { path: [6, 0] span: [1, 2, 3] } }`),
		parse(`name: "a" package: "q"`),
		parse(`name: "c" package: "p.M"`),
	}}, nil)
	var got []string
	for _, d := range found {
		got = append(got, d.Error())
	}
	want := []string{
		`b: "p.M" is already declared in "a"`,
		`b: "p.X" is already declared in "a"`,
		`b:2:3: "p.N" is already declared in "a"`,
		`a: file "a" is already registered`,
		`c: file "c" has a package name conflict over p.M`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("found\n%s", strings.Join(got, "\n"))
	}
}
