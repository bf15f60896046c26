package compiler

import (
	"errors"
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

// newFile resolves a file. protodesc stops at the first error; the others are found by taking what it names away and asking
// again. What cannot be taken away without breaking something else ends that.
func newFile(fdp *descriptorpb.FileDescriptorProto, registry *protoregistry.Files) (fd protoreflect.FileDescriptor, errs []error) {
	for copied := false; ; copied = true {
		fd, err := protodesc.NewFile(fdp, registry)
		switch {
		case err == nil && len(errs) == 0:
			return fd, nil
		case err == nil:
			return nil, errs
		}
		message := strings.TrimPrefix(strings.ReplaceAll(err.Error(), "\u00a0", " "), "proto: ")
		if n := len(errs); n > 0 && errs[n-1].Error() == message {
			return nil, errs // taking away did not help
		}
		errs = append(errs, errors.New(message))
		if !copied {
			fdp = proto.Clone(fdp).(*descriptorpb.FileDescriptorProto)
		}
		if len(errs) == maxFileErrors || !takeAway(fdp, message) {
			return nil, errs
		}
	}
}

// quotedNames returns what a message of protodesc has in double quotes: first the declaration that is wrong, then others that
// it is wrong with.
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
	name   string
	path   []int32 // of its location in the source info
	of, in any     // descriptors: its own, and that of the message, enum or service around it or of the file
}

// declarations lists what a file declares.
func declarations(fdp *descriptorpb.FileDescriptorProto) (all []described) {
	add := func(name string, of, in any, path []int32, steps ...int32) []int32 {
		path = append(slices.Clip(path), steps...)
		all = append(all, described{name: name, path: path, of: of, in: in})
		return path
	}
	scope := packageScope(fdp)
	enum := func(scope string, e *descriptorpb.EnumDescriptorProto, in any, path []int32, field, i int32) {
		path = add(scope+e.GetName(), e, in, path, field, i)
		for j, v := range e.Value {
			add(scope+v.GetName(), v, e, path, 2, int32(j))
		}
	}
	var message func(scope string, m *descriptorpb.DescriptorProto, in any, path []int32, field, i int32)
	message = func(scope string, m *descriptorpb.DescriptorProto, in any, path []int32, field, i int32) {
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
			message(scope, n, m, path, 3, int32(j))
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

// takeAway takes away what a message of protodesc says is wrong, in such a way that nothing else goes wrong for it. It
// reports whether it could.
func takeAway(fdp *descriptorpb.FileDescriptorProto, message string) bool {
	names := quotedNames(message)
	if len(names) == 0 || strings.HasPrefix(message, "descriptor ") { // one that is declared twice: others may need it
		return false
	}
	all := declarations(fdp)
	i := slices.IndexFunc(all, func(d described) bool { return d.name == names[0] })
	if i < 0 {
		return false
	}
	d := all[i]
	// Of two fields or values that are in conflict the later one goes, which is named first.
	for _, inner := range all {
		_, isField := inner.of.(*descriptorpb.FieldDescriptorProto)
		_, isValue := inner.of.(*descriptorpb.EnumValueDescriptorProto)
		if len(names) > 2 && inner.in == d.of && (isField || isValue) && strings.HasSuffix("."+inner.name, "."+names[1]) {
			d = inner
			break
		}
	}
	switch of := d.of.(type) {
	case *descriptorpb.FieldDescriptorProto:
		if m, ok := d.in.(*descriptorpb.DescriptorProto); ok && slices.Contains(m.Field, of) {
			return removeField(m, of)
		}
		removeExtensions(fdp, all, func(x *descriptorpb.FieldDescriptorProto) bool { return x == of })
	case *descriptorpb.OneofDescriptorProto:
		m := d.in.(*descriptorpb.DescriptorProto)
		removeOneof(m, int32(slices.Index(m.OneofDecl, of)))
	case *descriptorpb.EnumDescriptorProto:
		return levelEnum(of)
	case *descriptorpb.EnumValueDescriptorProto:
		e := d.in.(*descriptorpb.EnumDescriptorProto)
		if of == e.Value[0] {
			return levelEnum(e)
		}
		e.Value = slices.DeleteFunc(e.Value, func(v *descriptorpb.EnumValueDescriptorProto) bool { return v == of })
		for _, d := range all {
			if f, ok := d.of.(*descriptorpb.FieldDescriptorProto); ok && f.GetDefaultValue() == of.GetName() {
				f.DefaultValue = nil
			}
		}
	case *descriptorpb.DescriptorProto: // its ranges or reserved names are wrong
		if len(of.ReservedName)+len(of.ReservedRange)+len(of.ExtensionRange) == 0 {
			return false
		}
		of.ReservedName, of.ReservedRange, of.ExtensionRange = nil, nil, nil
		removeExtensions(fdp, all, func(x *descriptorpb.FieldDescriptorProto) bool {
			return strings.TrimPrefix(x.GetExtendee(), ".") == d.name
		})
	case *descriptorpb.MethodDescriptorProto:
		s := d.in.(*descriptorpb.ServiceDescriptorProto)
		s.Method = slices.DeleteFunc(s.Method, func(m *descriptorpb.MethodDescriptorProto) bool { return m == of })
	default:
		return false
	}
	return true
}

// removeField removes a field, and its oneof if it is the last one in it. The fields of map entries are needed.
func removeField(m *descriptorpb.DescriptorProto, f *descriptorpb.FieldDescriptorProto) bool {
	if m.GetOptions().GetMapEntry() {
		return false
	}
	m.Field = slices.DeleteFunc(m.Field, func(x *descriptorpb.FieldDescriptorProto) bool { return x == f })
	if f.OneofIndex != nil && !slices.ContainsFunc(m.Field, func(x *descriptorpb.FieldDescriptorProto) bool {
		return x.OneofIndex != nil && *x.OneofIndex == *f.OneofIndex
	}) {
		removeOneof(m, *f.OneofIndex)
	}
	return true
}

// removeOneof makes ordinary fields of the members of a oneof.
func removeOneof(m *descriptorpb.DescriptorProto, index int32) {
	if int(index) < len(m.OneofDecl) {
		m.OneofDecl = slices.Delete(m.OneofDecl, int(index), int(index)+1)
	}
	for _, f := range m.Field {
		switch {
		case f.OneofIndex == nil || *f.OneofIndex < index:
		case *f.OneofIndex == index:
			f.OneofIndex, f.Proto3Optional = nil, nil
		default:
			f.OneofIndex = proto.Int32(*f.OneofIndex - 1)
		}
	}
}

// levelEnum makes an enum that nothing is wrong with, of the same values by name. It reports whether that changed it.
func levelEnum(e *descriptorpb.EnumDescriptorProto) bool {
	before := proto.Clone(e)
	if len(e.Value) == 0 {
		e.Value = []*descriptorpb.EnumValueDescriptorProto{{Name: proto.String(e.GetName() + "_none")}}
	}
	for _, v := range e.Value {
		v.Number = proto.Int32(0)
	}
	if e.Options == nil {
		e.Options = &descriptorpb.EnumOptions{}
	}
	e.Options.AllowAlias = proto.Bool(len(e.Value) > 1)
	e.ReservedName, e.ReservedRange = nil, nil
	return !proto.Equal(e, before)
}

// removeExtensions removes those extensions of a file that gone tells.
func removeExtensions(fdp *descriptorpb.FileDescriptorProto, all []described, gone func(*descriptorpb.FieldDescriptorProto) bool) {
	fdp.Extension = slices.DeleteFunc(fdp.Extension, gone)
	for _, d := range all {
		if m, ok := d.of.(*descriptorpb.DescriptorProto); ok {
			m.Extension = slices.DeleteFunc(m.Extension, gone)
		}
	}
}

// packageScope is what stands before the names of the declarations of a file.
func packageScope(fdp *descriptorpb.FileDescriptorProto) string {
	if fdp.GetPackage() == "" {
		return ""
	}
	return fdp.GetPackage() + "."
}

// locate finds the declaration of fd that a message of protodesc names first, and returns where it starts, or zeros.
func locate(fd *descriptorpb.FileDescriptorProto, message string) (line, column int) {
	names := quotedNames(message)
	for _, d := range declarations(fd) {
		if len(names) == 0 || d.name != names[0] {
			continue
		}
		for _, l := range fd.GetSourceCodeInfo().GetLocation() {
			if slices.Equal(l.Path, d.path) && len(l.Span) >= 2 {
				return int(l.Span[0]) + 1, int(l.Span[1]) + 1
			}
		}
	}
	return 0, 0
}
