package lower

import (
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/octopus-framework/octopus/internal/compiler/schema"
)

// AddClosures adds to sets what servers tell about the services of s: for each file that is to be
// generated and has services, an encoded FileDescriptorSet with the file and all it imports,
// without source info and the files that come with the compiler.
func AddClosures(sets map[string][]byte, s *schema.Schema,
	fds *descriptorpb.FileDescriptorSet) error {
	files := map[string]*descriptorpb.FileDescriptorProto{}
	for _, f := range fds.File {
		files[f.GetName()] = f
	}
	for _, f := range s.Files {
		if !f.Generate || len(f.Services) == 0 {
			continue
		}
		set := &descriptorpb.FileDescriptorSet{}
		for _, path := range closure(files, f.Path) {
			set.File = append(set.File, WithoutSourceInfo(files[path]))
		}
		data, err := proto.MarshalOptions{Deterministic: true}.Marshal(set)
		if err != nil {
			return err
		}
		sets[f.Path] = data
	}
	return nil
}

// closure returns a file and what it imports, each file after its imports, without those that come
// with the compiler. It does not recurse: chains of imports can be longer than the stack is deep.
func closure(files map[string]*descriptorpb.FileDescriptorProto, path string) (out []string) {
	type place struct {
		path string
		next int // index of the next of its imports
	}
	seen := map[string]bool{path: true}
	for way := []place{{path: path}}; len(way) != 0; {
		at := &way[len(way)-1]
		imports := files[at.path].GetDependency()
		if at.next == len(imports) {
			out, way = append(out, at.path), way[:len(way)-1]
			continue
		}
		imported := imports[at.next]
		at.next++
		if files[imported] != nil && !seen[imported] && !IsWellKnown(imported) {
			seen[imported] = true
			way = append(way, place{path: imported})
		}
	}
	return out
}

// WithoutSourceInfo returns a shallow copy of f without source info; f stays whole.
func WithoutSourceInfo(f *descriptorpb.FileDescriptorProto) *descriptorpb.FileDescriptorProto {
	bare := &descriptorpb.FileDescriptorProto{}
	f.ProtoReflect().Range(func(fd protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		if fd.Name() != "source_code_info" {
			bare.ProtoReflect().Set(fd, v)
		}
		return true
	})
	bare.ProtoReflect().SetUnknown(f.ProtoReflect().GetUnknown())
	return bare
}
