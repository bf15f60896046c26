package compiler

import (
	"slices"
	"sync"

	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
)

const descriptorPath = "google/protobuf/descriptor.proto"

// optionTypes resolves those files whose messages and extensions options are made of; most of the
// others never are.
type optionTypes struct {
	files   map[string]*descriptorpb.FileDescriptorProto // by import path
	symbols map[protoreflect.FullName]symbol             // what they declare
	// import paths, by messages of descriptor.proto that other files declare
	copies map[protoreflect.FullName]string

	mu        sync.Mutex // for all below
	describer *describer
	registry  *protoregistry.Files
	failed    map[string]error
	used      map[[2]string]bool // import paths of files, each with one that its options refer to
}

// symbol is what a name stands for: a declaration in the file with a path, or nothing.
type symbol struct {
	of   any // its descriptor
	path string
}

func newOptionTypes(files []*descriptorpb.FileDescriptorProto,
	declared [][]described) *optionTypes {
	t := &optionTypes{
		files:     map[string]*descriptorpb.FileDescriptorProto{},
		symbols:   map[protoreflect.FullName]symbol{},
		copies:    map[protoreflect.FullName]string{},
		describer: newDescriber(),
		registry:  &protoregistry.Files{},
		failed:    map[string]error{},
		used:      map[[2]string]bool{},
	}
	for i, fdp := range files {
		path := fdp.GetName()
		t.files[path] = fdp
		for _, d := range declared[i] {
			name := protoreflect.FullName(d.name)
			t.symbols[name] = symbol{d.of, path}
			if _, ok := d.of.(*descriptorpb.DescriptorProto); ok && path != descriptorPath &&
				name.Parent() == "google.protobuf" {
				t.copies[name] = path
			}
		}
	}
	return t
}

// resolver resolves files as they are asked for. Its methods must be called
// with optionTypes.mu held.
type resolver struct{ *optionTypes }

// FindFileByPath implements protodesc.Resolver. Imports are no deeper than there are files.
func (r resolver) FindFileByPath(path string) (protoreflect.FileDescriptor, error) {
	if fd, err := r.registry.FindFileByPath(path); err == nil {
		return fd, nil
	}
	fdp := r.files[path]
	if fdp == nil {
		return nil, protoregistry.NotFound
	}
	if err := r.failed[path]; err != nil {
		return nil, err
	}
	fd, err := protodesc.NewFile(r.describer.describable(fdp), r)
	if err == nil {
		err = r.registry.RegisterFile(fd)
	}
	r.failed[path] = err
	return fd, err
}

// FindDescriptorByName implements protodesc.Resolver.
func (r resolver) FindDescriptorByName(name protoreflect.FullName) (protoreflect.Descriptor,
	error) {
	return r.registry.FindDescriptorByName(name)
}

// uses tells whether one of a file's imports has what its options refer to, or has it by public
// imports.
func (t *optionTypes) uses(path, imported string) bool {
	seen := map[string]bool{}
	var leads func(to string) bool
	leads = func(to string) bool {
		f := t.files[to]
		if seen[to] || f == nil {
			return false
		}
		seen[to] = true
		return t.used[[2]string{path, to}] ||
			slices.ContainsFunc(f.PublicDependency, func(i int32) bool {
				return leads(f.Dependency[i])
			})
	}
	return leads(imported)
}
