package compiler

import (
	"fmt"
	"strings"

	"github.com/octopus-framework/octopus/internal/compiler/schema"
)

// dumper writes a schema as text, every fact that is not the zero value.
type dumper struct {
	strings.Builder
	depth int
}

func dump(f *schema.File) string {
	var d dumper
	d.line("file %s package %q options %v%s", f.Path, f.Package, f.Options,
		facts("generate", f.Generate, "well-known", f.WellKnown, "deprecated", f.Deprecated))
	d.comment(f.Comment)
	for _, imp := range f.Imports {
		d.line("import %s%s", imp.File.Path, facts("public", imp.Public))
	}
	for v := range f.Visible() {
		d.line("sees %s", v.Path)
	}
	d.enums(f.Enums)
	d.messages(f.Messages)
	d.fields("extension", f.Extensions)
	for _, s := range f.Services {
		d.line("service %s %v%s", s.FullName, s.Pos, facts("deprecated", s.Deprecated))
		d.comment(s.Comment)
		d.depth++
		for _, m := range s.Methods {
			d.line("method %s(%s) %s%s", m.Name, m.Input.FullName, m.Output.FullName,
				facts("client-streaming", m.ClientStreaming, "server-streaming", m.ServerStreaming,
					"deprecated", m.Deprecated))
			d.comment(m.Comment)
		}
		d.depth--
	}
	return d.String()
}

func (d *dumper) line(format string, args ...any) {
	d.WriteString(strings.Repeat("  ", d.depth))
	fmt.Fprintf(d, format, args...)
	d.WriteByte('\n')
}

func (d *dumper) comment(c schema.Comment) {
	for _, s := range c.Detached {
		d.line("  // detached %q", s)
	}
	if c.Leading != "" {
		d.line("  // leading %q", c.Leading)
	}
	if c.Trailing != "" {
		d.line("  // trailing %q", c.Trailing)
	}
}

func (d *dumper) messages(ms []*schema.Message) {
	for _, m := range ms {
		parent := ""
		if m.Parent != nil {
			parent = " in " + m.Parent.FullName
		}
		d.line("message %s (%s)%s %v%s", m.Name, m.FullName, parent, m.Pos,
			facts("map-entry", m.MapEntry, "message-set", m.MessageSet, "deprecated", m.Deprecated))
		d.comment(m.Comment)
		d.depth++
		if m.ExtensionRanges != nil || m.ReservedRanges != nil || m.ReservedNames != nil {
			d.line("extensions %v reserved %v %q", m.ExtensionRanges, m.ReservedRanges,
				m.ReservedNames)
		}
		d.fields("field", m.Fields)
		for _, o := range m.Oneofs {
			var names []string
			for _, f := range o.Fields {
				names = append(names, f.Name)
			}
			d.line("oneof %s %v %v", o.FullName, o.Pos, names)
			d.comment(o.Comment)
		}
		d.enums(m.Enums)
		d.messages(m.Messages)
		d.fields("extension", m.Extensions)
		d.depth--
	}
}

func (d *dumper) fields(what string, fs []*schema.Field) {
	for _, f := range fs {
		typ := f.Kind.String()
		switch {
		case f.IsMap():
			typ = fmt.Sprintf("map<%s, %s>", f.MapKey.Kind, f.MapValue.Kind)
		case f.Message != nil:
			typ += " " + f.Message.FullName
		case f.Enum != nil:
			typ += " " + f.Enum.FullName
		}
		if f.Extendee != nil {
			typ += " of " + f.Extendee.FullName
		}
		if f.Oneof != nil {
			typ += " in " + f.Oneof.Name
		}
		d.line("%s %s = %d %s json %s %v%s", what, f.Name, f.Number, typ, f.JSONName, f.Pos,
			facts("repeated", f.Repeated,
				"presence", f.Presence, "required", f.Required, "packed", f.Packed, "delimited",
				f.Delimited,
				"utf8", f.CheckUTF8, "deprecated", f.Deprecated, "lazy", f.Lazy))
		switch v := f.Default.(type) {
		case nil:
		case *schema.EnumValue:
			d.line("  default enum value %s", v.FullName)
		default:
			d.line("  default %T %#v", v, v)
		}
		d.comment(f.Comment)
	}
}

func (d *dumper) enums(es []*schema.Enum) {
	for _, e := range es {
		d.line("enum %s (%s) %v%s", e.Name, e.FullName, e.Pos,
			facts("closed", e.Closed, "alias", e.AllowAlias, "deprecated", e.Deprecated))
		d.comment(e.Comment)
		for _, v := range e.Values {
			d.line("  value %s = %d%s", v.FullName, v.Number, facts("deprecated", v.Deprecated))
			d.comment(v.Comment)
		}
	}
}

// facts takes pairs of a name and a bool and returns the names of those that hold.
func facts(pairs ...any) string {
	var b strings.Builder
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1].(bool) {
			b.WriteString(" " + pairs[i].(string))
		}
	}
	return b.String()
}
