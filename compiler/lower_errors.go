package compiler

import (
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
)

// maxFileErrors is how many errors of one file are looked for.
const maxFileErrors = 20

// newFile resolves a file. protodesc stops at the first error; the others are found by taking the field that it names away
// and asking again. What cannot be taken away without breaking something else ends that.
func newFile(fdp *descriptorpb.FileDescriptorProto, registry *protoregistry.Files) (fd protoreflect.FileDescriptor, errs []error) {
	for copied := false; ; copied = true {
		fd, err := protodesc.NewFile(fdp, registry)
		switch {
		case err == nil && len(errs) == 0:
			return fd, nil
		case err == nil:
			return nil, errs
		}
		errs = append(errs, fmt.Errorf("%s", strings.TrimPrefix(strings.ReplaceAll(err.Error(), "\u00a0", " "), "proto: ")))
		if !copied {
			fdp = proto.Clone(fdp).(*descriptorpb.FileDescriptorProto)
		}
		if len(errs) == maxFileErrors || !removeField(fdp, named(errs[len(errs)-1].Error())) {
			return nil, errs
		}
	}
}

// named returns the declaration that a message of protodesc names in double quotes.
func named(message string) string {
	_, rest, _ := strings.Cut(message, `"`)
	name, _, _ := strings.Cut(rest, `"`)
	return name
}

// removeField removes the field with the given full name, unless it belongs to a oneof or map entry or is an extension.
func removeField(fdp *descriptorpb.FileDescriptorProto, name string) (removed bool) {
	var walk func(scope string, ms []*descriptorpb.DescriptorProto)
	walk = func(scope string, ms []*descriptorpb.DescriptorProto) {
		for _, m := range ms {
			m.Field = slices.DeleteFunc(m.Field, func(f *descriptorpb.FieldDescriptorProto) bool {
				is := scope+m.GetName()+"."+f.GetName() == name && f.OneofIndex == nil && !m.GetOptions().GetMapEntry()
				removed = removed || is
				return is
			})
			walk(scope+m.GetName()+".", m.NestedType)
		}
	}
	walk(packageScope(fdp), fdp.MessageType)
	return removed
}

// packageScope is what stands before the names of the declarations of a file.
func packageScope(fdp *descriptorpb.FileDescriptorProto) string {
	if fdp.GetPackage() == "" {
		return ""
	}
	return fdp.GetPackage() + "."
}

// locate finds the declaration of fd that a message of protodesc names in double quotes, and returns where it starts, or
// zeros. Only messages, fields and enums are looked for: what is wrong with the rest is found before.
func locate(fd *descriptorpb.FileDescriptorProto, message string) (line, column int) {
	paths := map[string]string{} // source path as text, by full name
	const messages, enums, fields, nested, nestedEnums = 4, 5, 2, 3, 4
	var walk func(scope string, path []int32, ms []*descriptorpb.DescriptorProto)
	walk = func(scope string, path []int32, ms []*descriptorpb.DescriptorProto) {
		for i, m := range ms {
			name, at := scope+m.GetName(), append(slices.Clip(path), int32(i))
			paths[name] = fmt.Sprint(at)
			for j, f := range m.Field {
				paths[name+"."+f.GetName()] = fmt.Sprint(append(slices.Clip(at), fields, int32(j)))
			}
			for j, e := range m.EnumType {
				paths[name+"."+e.GetName()] = fmt.Sprint(append(slices.Clip(at), nestedEnums, int32(j)))
			}
			walk(name+".", append(slices.Clip(at), nested), m.NestedType)
		}
	}
	scope := packageScope(fd)
	walk(scope, []int32{messages}, fd.MessageType)
	for i, e := range fd.EnumType {
		paths[scope+e.GetName()] = fmt.Sprint([]int32{enums, int32(i)})
	}
	name := named(message)
	for _, l := range fd.GetSourceCodeInfo().GetLocation() {
		if at, ok := paths[name]; ok && at == fmt.Sprint(l.Path) && len(l.Span) >= 2 {
			return int(l.Span[0]) + 1, int(l.Span[1]) + 1
		}
	}
	return 0, 0
}
