package compiler

import (
	"slices"
	"testing"

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
		got = append(got, named(d.Message))
	}
	if want := []string{"one.M.a", "one.M.c", "four.M.a"}; !slices.Equal(got, want) {
		t.Errorf("found %v", found)
	}
}
