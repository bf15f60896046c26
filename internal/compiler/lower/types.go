package lower

import (
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/octopus-framework/octopus/internal/compiler/features"
	"github.com/octopus-framework/octopus/internal/compiler/schema"
)

// declareMessages makes the messages of a scope and what is nested in them, without fields.
func (f *file) declareMessages(of *schema.Message, ds []*descriptorpb.DescriptorProto,
	inherited features.Set) []*schema.Message {
	var out []*schema.Message
	for _, d := range ds {
		full, ok := f.declare(f.scope(of), d.GetName(), d)
		m := &schema.Message{
			Name:          d.GetName(),
			FullName:      full,
			File:          f.out,
			Parent:        of,
			MapEntry:      d.GetOptions().GetMapEntry(),
			MessageSet:    d.GetOptions().GetMessageSetWireFormat(),
			Deprecated:    d.GetOptions().GetDeprecated(),
			ReservedNames: d.GetReservedName(),
		}
		out = append(out, m)
		if f.skipped[m] = !ok; !ok {
			continue
		}
		f.declareType(symbol{file: f.out, message: m}, full)
		if of == nil {
			f.outer(full, d)
		}
		f.numberRanges(m, d)
		set := f.inherit(inherited, d.GetOptions().GetFeatures(), d)
		for _, field := range d.GetField() {
			name, _ := f.declare(full, field.GetName(), field)
			if f.names[name] == twice { // so is the entry, if it is a map
				f.names[join(full, entryName(field.GetName()))] = told
			}
		}
		for _, o := range d.GetOneofDecl() {
			f.declare(full, o.GetName(), o)
		}
		m.Messages = f.declareMessages(m, d.GetNestedType(), set)
		m.Enums = f.declareEnums(m, d.GetEnumType(), set)
		f.declareExtensions(full, d.GetExtension())
	}
	return out
}

// scope is the full name that declarations in a message have before theirs, or in the file.
func (f *file) scope(of *schema.Message) string {
	if of == nil {
		return f.out.Package
	}
	return of.FullName
}

func (f *file) declareExtensions(scope string, ds []*descriptorpb.FieldDescriptorProto) {
	for _, d := range ds {
		if full, ok := f.declare(scope, d.GetName(), d); ok && scope == f.out.Package {
			f.outer(full, d)
		}
	}
}

func (f *file) declareServices() {
	for _, d := range f.fd.GetService() {
		full, ok := f.declare(f.out.Package, d.GetName(), d)
		if !ok {
			continue
		}
		f.outer(full, d)
		for _, m := range d.GetMethod() {
			f.declare(full, m.GetName(), m)
		}
	}
}

// declareEnums lowers the enums of a scope; they refer to nothing.
func (f *file) declareEnums(of *schema.Message, ds []*descriptorpb.EnumDescriptorProto,
	inherited features.Set) []*schema.Enum {
	var out []*schema.Enum
	scope := f.scope(of)
	for _, d := range ds {
		full, ok := f.declare(scope, d.GetName(), d)
		set := f.inherit(inherited, d.GetOptions().GetFeatures(), d)
		e := &schema.Enum{
			Name:       d.GetName(),
			FullName:   full,
			File:       f.out,
			Parent:     of,
			Closed:     set.EnumType == descriptorpb.FeatureSet_CLOSED,
			AllowAlias: d.GetOptions().GetAllowAlias(),
			Deprecated: d.GetOptions().GetDeprecated(),
		}
		out = append(out, e)
		if !ok {
			continue
		}
		f.declareType(symbol{file: f.out, enum: e}, full)
		if of == nil {
			f.outer(full, d)
		}
		for _, v := range d.GetValue() {
			full, ok := f.declare(scope, v.GetName(), v) // values are siblings of their enum
			if ok && of == nil {
				f.outer(full, v)
			}
			f.inherit(set, v.GetOptions().GetFeatures(), v)
			e.Values = append(e.Values, &schema.EnumValue{
				Name:       v.GetName(),
				FullName:   full,
				Number:     v.GetNumber(),
				Enum:       e,
				Deprecated: v.GetOptions().GetDeprecated(),
			})
		}
		f.checkEnum(e, d)
	}
	return out
}

// lowerMessage fills in what declareMessages left out.
func (f *file) lowerMessage(m *schema.Message, d *descriptorpb.DescriptorProto,
	inherited features.Set) {
	if f.skipped[m] {
		return
	}
	set := inherited.With(d.GetOptions().GetFeatures())
	for i, nested := range m.Messages {
		// map entries must be complete before the fields that use them
		f.lowerMessage(nested, d.GetNestedType()[i], set)
	}
	oneofs := make([]oneof, len(d.GetOneofDecl()))
	for i, o := range d.GetOneofDecl() {
		oneofs[i].features = f.inherit(set, o.GetOptions().GetFeatures(), o)
	}
	for i, fd := range d.GetField() {
		inherited := set
		switch index := fd.GetOneofIndex(); {
		case fd.OneofIndex == nil:
		case index < 0 || int(index) >= len(oneofs):
			f.errorf(fd, "field %q is in oneof %d, which does not exist",
				join(m.FullName, fd.GetName()), index)
		default:
			inherited = oneofs[index].features
			oneofs[index].fields = append(oneofs[index].fields, i)
		}
		m.Fields = append(m.Fields, f.lowerField(m, fd, inherited))
	}
	f.lowerOneofs(m, d, oneofs)
	f.checkFields(m, d)
	f.checkEntries(m, d)
	m.Extensions = f.lowerExtensions(m, d.GetExtension(), set)
}

// lowerExtensions lowers the extensions that are declared in a message or in the file.
func (f *file) lowerExtensions(of *schema.Message, ds []*descriptorpb.FieldDescriptorProto,
	inherited features.Set) []*schema.Field {
	var out []*schema.Field
	for _, d := range ds {
		x := f.lowerField(of, d, inherited)
		x.JSONName = "[" + x.FullName + "]"
		s, judge, ok := f.resolve(d.GetExtendee(), d, "extended type", x.FullName)
		switch {
		case ok && s.message == nil:
			f.errorf(d, "extension %q extends %q, which is not a message", x.FullName,
				d.GetExtendee()[1:])
		case ok:
			x.Extendee = s.message
			if judge {
				f.checkExtension(x, d)
			}
		}
		out = append(out, x)
	}
	return out
}

func (f *file) lowerServices() []*schema.Service {
	var out []*schema.Service
	for _, d := range f.fd.GetService() {
		s := &schema.Service{
			Name:       d.GetName(),
			FullName:   join(f.out.Package, d.GetName()),
			File:       f.out,
			Deprecated: d.GetOptions().GetDeprecated(),
		}
		for _, md := range d.GetMethod() {
			full := join(s.FullName, md.GetName())
			s.Methods = append(s.Methods, &schema.Method{
				Name:            md.GetName(),
				Input:           f.messageOf(md, md.GetInputType(), "request type", full),
				Output:          f.messageOf(md, md.GetOutputType(), "response type", full),
				ClientStreaming: md.GetClientStreaming(),
				ServerStreaming: md.GetServerStreaming(),
				Deprecated:      md.GetOptions().GetDeprecated(),
				Idempotency:     schema.Idempotency(md.GetOptions().GetIdempotencyLevel()),
			})
		}
		out = append(out, s)
	}
	return out
}

// messageOf resolves what a method takes or returns.
func (f *file) messageOf(d *descriptorpb.MethodDescriptorProto, ref, what,
	full string) *schema.Message {
	s, judge, ok := f.resolve(ref, d, what, full)
	switch {
	case !ok || !judge:
	case s.message == nil:
		f.errorf(d, "method %q: %s %q is not a message", full, what, ref[1:])
	case s.message.MapEntry:
		f.errorf(d, "method %q: %s %q is the entry of a map", full, what, ref[1:])
	}
	return s.message
}
