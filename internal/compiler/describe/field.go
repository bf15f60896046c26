package describe

import (
	"strings"

	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/octopus-framework/octopus/internal/compiler/syntax"
)

// field describes a field and the message that comes with it, which is added to messages.
func (d *describer) field(f *syntax.Field, scope string,
	messages *[]*descriptorpb.DescriptorProto, in place) *descriptorpb.FieldDescriptorProto {
	p := d.fields.take()
	p.Extendee, p.OneofIndex = in.extendee, in.oneof
	name := d.Tree.TokenText(f.Name)
	d.label(f, p)
	if f.Map == nil && f.Type.Present() {
		p.Type, p.TypeName = d.fieldType(f.Type)
	}
	p.Name = d.string(name)
	p.Number = d.number(d.int32(f.Number))
	opts := d.fieldOptions(f, p)
	d.state(p, scope, descriptorpb.FieldOptions_TARGET_TYPE_FIELD, opts)
	switch {
	case f.Map != nil:
		entry := d.mapEntry(f, p, opts, scope)
		*messages = append(*messages, entry)
	case f.Group != nil:
		group := d.messages.take()
		group.Name = p.Name
		p.TypeName = p.Name
		p.Name = d.string(lower(name))
		*messages = append(*messages, group)
		d.body(f.Group, group, qualify(scope, name), scope)
	}
	return p
}

// lower makes capital letters of ASCII small.
func lower(name string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, name)
}

// label sets the label of a field.
func (d *describer) label(f *syntax.Field, p *descriptorpb.FieldDescriptorProto) {
	p.Label = optional
	switch word := d.Tree.TokenText(f.Label); {
	case f.Map != nil || word == "repeated":
		p.Label = repeated
	case word == "required":
		p.Label = required
	case word == "optional" && d.Edition == descriptorpb.Edition_EDITION_PROTO3:
		p.Proto3Optional = &yes
	}
}

// fieldType reads a type: a scalar, or a name as it stands in the text.
func (d *describer) fieldType(r syntax.Range) (*descriptorpb.FieldDescriptorProto_Type, *string) {
	if r.First == r.Last {
		if t := scalars[d.Tree.TokenText(r.First)]; t != nil {
			return t, nil
		}
	}
	return nil, d.string(d.Tree.Name(r))
}

// mapEntry makes the message that the entries of a map are.
func (d *describer) mapEntry(f *syntax.Field, p *descriptorpb.FieldDescriptorProto,
	opts []*syntax.Option, scope string) *descriptorpb.DescriptorProto {
	entry := d.messages.take()
	entry.Name = d.string(mapEntryName(p.GetName()))
	p.TypeName = entry.Name
	entry.Options = &descriptorpb.MessageOptions{MapEntry: &yes}
	key, value := d.fields.take(), d.fields.take()
	key.Name, key.Number, key.Label = &keyName, d.number(1), optional
	value.Name, value.Number, value.Label = &valName, d.number(2), optional
	if f.Map.Key.Present() {
		key.Type, key.TypeName = d.fieldType(f.Map.Key)
	}
	if f.Map.Value.Present() {
		value.Type, value.TypeName = d.fieldType(f.Map.Value)
	}
	entry.Field = []*descriptorpb.FieldDescriptorProto{key, value}
	full := qualify(scope, entry.GetName())
	for _, part := range entry.Field {
		var inherited []*syntax.Option
		for _, o := range opts {
			if d.beginsWith(o, "features") || d.isNamed(o, "enforce_utf8") &&
				part.GetType() == descriptorpb.FieldDescriptorProto_TYPE_STRING {
				inherited = append(inherited, o)
			}
		}
		d.state(part, full, descriptorpb.FieldOptions_TARGET_TYPE_FIELD, inherited)
	}
	return entry
}

// mapEntryName returns what protoc calls the message of the entries of a map.
func mapEntryName(field string) string {
	b := make([]byte, 0, len(field)+len("Entry"))
	capital := true
	for _, c := range []byte(field) {
		switch {
		case c == '_':
			capital = true
			continue
		case capital && 'a' <= c && c <= 'z':
			c -= 'a' - 'A'
		}
		b = append(b, c)
		capital = false
	}
	return string(append(b, "Entry"...))
}
