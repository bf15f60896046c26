package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
)

// printer writes a file as its descriptor says.
type printer struct {
	strings.Builder
	comments map[string]string // comments by full name, or path of a file
	used     map[string]bool
	syntax   string
	indent   int
}

func (p *printer) line(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if text != "" {
		text = strings.Repeat("  ", p.indent) + text
	}
	p.WriteString(text + "\n")
}

// comment writes what there is to say about a declaration, each thing once.
func (p *printer) comment(name string) {
	if text := p.comments[name]; text != "" && !p.used[name] {
		p.used[name] = true
		p.line("// %s", text)
	}
}

func (p *printer) file(f *descriptorpb.FileDescriptorProto) {
	p.comment(f.GetName())
	p.syntax = f.GetSyntax()
	switch p.syntax {
	case "":
		p.syntax = "proto2"
	case "editions":
		p.line("edition = %q;", strings.TrimPrefix(f.GetEdition().String(), "EDITION_"))
	}
	if p.syntax != "editions" {
		p.line("syntax = %q;", p.syntax)
	}
	p.line("")
	p.line("package %s;", f.GetPackage())
	p.line("")
	for i, path := range f.Dependency {
		modifier := ""
		if slices.Contains(f.PublicDependency, int32(i)) {
			modifier = "public "
		}
		p.line("import %s%q;", modifier, path)
	}
	if len(f.Dependency) > 0 {
		p.line("")
	}
	for _, o := range options(f.Options) {
		p.line("option %s;", o)
	}
	p.extensions(f.Extension)
	for _, m := range f.MessageType {
		p.line("")
		p.message(m, f.GetPackage())
	}
	for _, e := range f.EnumType {
		p.line("")
		p.enum(e, f.GetPackage())
	}
}

func (p *printer) message(m *descriptorpb.DescriptorProto, scope string) {
	scope += "." + m.GetName()
	p.comment(scope)
	p.line("%smessage %s {", visibility(m.GetVisibility()), m.GetName())
	p.indent++
	for _, o := range options(m.Options) {
		p.line("option %s;", o)
	}
	for _, e := range m.EnumType {
		p.enum(e, scope)
	}
	entries := map[string]*descriptorpb.DescriptorProto{}
	for _, n := range m.NestedType {
		if n.GetOptions().GetMapEntry() {
			entries["."+scope+"."+n.GetName()] = n
		} else {
			p.message(n, scope)
		}
	}
	oneof := int32(-1)
	for _, f := range m.Field {
		in := int32(-1)
		if f.OneofIndex != nil && !f.GetProto3Optional() {
			in = *f.OneofIndex
		}
		if oneof >= 0 && in != oneof {
			p.indent--
			p.line("}")
		}
		if in >= 0 && in != oneof {
			p.line("oneof %s {", m.OneofDecl[in].GetName())
			p.indent++
		}
		oneof = in
		p.field(f, entries[f.GetTypeName()])
	}
	if oneof >= 0 {
		p.indent--
		p.line("}")
	}
	for _, r := range m.ReservedRange {
		p.line("reserved %s;", numbers(r.GetStart(), r.GetEnd()-1))
	}
	for _, n := range m.ReservedName {
		p.line("reserved %s;", p.reserved(n))
	}
	for _, r := range m.ExtensionRange {
		p.line("extensions %s%s;", numbers(r.GetStart(), r.GetEnd()-1),
			p.brackets(options(r.Options)))
	}
	p.extensions(m.Extension)
	p.indent--
	p.line("}")
}

// reserved is how a name is written.
func (p *printer) reserved(name string) string {
	if p.syntax == "editions" {
		return name
	}
	return strconv.Quote(name)
}

func visibility(v descriptorpb.SymbolVisibility) string {
	switch v {
	case descriptorpb.SymbolVisibility_VISIBILITY_EXPORT:
		return "export "
	case descriptorpb.SymbolVisibility_VISIBILITY_LOCAL:
		return "local "
	}
	return ""
}

func numbers(first, last int32) string {
	switch last {
	case first:
		return strconv.Itoa(int(first))
	case 1<<29 - 1, math.MaxInt32 - 1:
		return fmt.Sprintf("%d to max", first)
	}
	return fmt.Sprintf("%d to %d", first, last)
}

func (p *printer) extensions(all []*descriptorpb.FieldDescriptorProto) {
	for _, x := range all {
		p.line("")
		p.line("extend %s {", x.GetExtendee())
		p.indent++
		p.field(x, nil)
		p.indent--
		p.line("}")
	}
}

func (p *printer) field(f *descriptorpb.FieldDescriptorProto,
	entry *descriptorpb.DescriptorProto) {
	var list []string
	if f.DefaultValue != nil {
		value := f.GetDefaultValue()
		if f.GetType() == descriptorpb.FieldDescriptorProto_TYPE_STRING {
			value = strconv.Quote(value)
		}
		list = append(list, "default = "+value)
	}
	list = append(list, options(f.Options)...)
	if entry != nil {
		p.line("map<%s, %s> %s = %d%s;", typeName(entry.Field[0]), typeName(entry.Field[1]),
			f.GetName(), f.GetNumber(), p.brackets(list))
		return
	}
	label := ""
	switch {
	case f.GetLabel() == descriptorpb.FieldDescriptorProto_LABEL_REPEATED:
		label = "repeated "
	case f.GetLabel() == descriptorpb.FieldDescriptorProto_LABEL_REQUIRED:
		label = "required "
	case f.GetProto3Optional(), p.syntax == "proto2" && f.OneofIndex == nil:
		label = "optional "
	}
	p.line("%s%s %s = %d%s;", label, typeName(f), f.GetName(), f.GetNumber(), p.brackets(list))
}

func typeName(f *descriptorpb.FieldDescriptorProto) string {
	if f.TypeName != nil {
		return f.GetTypeName()
	}
	return strings.ToLower(strings.TrimPrefix(f.GetType().String(), "TYPE_"))
}

func (p *printer) enum(e *descriptorpb.EnumDescriptorProto, scope string) {
	p.comment(scope + "." + e.GetName())
	p.line("%senum %s {", visibility(e.GetVisibility()), e.GetName())
	p.indent++
	for _, o := range options(e.Options) {
		p.line("option %s;", o)
	}
	for _, v := range e.Value {
		p.line("%s = %d%s;", v.GetName(), v.GetNumber(), p.brackets(options(v.Options)))
	}
	for _, r := range e.ReservedRange {
		p.line("reserved %s;", numbers(r.GetStart(), r.GetEnd()))
	}
	for _, n := range e.ReservedName {
		p.line("reserved %s;", p.reserved(n))
	}
	p.indent--
	p.line("}")
}

// brackets writes a list of options, each in a line of its own where they are long.
func (p *printer) brackets(list []string) string {
	if len(list) == 0 {
		return ""
	}
	if text := strings.Join(list, ", "); len(text) < 40 {
		return " [" + text + "]"
	}
	in := "\n" + strings.Repeat("  ", p.indent+2)
	return " [" + in + strings.Join(list, ","+in) + "]"
}

// options writes what is set in a message of options.
func options(m proto.Message) []string {
	var out []string
	set(m.ProtoReflect(), func(name string, value string, isMessage bool) {
		out = append(out, name+" = "+value)
	})
	return out
}

// set calls f for all that a message has, in the order of numbers, each element of a list for
// itself.
func set(m protoreflect.Message, f func(name, value string, isMessage bool)) {
	var fields []protoreflect.FieldDescriptor
	m.Range(func(fd protoreflect.FieldDescriptor, _ protoreflect.Value) bool {
		fields = append(fields, fd)
		return true
	})
	slices.SortFunc(fields, func(a, b protoreflect.FieldDescriptor) int {
		return int(a.Number() - b.Number())
	})
	for _, fd := range fields {
		one := func(v protoreflect.Value) {
			switch fd.Kind() {
			case protoreflect.MessageKind:
				var parts []string
				set(v.Message(), func(name, value string, isMessage bool) {
					if !isMessage {
						name += ":"
					}
					parts = append(parts, name+" "+value)
				})
				f(string(fd.Name()), "{ "+strings.Join(parts, " ")+" }", true)
			case protoreflect.EnumKind:
				f(string(fd.Name()), string(fd.Enum().Values().ByNumber(v.Enum()).Name()), false)
			case protoreflect.StringKind:
				f(string(fd.Name()), strconv.Quote(v.String()), false)
			default:
				f(string(fd.Name()), v.String(), false)
			}
		}
		if !fd.IsList() {
			one(m.Get(fd))
			continue
		}
		list := m.Get(fd).List()
		for i := range list.Len() {
			one(list.Get(i))
		}
	}
}
