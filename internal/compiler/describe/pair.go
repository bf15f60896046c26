package describe

import (
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/octopus-framework/octopus/internal/compiler/syntax"
)

// declarations finds what each descriptor was made of, by going over both in the same order.
func (f *File) declarations() map[any]declaration {
	p := pairs{f: f, of: map[any]declaration{}}
	in := scope{
		nested: f.Proto.MessageType, enums: f.Proto.EnumType, extensions: f.Proto.Extension,
	}
	services := f.Proto.Service
	for _, decl := range f.tree().Decls {
		if s, ok := decl.(*syntax.Service); ok {
			p.of[services[0]] = declaration{decl: s}
			p.methods(services[0].Method, s)
			services = services[1:]
		}
	}
	p.body(f.tree().Decls, &in)
	return p.of
}

// pairs collects the pairs of descriptors and declarations.
type pairs struct {
	f  *File
	of map[any]declaration
}

// scope is what of a message or file has no declaration yet.
type scope struct {
	nested     []*descriptorpb.DescriptorProto
	fields     []*descriptorpb.FieldDescriptorProto
	enums      []*descriptorpb.EnumDescriptorProto
	extensions []*descriptorpb.FieldDescriptorProto
	oneofs     []*descriptorpb.OneofDescriptorProto
	ranges     []*descriptorpb.DescriptorProto_ExtensionRange
	reserved   []*descriptorpb.DescriptorProto_ReservedRange
}

func next[T any](list *[]T) T {
	first := (*list)[0]
	*list = (*list)[1:]
	return first
}

func (p *pairs) methods(methods []*descriptorpb.MethodDescriptorProto, s *syntax.Service) {
	for _, decl := range s.Body.Decls {
		if m, ok := decl.(*syntax.Method); ok {
			p.of[next(&methods)] = declaration{decl: m}
		}
	}
}

func (p *pairs) body(decls []syntax.Decl, in *scope) {
	for _, decl := range decls {
		switch decl := decl.(type) {
		case *syntax.Message:
			m := next(&in.nested)
			p.of[m] = declaration{decl: decl}
			p.message(decl.Body.Decls, m)
		case *syntax.Enum:
			p.enum(decl, next(&in.enums))
		case *syntax.Field:
			p.field(decl, next(&in.fields), in, nil)
		case *syntax.Oneof:
			p.of[next(&in.oneofs)] = declaration{decl: decl}
			for _, child := range decl.Body.Decls {
				if f, ok := child.(*syntax.Field); ok {
					p.field(f, next(&in.fields), in, nil)
				}
			}
		case *syntax.Extend:
			for _, child := range decl.Body.Decls {
				if f, ok := child.(*syntax.Field); ok {
					p.field(f, next(&in.extensions), in, decl)
				}
			}
		case *syntax.Extensions:
			for _, r := range decl.Ranges {
				p.of[next(&in.ranges)] = declaration{decl: decl, number: r}
			}
		case *syntax.Reserved:
			for _, r := range decl.Ranges {
				p.of[next(&in.reserved)] = declaration{decl: decl, number: r}
			}
		}
	}
}

func (p *pairs) message(decls []syntax.Decl, m *descriptorpb.DescriptorProto) {
	in := scope{m.NestedType, m.Field, m.EnumType, m.Extension, m.OneofDecl, m.ExtensionRange,
		m.ReservedRange}
	p.body(decls, &in)
	for _, f := range m.Field {
		if f.Proto3Optional != nil && f.OneofIndex != nil {
			p.of[m.OneofDecl[f.GetOneofIndex()]] = p.of[f]
		}
	}
}

func (p *pairs) field(decl *syntax.Field, f *descriptorpb.FieldDescriptorProto, in *scope,
	extend *syntax.Extend) {
	p.of[f] = declaration{decl: decl, extend: extend}
	switch {
	case decl.Map != nil:
		entry := next(&in.nested)
		p.of[entry] = declaration{decl: decl}
		for _, part := range entry.Field {
			p.of[part] = declaration{decl: decl}
		}
	case decl.Group != nil:
		group := next(&in.nested)
		p.of[group] = declaration{decl: decl}
		p.message(decl.Group.Decls, group)
	}
}

func (p *pairs) enum(decl *syntax.Enum, e *descriptorpb.EnumDescriptorProto) {
	p.of[e] = declaration{decl: decl}
	values, reserved := e.Value, e.ReservedRange
	for _, child := range decl.Body.Decls {
		switch child := child.(type) {
		case *syntax.EnumValue:
			p.of[next(&values)] = declaration{decl: child}
		case *syntax.Reserved:
			for _, r := range child.Ranges {
				p.of[next(&reserved)] = declaration{decl: child, number: r}
			}
		}
	}
}

// part returns the tokens of a part of a declaration.
func (f *File) part(d declaration, element any, part Part) syntax.Range {
	switch decl := d.decl.(type) {
	case nil:
		if element == any(f.Proto) {
			return f.partOfFile(part)
		}
		return syntax.None
	case *syntax.Message:
		return partOf(part, decl.Range, decl.Name, decl.Body)
	case *syntax.Enum:
		return partOf(part, decl.Range, decl.Name, decl.Body)
	case *syntax.Oneof:
		return partOf(part, decl.Range, decl.Name, decl.Body)
	case *syntax.Service:
		return partOf(part, decl.Range, decl.Name, decl.Body)
	case *syntax.EnumValue:
		switch {
		case part == Name && decl.Name >= 0:
			return one(decl.Name)
		case part == Number && decl.Number.Present():
			return decl.Number
		}
		return decl.Range
	case *syntax.Method:
		switch {
		case part == Name && decl.Name >= 0:
			return one(decl.Name)
		case part == Input && decl.Input.Present():
			return decl.Input
		case part == Output && decl.Output.Present():
			return decl.Output
		case part == Header && decl.Body != nil:
			return syntax.Range{First: decl.First, Last: decl.Body.Open - 1}
		}
		return decl.Range
	case *syntax.Field:
		return f.partOfField(d, decl, element, part)
	case *syntax.Extensions, *syntax.Reserved:
		return d.number.Range
	}
	return d.decl.Tokens()
}

func (f *File) partOfField(d declaration, decl *syntax.Field, element any,
	part Part) syntax.Range {
	switch {
	case part == Name && decl.Name >= 0:
		return one(decl.Name)
	case part == Number && decl.Number.Present():
		return decl.Number
	case part == Label && decl.Label >= 0:
		return one(decl.Label)
	case part == Extendee && d.extend != nil && d.extend.Extendee.Present():
		return d.extend.Extendee
	case part == Type && decl.Map != nil:
		if e, ok := element.(*descriptorpb.FieldDescriptorProto); ok {
			switch {
			case e.Name == &keyName && decl.Map.Key.Present():
				return decl.Map.Key
			case e.Name == &valName && decl.Map.Value.Present():
				return decl.Map.Value
			}
		}
		return decl.Map.Range
	case part == Type && decl.Type.Present():
		return decl.Type
	case part == Header && decl.Group != nil:
		return syntax.Range{First: decl.First, Last: decl.Group.Open - 1}
	case (part == Default || part == JSONName) && decl.Options != nil:
		name := "default"
		if part == JSONName {
			name = "json_name"
		}
		for _, o := range decl.Options.List {
			if len(o.Name) == 1 && !o.Name[0].Extension && o.Value.Range.Present() &&
				f.tree().TokenText(o.Name[0].Name.First) == name {
				return o.Value.Range
			}
		}
	}
	return decl.Range
}

// partOf returns a part of what has a name and braces.
func partOf(part Part, whole syntax.Range, name syntax.TokenID, body syntax.Body) syntax.Range {
	switch {
	case part == Name && name >= 0:
		return one(name)
	case part == Header && body.Open > whole.First:
		return syntax.Range{First: whole.First, Last: body.Open - 1}
	}
	return whole
}

func (f *File) partOfFile(part Part) syntax.Range {
	for _, decl := range f.tree().Decls {
		switch decl := decl.(type) {
		case *syntax.Package:
			if part == Name {
				return decl.Name
			}
		case *syntax.Syntax:
			if part == Edition {
				return decl.Value
			}
		}
	}
	return syntax.None
}
