package rules

import (
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/octopus-framework/octopus/compiler/report"
	"github.com/octopus-framework/octopus/internal/compiler/describe"
	"github.com/octopus-framework/octopus/internal/compiler/features"
	"github.com/octopus-framework/octopus/internal/compiler/link"
)

// Resolved checks what types and options of a file make of its declarations. Types that types does
// not know are left alone.
func Resolved(f *link.File, types *Types) report.List {
	c := &checker{File: f.File, linked: f, types: types}
	options := f.Proto.GetOptions()
	is := features.Defaults(f.Edition)
	c.setFeatures(f.Proto, options.GetFeatures(), &is)
	c.fileOptions(is)
	c.liteImports()
	c.packageStyle(is)
	for _, m := range f.Proto.MessageType {
		c.message(m, is)
	}
	for _, e := range f.Proto.EnumType {
		c.enum(e, is)
	}
	for _, x := range f.Proto.Extension {
		c.field(x, nil, is)
	}
	for _, s := range f.Proto.Service {
		c.service(s, is)
	}
	c.extensionNumbersTwice()
	return c.found
}

// message checks a message; is holds the features around it.
func (c *checker) message(m *descriptorpb.DescriptorProto, is features.Set) {
	c.setFeatures(m, m.GetOptions().GetFeatures(), &is)
	c.style(m, m.GetName(), titleCase, "message", is)
	c.exportedMessage(m, is)
	if !c.enter(m) {
		return
	}
	defer c.leave()
	c.sameJSON(m, is)
	c.extensionRanges(m, is)
	c.proto3Message(m)
	for _, o := range m.OneofDecl {
		of := is
		c.setFeatures(o, o.GetOptions().GetFeatures(), &of)
		c.style(o, o.GetName(), lowerSnake, "oneof", of)
	}
	for _, f := range m.Field {
		of := is
		if i := int(f.GetOneofIndex()); f.OneofIndex != nil && i < len(m.OneofDecl) {
			of = of.With(m.OneofDecl[i].GetOptions().GetFeatures())
		}
		c.field(f, m, of)
	}
	for _, x := range m.Extension {
		c.field(x, nil, is)
	}
	for _, e := range m.EnumType {
		c.enum(e, is)
	}
	for _, n := range m.NestedType {
		c.message(n, is)
	}
}

func (c *checker) enum(e *descriptorpb.EnumDescriptorProto, is features.Set) {
	c.setFeatures(e, e.GetOptions().GetFeatures(), &is)
	c.style(e, e.GetName(), titleCase, "enum", is)
	c.exportedEnum(e, is)
	c.firstValue(e, is)
	c.aliases(e)
	c.sameValues(e)
	for _, v := range e.Value {
		of := is
		c.setFeatures(v, v.GetOptions().GetFeatures(), &of)
		c.style(v, v.GetName(), upperSnake, "enum value", of)
	}
}

func (c *checker) service(s *descriptorpb.ServiceDescriptorProto, is features.Set) {
	c.setFeatures(s, s.GetOptions().GetFeatures(), &is)
	c.style(s, s.GetName(), titleCase, "service", is)
	c.liteService(s)
	for _, m := range s.Method {
		of := is
		c.setFeatures(m, m.GetOptions().GetFeatures(), &of)
		c.style(m, m.GetName(), titleCase, "method", of)
	}
}

// field is a field or extension while it is checked.
type field struct {
	*descriptorpb.FieldDescriptorProto
	in     *descriptorpb.DescriptorProto // its message, the extended one included; may be nil
	inFile *link.File
	is     features.Set
	// what its type names, if that is known
	message  *descriptorpb.DescriptorProto
	enum     *descriptorpb.EnumDescriptorProto
	enumFile *link.File
}

// field checks a field of m, or an extension when m is nil.
func (c *checker) field(of *descriptorpb.FieldDescriptorProto, m *descriptorpb.DescriptorProto,
	around features.Set) {
	f := field{FieldDescriptorProto: of, in: m, inFile: c.linked, is: around}
	c.setFeatures(of, of.GetOptions().GetFeatures(), &around)
	f.is = f.is.WithField(c.Edition, of)
	c.style(of, of.GetName(), lowerSnake, "field", f.is)
	c.findTypes(&f)
	c.fieldFeatures(&f)
	c.fieldOptions(&f)
	c.defaultOfType(&f)
	c.setMember(&f)
	c.mapField(&f)
	c.jsonName(&f)
	c.proto3Field(&f)
	if of.Extendee != nil {
		c.extensions = append(c.extensions, of)
		c.extension(&f)
	}
}

func (c *checker) findTypes(f *field) {
	if f.Extendee != nil {
		d := c.types.find(f.GetExtendee())
		f.in, _ = d.Element.(*descriptorpb.DescriptorProto)
		f.inFile = d.File
		c.visible(f, d, describe.Extendee)
	}
	if f.TypeName != nil {
		d := c.types.find(f.GetTypeName())
		f.message, _ = d.Element.(*descriptorpb.DescriptorProto)
		f.enum, _ = d.Element.(*descriptorpb.EnumDescriptorProto)
		f.enumFile = d.File
		c.visible(f, d, describe.Type)
	}
}

func (f *field) isRepeated() bool {
	return f.GetLabel() == descriptorpb.FieldDescriptorProto_LABEL_REPEATED
}

func (f *field) isMessage() bool {
	t := f.GetType()
	return t == descriptorpb.FieldDescriptorProto_TYPE_MESSAGE ||
		t == descriptorpb.FieldDescriptorProto_TYPE_GROUP
}

func (f *field) isRequired() bool {
	return f.is.FieldPresence == descriptorpb.FeatureSet_LEGACY_REQUIRED
}

// isMap tells whether the type of a field is the entry of a map, which may be wrong.
func (f *field) isMap() bool { return f.message.GetOptions().GetMapEntry() }

// inEntry tells whether it is key or value of a map.
func (f *field) inEntry() bool { return f.in.GetOptions().GetMapEntry() }

// isGroup tells whether a message is encoded between tags.
func (f *field) isGroup() bool {
	switch f.GetType() {
	case descriptorpb.FieldDescriptorProto_TYPE_GROUP:
		return true
	case descriptorpb.FieldDescriptorProto_TYPE_MESSAGE:
		return f.is.MessageEncoding == descriptorpb.FeatureSet_DELIMITED && !f.inEntry() &&
			!f.isMap()
	}
	return false
}

// isPackable tells whether it is repeated and of numbers.
func (f *field) isPackable() bool {
	switch f.GetType() {
	case descriptorpb.FieldDescriptorProto_TYPE_STRING,
		descriptorpb.FieldDescriptorProto_TYPE_BYTES,
		descriptorpb.FieldDescriptorProto_TYPE_GROUP,
		descriptorpb.FieldDescriptorProto_TYPE_MESSAGE:
		return false
	}
	return f.isRepeated()
}

// hasPresence tells whether a field that is not set differs from one that has its default.
func (f *field) hasPresence() bool {
	return !f.isRepeated() && (f.isMessage() || f.Extendee != nil || f.OneofIndex != nil ||
		f.is.FieldPresence != descriptorpb.FeatureSet_IMPLICIT)
}
