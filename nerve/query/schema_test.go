package query_test

import (
	"testing"

	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/octopus-framework/octopus/compiler"
	"github.com/octopus-framework/octopus/compiler/source"
	"github.com/octopus-framework/octopus/gremlin/dynamic"
)

// schema is a type as both sides of a comparison know it.
type schema struct {
	typ  *dynamic.Type
	desc protoreflect.MessageDescriptor
}

func loadSchema(t testing.TB, root, file, name string) schema {
	t.Helper()
	res := compiler.Compile(t.Context(), compiler.Options{
		Sources: source.New(root), Files: []string{file}})
	if res.Descriptors == nil {
		t.Fatal(res.Diagnostics)
	}
	set, err := res.DescriptorSet()
	if err != nil {
		t.Fatal(err)
	}
	types, err := dynamic.Load(set)
	if err != nil {
		t.Fatal(err)
	}
	files, err := protodesc.NewFiles(res.Descriptors)
	if err != nil {
		t.Fatal(err)
	}
	desc, err := files.FindDescriptorByName(protoreflect.FullName(name))
	if err != nil {
		t.Fatal(err)
	}
	return schema{typ: types.Message(name), desc: desc.(protoreflect.MessageDescriptor)}
}
