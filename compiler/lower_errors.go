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

// fileError is something that is wrong with a file.
type fileError struct {
	message string
	path    []int32 // of the declaration in the source info; nil when none is known
}

// newFile resolves a file. protodesc stops at the first error; the others are found by taking what
// it names away and asking again. What cannot be taken away without breaking something else ends
// that.
func newFile(fdp *descriptorpb.FileDescriptorProto,
	registry *protoregistry.Files) (fd protoreflect.FileDescriptor, errs []fileError) {
	fd, err := protodesc.NewFile(fdp, registry)
	if err == nil {
		return fd, nil
	}
	rest := &remains{fdp: proto.Clone(fdp).(*descriptorpb.FileDescriptorProto)}
	paths := map[any][]int32{} // those that declarations had before something was taken away
	for _, d := range declarations(rest.fdp) {
		paths[d.of] = d.path
	}
	for err != nil {
		message := plain(err)
		wrong, known := find(declarations(rest.fdp), message)
		e := fileError{rest.original(message), paths[wrong.of]}
		if n := len(errs); n > 0 && errs[n-1].message == e.message &&
			slices.Equal(errs[n-1].path, e.path) {
			break // taking away did not help
		}
		errs = append(errs, e)
		if len(errs) == maxFileErrors || !known || !rest.takeAway(wrong, message) {
			break
		}
		_, err = protodesc.NewFile(rest.fdp, registry)
	}
	return nil, errs
}

// register adds a file to those that others can import.
func register(registry *protoregistry.Files, fd protoreflect.FileDescriptor,
	fdp *descriptorpb.FileDescriptorProto) (errs []fileError) {
	err := registry.RegisterFile(fd)
	if err == nil {
		return nil
	}
	scope := packageScope(fdp)
	for _, d := range declarations(fdp) {
		if strings.Contains(d.name[len(scope):], ".") {
			continue // in another declaration
		}
		if prev, err := registry.FindDescriptorByName(protoreflect.FullName(d.name)); err == nil {
			errs = append(errs, fileError{fmt.Sprintf("%q is already declared in %q", d.name,
				prev.ParentFile().Path()), d.path})
		}
	}
	if len(errs) == 0 { // not a declaration, but the file itself or its package
		errs = append(errs, fileError{message: plain(err)})
	}
	return errs
}

// plain is what protobuf-go says, without what it puts in front and the spaces that it makes unlike
// others on purpose.
func plain(err error) string {
	return strings.TrimPrefix(strings.ReplaceAll(err.Error(), "\u00a0", " "), "proto: ")
}

// quotedNames returns what a message of protodesc has in double quotes: first the declaration that
// is wrong, then others that it is wrong with.
func quotedNames(message string) (names []string) {
	for i, part := range strings.Split(message, `"`) {
		if i%2 == 1 {
			names = append(names, part)
		}
	}
	return names
}

// described is a declaration in a file.
type described struct {
	name string
	path []int32 // of its location in the source info
	// descriptors: its own, and that of the message, enum or service around it or of the file
	of, in any
}

// declarations lists what a file declares.
func declarations(fdp *descriptorpb.FileDescriptorProto) (all []described) {
	add := func(name string, of, in any, path []int32, steps ...int32) []int32 {
		path = append(slices.Clip(path), steps...)
		all = append(all, described{name: name, path: path, of: of, in: in})
		return path
	}
	scope := packageScope(fdp)
	enum := func(scope string, e *descriptorpb.EnumDescriptorProto, in any, path []int32, field,
		i int32) {
		path = add(scope+e.GetName(), e, in, path, field, i)
		for j, v := range e.Value {
			add(scope+v.GetName(), v, e, path, 2, int32(j))
		}
	}
	var message func(scope string, m *descriptorpb.DescriptorProto, in any, path []int32, field,
		i int32)
	message = func(scope string, m *descriptorpb.DescriptorProto, in any, path []int32, field,
		i int32) {
		path = add(scope+m.GetName(), m, in, path, field, i)
		scope += m.GetName() + "."
		for j, f := range m.Field {
			add(scope+f.GetName(), f, m, path, 2, int32(j))
		}
		for j, x := range m.Extension {
			add(scope+x.GetName(), x, m, path, 6, int32(j))
		}
		for j, o := range m.OneofDecl {
			add(scope+o.GetName(), o, m, path, 8, int32(j))
		}
		for j, e := range m.EnumType {
			enum(scope, e, m, path, 4, int32(j))
		}
		for j, n := range m.NestedType {
			field := slices.IndexFunc(m.Field, func(f *descriptorpb.FieldDescriptorProto) bool {
				return isEntryOf(n, f)
			})
			if field >= 0 { // all that is in the source
				message(scope, n, m, path, 2, int32(field))
			} else {
				message(scope, n, m, path, 3, int32(j))
			}
		}
	}
	for i, m := range fdp.MessageType {
		message(scope, m, fdp, nil, 4, int32(i))
	}
	for i, e := range fdp.EnumType {
		enum(scope, e, fdp, nil, 5, int32(i))
	}
	for i, x := range fdp.Extension {
		add(scope+x.GetName(), x, fdp, nil, 7, int32(i))
	}
	for i, s := range fdp.Service {
		path := add(scope+s.GetName(), s, fdp, nil, 6, int32(i))
		for j, m := range s.Method {
			add(scope+s.GetName()+"."+m.GetName(), m, s, path, 2, int32(j))
		}
	}
	return all
}

// packageScope is what stands before the names of the declarations of a file.
func packageScope(fdp *descriptorpb.FileDescriptorProto) string {
	if fdp.GetPackage() == "" {
		return ""
	}
	return fdp.GetPackage() + "."
}

// find returns the declaration that a message of protodesc names first; of equal ones that are not
// allowed the second.
func find(all []described, message string) (d described, ok bool) {
	names := quotedNames(message)
	if len(names) == 0 {
		return d, false
	}
	seen := false
	for _, d := range all {
		switch {
		case isUnnamable(message):
			_, isValue := d.of.(*descriptorpb.EnumValueDescriptorProto) // is beside its enum
			if d.of.(interface{ GetName() string }).GetName() == names[1] &&
				(isValue || d.name == strings.TrimPrefix(names[0]+"."+names[1], ".")) {
				return d, true
			}
		case d.name != names[0]:
		case isDuplicate(message) && !seen:
			seen = true
		default:
			return laterOf(all, d, names), true
		}
	}
	return d, false
}

// laterOf returns, when a message is about two fields or values in d that are in conflict, the
// later one, which it names first.
func laterOf(all []described, d described, names []string) described {
	for _, inner := range all {
		_, isField := inner.of.(*descriptorpb.FieldDescriptorProto)
		_, isValue := inner.of.(*descriptorpb.EnumValueDescriptorProto)
		if len(names) > 2 && inner.in == d.of && (isField || isValue) &&
			strings.HasSuffix("."+inner.name, "."+names[1]) {
			return inner
		}
	}
	return d
}

// isDuplicate tells whether a message of protodesc is about a declaration whose name another one
// has.
func isDuplicate(message string) bool { return strings.HasSuffix(message, `" already declared`) }

// isUnnamable tells whether a message of protodesc is about a declaration whose name cannot be one;
// it is named second.
func isUnnamable(message string) bool {
	return strings.Contains(message, `" has an invalid nested name: "`)
}

// isEntryOf tells whether a message is that of the entries of a map.
func isEntryOf(m *descriptorpb.DescriptorProto, f *descriptorpb.FieldDescriptorProto) bool {
	return m.GetOptions().GetMapEntry() && strings.HasSuffix(f.GetTypeName(), "."+m.GetName())
}

// locate returns where the declaration with the given path starts, or one around it that is in the
// source, or zeros.
func locate(fdp *descriptorpb.FileDescriptorProto, path []int32) (line, column int) {
	for ; len(path) != 0; path = path[:len(path)-2] {
		for _, l := range fdp.GetSourceCodeInfo().GetLocation() {
			if slices.Equal(l.Path, path) && len(l.Span) >= 2 {
				return int(l.Span[0]) + 1, int(l.Span[1]) + 1
			}
		}
	}
	return 0, 0
}
