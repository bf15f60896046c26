package compiler

import (
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"

	options "github.com/octopus-framework/octopus/compiler/oldoptions"
)

// fileTypes is what the options of one file can refer to.
type fileTypes struct {
	*optionTypes
	file    *descriptorpb.FileDescriptorProto
	visible map[string]bool // import paths
	// import paths of files that may be used for their fields only
	fields   map[string]bool
	packages map[protoreflect.FullName]bool // those of all these files, and what they are in
}

// visibleIn returns what the options of a file can refer to: what it declares itself and what it
// imports.
func (t *optionTypes) visibleIn(fdp *descriptorpb.FileDescriptorProto) fileTypes {
	v := fileTypes{t, fdp, map[string]bool{}, map[string]bool{}, map[protoreflect.FullName]bool{}}
	var add func(to map[string]bool, path string)
	add = func(to map[string]bool, path string) {
		f := t.files[path]
		if to[path] || f == nil {
			return
		}
		to[path] = true
		for p := protoreflect.FullName(f.GetPackage()); p != "" && !v.packages[p]; p = p.Parent() {
			v.packages[p] = true
		}
		for _, i := range f.PublicDependency {
			add(to, f.Dependency[i])
		}
	}
	v.visible[fdp.GetName()] = true
	for p := protoreflect.FullName(fdp.GetPackage()); p != ""; p = p.Parent() {
		v.packages[p] = true
	}
	for _, path := range fdp.Dependency {
		add(v.visible, path)
	}
	for _, path := range fdp.OptionDependency {
		add(v.fields, path)
	}
	return v
}

// find returns what a full name stands for here.
func (v fileTypes) find(name protoreflect.FullName) symbol {
	s := v.symbols[name]
	if _, isField := s.of.(*descriptorpb.FieldDescriptorProto); v.visible[s.path] || isField &&
		v.fields[s.path] {
		return s
	}
	return symbol{}
}

// lookup returns what a name stands for in a scope. Names are looked for from the inside, by their
// first part: where that is found the rest must be, too. A name that starts with a point is a full
// one.
func (v fileTypes) lookup(name string,
	scope protoreflect.FullName) (protoreflect.FullName, symbol) {
	if name[0] == '.' {
		return protoreflect.FullName(name[1:]), v.find(protoreflect.FullName(name[1:]))
	}
	first, _, compound := strings.Cut(name, ".")
	for ; scope != ""; scope = scope.Parent() {
		full := scope.Append(protoreflect.Name(first))
		s := v.find(full)
		switch s.of.(type) {
		case *descriptorpb.DescriptorProto, *descriptorpb.EnumDescriptorProto,
			*descriptorpb.ServiceDescriptorProto:
		case nil:
			if !compound || !v.packages[full] {
				continue
			}
		default:
			if compound {
				continue
			}
		}
		full = scope.Append(protoreflect.Name(name))
		return full, v.find(full)
	}
	return protoreflect.FullName(name), v.find(protoreflect.FullName(name))
}

// Field implements options.Types.
func (v fileTypes) Field(name string, scope protoreflect.FullName) protoreflect.FieldDescriptor {
	v.mu.Lock()
	defer v.mu.Unlock()
	full, s := v.lookup(name, scope)
	fd, _ := v.resolve(full, s).(protoreflect.FieldDescriptor)
	return v.asItem(fd)
}

// Extension implements options.Types.
func (v fileTypes) Extension(name string, of protoreflect.FullName) protoreflect.FieldDescriptor {
	v.mu.Lock()
	defer v.mu.Unlock()
	full, s := v.lookup(name, of.Parent())
	d := v.resolve(full, s)
	if m, ok := d.(protoreflect.MessageDescriptor); ok && v.describer.sets[of] != nil {
		for i := range m.Extensions().Len() {
			if x := m.Extensions().Get(i); x.ContainingMessage().FullName() == of &&
				x.Message() == m {
				return v.asItem(x)
			}
		}
	}
	fd, _ := d.(protoreflect.FieldDescriptor)
	return v.asItem(fd)
}

// resolve returns the descriptor of a symbol, which is used then, or nil.
func (v fileTypes) resolve(name protoreflect.FullName, s symbol) protoreflect.Descriptor {
	if s.of == nil {
		return nil
	}
	if _, err := (resolver{v.optionTypes}).FindFileByPath(s.path); err != nil {
		return nil
	}
	v.used[[2]string{v.file.GetName(), s.path}] = true
	d, _ := v.registry.FindDescriptorByName(name)
	return d
}

// asItem returns extensions of message sets as such, and other fields as they are.
func (v fileTypes) asItem(fd protoreflect.FieldDescriptor) protoreflect.FieldDescriptor {
	if fd == nil || v.describer.sets[fd.ContainingMessage().FullName()] == nil {
		return fd
	}
	n, high := v.describer.numbers[fd.FullName()]
	if !high {
		n = int32(fd.Number())
	}
	return options.Item{FieldDescriptor: fd, N: protoreflect.FieldNumber(n)}
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

// options returns a message of descriptor.proto: what has its name in the file or what that
// imports, or else that of the sources, or else ours.
func (v fileTypes) options(name protoreflect.FullName) (protoreflect.MessageDescriptor, error) {
	path := descriptorPath
	if of, ok := v.copies[name]; ok && v.imports(of) {
		path = of
	}
	if v.files[path] == nil {
		return descriptorpb.File_google_protobuf_descriptor_proto.Messages().ByName(name.Name()),
			nil
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

// imports tells whether a file is the one with these options, or comes with it by any chain of
// imports.
func (v fileTypes) imports(path string) bool {
	seen := map[string]bool{}
	var leads func(from string) bool
	leads = func(from string) bool {
		f := v.files[from]
		if seen[from] || f == nil {
			return false
		}
		seen[from] = true
		return from == path || slices.ContainsFunc(f.Dependency, leads) ||
			slices.ContainsFunc(f.OptionDependency, leads)
	}
	return leads(v.file.GetName())
}
