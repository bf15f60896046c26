package compiler

import (
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
)

// remains is what is left of a file while one error after the other is taken away.
type remains struct {
	fdp     *descriptorpb.FileDescriptorProto
	renamed []string // pairs of new and old names
}

// original writes a message about what remains as one about the file.
func (r *remains) original(message string) string {
	return strings.NewReplacer(r.renamed...).Replace(message)
}

// takeAway takes away what a message of protodesc says is wrong with d, in such a way that nothing
// else goes wrong for it. It reports whether it could.
func (r *remains) takeAway(d described, message string) bool {
	fdp, all := r.fdp, declarations(r.fdp)
	if (isDuplicate(message) || isUnnamable(message)) && r.rename(d, all) {
		return true
	}
	switch of := d.of.(type) {
	case *descriptorpb.FieldDescriptorProto:
		if m, ok := d.in.(*descriptorpb.DescriptorProto); ok && slices.Contains(m.Field, of) {
			removeField(m, of)
			break
		}
		removeExtensions(fdp, all, func(x *descriptorpb.FieldDescriptorProto) bool {
			return x == of
		})
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
		e.Value = slices.DeleteFunc(e.Value, func(v *descriptorpb.EnumValueDescriptorProto) bool {
			return v == of
		})
		forgetDefault(all, of.GetName())
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
		s.Method = slices.DeleteFunc(s.Method, func(m *descriptorpb.MethodDescriptorProto) bool {
			return m == of
		})
	default:
		return false
	}
	return true
}

// rename gives d a name of its own, unless it is something that can be removed. What refers to that
// name, also when it means another declaration that has it, is made to refer to nothing.
func (r *remains) rename(d described, all []described) bool {
	var name **string
	switch of := d.of.(type) {
	case *descriptorpb.DescriptorProto:
		name = &of.Name
	case *descriptorpb.EnumDescriptorProto:
		name = &of.Name
	case *descriptorpb.ServiceDescriptorProto:
		name = &of.Name
	case *descriptorpb.EnumValueDescriptorProto:
		forgetDefault(all, of.GetName())
		name = &of.Name
	default:
		return false
	}
	old := ""
	if *name != nil {
		old = **name
	}
	*name = proto.String(fmt.Sprintf("gremlin_renamed_%d_", len(r.renamed)))
	r.renamed = append(r.renamed, **name, old)
	refers := func(name string) bool { return strings.HasPrefix(name+".", "."+d.name+".") }
	for _, x := range all {
		switch of := x.of.(type) {
		case *descriptorpb.FieldDescriptorProto:
			if refers(of.GetTypeName()) {
				becomeNumber(of)
			}
		case *descriptorpb.ServiceDescriptorProto:
			of.Method = slices.DeleteFunc(of.Method,
				func(m *descriptorpb.MethodDescriptorProto) bool {
					return refers(m.GetInputType()) || refers(m.GetOutputType())
				})
		}
	}
	removeExtensions(r.fdp, all, func(x *descriptorpb.FieldDescriptorProto) bool {
		return refers(x.GetExtendee())
	})
	return true
}

// becomeNumber makes a field one with whose type nothing can be wrong.
func becomeNumber(f *descriptorpb.FieldDescriptorProto) {
	f.Type, f.TypeName, f.DefaultValue = descriptorpb.FieldDescriptorProto_TYPE_INT32.Enum(), nil,
		nil
}

// forgetDefault makes a field whose default is the value of an enum with the given name one without
// default.
func forgetDefault(all []described, value string) {
	for _, d := range all {
		if f, ok := d.of.(*descriptorpb.FieldDescriptorProto); ok && f.GetDefaultValue() == value {
			f.DefaultValue = nil
		}
	}
}

// removeField removes a field with its map entry, and its oneof if it is the last one in it. The
// fields of map entries are needed: they become numbers.
func removeField(m *descriptorpb.DescriptorProto, f *descriptorpb.FieldDescriptorProto) {
	if m.GetOptions().GetMapEntry() {
		becomeNumber(f)
		return
	}
	m.Field = slices.DeleteFunc(m.Field, func(x *descriptorpb.FieldDescriptorProto) bool {
		return x == f
	})
	for i, n := range slices.Backward(m.NestedType) {
		if isEntryOf(n, f) {
			m.NestedType = slices.Delete(m.NestedType, i, i+1)
			break
		}
	}
	if f.OneofIndex != nil && !slices.ContainsFunc(m.Field,
		func(x *descriptorpb.FieldDescriptorProto) bool {
			return x.OneofIndex != nil && *x.OneofIndex == *f.OneofIndex
		}) {
		removeOneof(m, *f.OneofIndex)
	}
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

// levelEnum makes an enum that nothing is wrong with, of the same values by name. It reports
// whether that changed it.
func levelEnum(e *descriptorpb.EnumDescriptorProto) bool {
	before := proto.Clone(e)
	if len(e.Value) == 0 {
		e.Value = []*descriptorpb.EnumValueDescriptorProto{{Name: proto.String(e.GetName() +
			"_none")}}
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
func removeExtensions(fdp *descriptorpb.FileDescriptorProto, all []described,
	gone func(*descriptorpb.FieldDescriptorProto) bool) {
	fdp.Extension = slices.DeleteFunc(fdp.Extension, gone)
	for _, d := range all {
		if m, ok := d.of.(*descriptorpb.DescriptorProto); ok {
			m.Extension = slices.DeleteFunc(m.Extension, gone)
		}
	}
}
