package link

import (
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/octopus-framework/octopus/compiler/report"
	"github.com/octopus-framework/octopus/internal/compiler/describe"
)

// resolving resolves the names of one file.
type resolving struct {
	*View
	next  id // the next symbol of the file: they are in the order of declaring
	found report.List
}

var (
	typeMessage = descriptorpb.FieldDescriptorProto_TYPE_MESSAGE.Enum()
	typeEnum    = descriptorpb.FieldDescriptorProto_TYPE_ENUM.Enum()
)

// resolveFile resolves the names of the current file.
func (v *View) resolveFile() (found report.List) {
	defer func() {
		if p := recover(); p != nil {
			found = append(found, report.Panic(v.file.Path, p))
		}
	}()
	r := resolving{View: v, next: v.file.first}
	p := v.file.Proto
	for _, m := range p.MessageType {
		r.message(m)
	}
	for _, x := range p.Extension {
		r.field(v.file.pkg, x)
	}
	for _, e := range p.EnumType {
		r.next += id(1 + len(e.Value))
	}
	r.next += id(len(p.Extension))
	for _, s := range p.Service {
		scope := r.next
		r.next += id(1 + len(s.Method))
		for _, m := range s.Method {
			m.InputType = r.method(scope, m, m.InputType, describe.Input)
			m.OutputType = r.method(scope, m, m.OutputType, describe.Output)
		}
	}
	return r.found
}

func (r *resolving) message(m *descriptorpb.DescriptorProto) {
	scope := r.next
	r.next += id(1 + len(m.OneofDecl) + len(m.Field) + len(m.Extension))
	for _, e := range m.EnumType {
		r.next += id(1 + len(e.Value))
	}
	for _, f := range m.Field {
		r.field(scope, f)
	}
	for _, x := range m.Extension {
		r.field(scope, x)
	}
	for _, m := range m.NestedType {
		r.message(m)
	}
}

func (r *resolving) field(scope id, f *descriptorpb.FieldDescriptorProto) {
	if f.Extendee != nil {
		name := f.GetExtendee()
		if n := r.lookup(name, scope, false); n == root {
			r.undefined(name, f, describe.Extendee)
		} else if s := &r.pool.symbols[n]; s.kind != Message {
			r.wrongKind(n, name, "a message", f, describe.Extendee)
		} else {
			f.Extendee = s.typeName
		}
	}
	if f.TypeName == nil {
		return
	}
	name := f.GetTypeName()
	n := r.lookup(name, scope, true)
	if n == root {
		r.undefined(name, f, describe.Type)
		return
	}
	s := &r.pool.symbols[n]
	switch {
	case !s.kind.isType():
		r.wrongKind(n, name, "a message or an enum", f, describe.Type)
		return
	case f.Type != nil && s.kind != Message: // a group
		r.wrongKind(n, name, "a message", f, describe.Type)
		return
	case f.Type == nil && s.kind == Message:
		f.Type = typeMessage
	case f.Type == nil:
		f.Type = typeEnum
	}
	f.TypeName = s.typeName
}

func (r *resolving) method(scope id, m *descriptorpb.MethodDescriptorProto, name *string,
	part describe.Part) *string {
	n := r.lookup(*name, scope, false)
	if n == root {
		r.undefined(*name, m, part)
		return name
	}
	s := &r.pool.symbols[n]
	if s.kind != Message {
		r.wrongKind(n, *name, "a message", m, part)
		return name
	}
	return s.typeName
}
