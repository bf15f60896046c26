package compiler

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/octopus-framework/octopus/compiler/options"
)

const descriptorPath = "google/protobuf/descriptor.proto"

// optionTypes resolves those files whose messages and extensions options are made of; most of the others never are.
type optionTypes struct {
	files map[string]*descriptorpb.FileDescriptorProto // by import path

	mu         sync.Mutex // for all below
	lowering   *lowering
	registry   *protoregistry.Files
	failed     map[string]error
	extensions map[protoreflect.FullName]string // the import paths of those who declare them
	copies     map[protoreflect.FullName]string // of messages of descriptor.proto that another file declares, too
	used       map[[2]string]bool               // import paths of files, each with one that its options refer to
}

func newOptionTypes(files map[string]*descriptorpb.FileDescriptorProto) *optionTypes {
	t := &optionTypes{
		files:      files,
		lowering:   newLowering(),
		registry:   &protoregistry.Files{},
		failed:     map[string]error{},
		extensions: map[protoreflect.FullName]string{},
		copies:     map[protoreflect.FullName]string{},
		used:       map[[2]string]bool{},
	}
	for path, fdp := range files {
		t.index(path, protoreflect.FullName(fdp.GetPackage()), fdp.MessageType, fdp.Extension)
	}
	return t
}

// index remembers where extensions are, those in messages included.
func (t *optionTypes) index(path string, scope protoreflect.FullName, in []*descriptorpb.DescriptorProto, extensions []*descriptorpb.FieldDescriptorProto) {
	for _, x := range extensions {
		t.extensions[scope.Append(protoreflect.Name(x.GetName()))] = path
	}
	for _, m := range in {
		name := scope.Append(protoreflect.Name(m.GetName()))
		if path != descriptorPath && strings.HasPrefix(string(name), "google.protobuf.") {
			t.copies[name] = path
		}
		t.index(path, name, m.NestedType, m.Extension)
	}
}

// options returns a message of descriptor.proto: what has its name in the file or what that imports, or else that of the
// sources, or else ours.
func (v fileTypes) options(name protoreflect.FullName) (protoreflect.MessageDescriptor, error) {
	path := descriptorPath
	if of, ok := v.copies[name]; ok && v.imports(of) {
		path = of
	}
	if v.files[path] == nil {
		return descriptorpb.File_google_protobuf_descriptor_proto.Messages().ByName(name.Name()), nil
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if _, err := (resolver{v.optionTypes}).FindFileByPath(path); err != nil {
		return nil, err
	}
	d, err := v.registry.FindDescriptorByName(name)
	m, ok := d.(protoreflect.MessageDescriptor)
	if !ok {
		return nil, fmt.Errorf("%q has no message %q: %v", path, name, err)
	}
	return m, nil
}

// imports tells whether a file is the one with these options, or comes with it by any chain of imports.
func (v fileTypes) imports(path string) bool {
	seen := map[string]bool{}
	var leads func(from string) bool
	leads = func(from string) bool {
		f := v.files[from]
		if seen[from] || f == nil {
			return false
		}
		seen[from] = true
		return from == path || slices.ContainsFunc(f.Dependency, leads) || slices.ContainsFunc(f.OptionDependency, leads)
	}
	return leads(v.file.GetName())
}

// resolver resolves files as they are asked for. Who has one has the lock.
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
	fd, err := protodesc.NewFile(r.lowering.describable(fdp), r)
	if err == nil {
		err = r.registry.RegisterFile(fd)
	}
	r.failed[path] = err
	return fd, err
}

// FindDescriptorByName implements protodesc.Resolver.
func (r resolver) FindDescriptorByName(name protoreflect.FullName) (protoreflect.Descriptor, error) {
	return r.registry.FindDescriptorByName(name)
}

// fileTypes is what the options of one file can refer to.
type fileTypes struct {
	*optionTypes
	file    *descriptorpb.FileDescriptorProto
	visible map[string]bool // import paths
}

// visibleIn returns what the options of a file can refer to: what it declares itself and what it imports.
func (t *optionTypes) visibleIn(fdp *descriptorpb.FileDescriptorProto) fileTypes {
	v := fileTypes{t, fdp, map[string]bool{fdp.GetName(): true}}
	var public func(path string)
	public = func(path string) {
		f := t.files[path]
		if v.visible[path] || f == nil {
			return
		}
		v.visible[path] = true
		for _, i := range f.PublicDependency {
			public(f.Dependency[i])
		}
	}
	for _, path := range fdp.Dependency {
		public(path)
	}
	for _, path := range fdp.OptionDependency {
		public(path)
	}
	return v
}

// Extension implements options.Types.
func (v fileTypes) Extension(name string, scope protoreflect.FullName) protoreflect.FieldDescriptor {
	if name[0] == '.' {
		name, scope = name[1:], ""
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	for {
		full := scope.Append(protoreflect.Name(name))
		if path, ok := v.extensions[full]; ok && v.visible[path] {
			if _, err := (resolver{v.optionTypes}).FindFileByPath(path); err != nil {
				return nil
			}
			d, _ := v.registry.FindDescriptorByName(full)
			fd, _ := d.(protoreflect.FieldDescriptor)
			if fd == nil {
				return nil
			}
			v.used[[2]string{v.file.GetName(), path}] = true
			if v.lowering.sets[fd.ContainingMessage().FullName()] == nil {
				return fd
			}
			n, high := v.lowering.numbers[full]
			if !high {
				n = int32(fd.Number())
			}
			return options.Item{FieldDescriptor: fd, N: protoreflect.FieldNumber(n)}
		}
		if scope == "" {
			return nil
		}
		scope = scope.Parent()
	}
}

// Message implements options.Types. A message in an Any may come by any chain of imports.
func (v fileTypes) Message(name protoreflect.FullName) protoreflect.MessageDescriptor {
	v.mu.Lock()
	defer v.mu.Unlock()
	seen := map[string]bool{}
	var find func(path string) protoreflect.MessageDescriptor
	find = func(path string) protoreflect.MessageDescriptor {
		if seen[path] {
			return nil
		}
		seen[path] = true
		fd, err := resolver{v.optionTypes}.FindFileByPath(path)
		if err != nil {
			return nil
		}
		if d, err := v.registry.FindDescriptorByName(name); err == nil && d.ParentFile() == fd {
			v.used[[2]string{v.file.GetName(), path}] = true
			m, _ := d.(protoreflect.MessageDescriptor)
			return m
		}
		for i := range fd.Imports().Len() {
			if m := find(fd.Imports().Get(i).Path()); m != nil {
				return m
			}
		}
		return nil
	}
	return find(v.file.GetName())
}

// uses tells whether one of a file's imports has what its options refer to, or has it by public imports.
func (t *optionTypes) uses(path, imported string) bool {
	seen := map[string]bool{}
	var leads func(to string) bool
	leads = func(to string) bool {
		f := t.files[to]
		if seen[to] || f == nil {
			return false
		}
		seen[to] = true
		return t.used[[2]string{path, to}] || slices.ContainsFunc(f.PublicDependency, func(i int32) bool { return leads(f.Dependency[i]) })
	}
	return leads(imported)
}
