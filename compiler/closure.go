package compiler

import (
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/octopus-framework/octopus/compiler/schema"
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
		seen := map[string]bool{}
		var add func(path string)
		add = func(path string) {
			fdp := files[path]
			if fdp == nil || seen[path] || IsWellKnown(path) {
				return
			}
			seen[path] = true
			for _, imp := range fdp.Dependency {
				add(imp)
			}
			set.File = append(set.File, WithoutSourceInfo(fdp))
		}
		add(f.Path)
		data, err := proto.MarshalOptions{Deterministic: true}.Marshal(set)
		if err != nil {
			return err
		}
		sets[f.Path] = data
	}
	return nil
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
