package compiler

import (
	"slices"
	"strings"

	"google.golang.org/protobuf/types/descriptorpb"
)

// maxFieldNumber is the highest number a field may have outside of message sets.
const maxFieldNumber = 1<<29 - 1

// isTooHigh tells whether a range has numbers that no field can have.
func isTooHigh(r *descriptorpb.DescriptorProto_ReservedRange) bool {
	return r.GetEnd() > maxFieldNumber+1
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
