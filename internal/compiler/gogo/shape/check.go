package shape

import (
	"fmt"

	"github.com/octopus-framework/octopus/compiler/report"
	"github.com/octopus-framework/octopus/internal/compiler/golang"
	"github.com/octopus-framework/octopus/internal/compiler/schema"
)

// check finds what cannot be generated.
func (g *Generator) check() (found report.List) {
	for _, f := range g.files {
		fail := func(pos schema.Pos, hint, format string, args ...any) {
			found = append(found, report.Diagnostic{
				File: f.schema.Path, Line: pos.Line, Column: pos.Column,
				Message: fmt.Sprintf(format, args...), Hint: hint,
			})
		}
		for m := range f.schema.AllMessages() {
			x := g.names.messages[m]
			if len(m.ExtensionRanges) > 0 && x.facts.ExtensionsMap && !f.opts.hasGogo() &&
				(f.opts.Registry == RegistryNone || x.generated()) && !f.facts.GolangProto {
				fail(m.Pos, "set registry: gogo, or (gogoproto.goproto_extensions_map) = false",
					"message %q has extension ranges, and a map of extensions is a type of "+
						"gogo's library", m.FullName)
			}
			g.checkEmbedded(x, fail, func(pos schema.Pos, hint, format string, args ...any) {
				fail(pos, hint, format, args...)
				found[len(found)-1].Severity = report.Warning
			})
			for _, field := range x.fields {
				first := int32(0)
				if field.Kind == schema.EnumKind {
					first = field.Enum.Values[0].Number
				}
				if !field.facts.Nullable && !field.Repeated && first != 0 {
					fail(field.Pos, "set (gogoproto.nullable) = true",
						"field %q cannot be non-nullable: its enum %q does not start with zero",
						field.FullName, field.Enum.FullName)
				}
			}
		}
	}
	return found
}

// failure adds a diagnostic.
type failure func(pos schema.Pos, hint, format string, args ...any)

// checkEmbedded finds what gogo's embedcheck finds: names that an embedded message brings in and
// that are there already, and methods of embedded messages that are taken for those of m.
func (g *Generator) checkEmbedded(m *message, fail, warn failure) {
	seen := map[string]bool{}
	g.embeddedNames(m, m, seen, map[*message]bool{}, fail)
	for _, f := range m.fields {
		if !f.facts.Embed || f.class != nested {
			continue
		}
		in := g.names.messages[f.Message]
		if in.facts == nil {
			continue
		}
		for _, method := range []struct {
			name         string
			here, within bool
		}{
			{"stringer", m.facts.Stringer, in.facts.Stringer},
			{"gostring", m.facts.GoString, in.facts.GoString},
			{"equal", m.facts.Equal, in.facts.Equal},
			{"verbose_equal", m.facts.VerboseEqual, in.facts.VerboseEqual},
			{"sizer", m.facts.Sizer || m.facts.ProtoSizer, in.facts.Sizer},
			{"protosizer", m.facts.Sizer || m.facts.ProtoSizer, in.facts.ProtoSizer},
			{"unmarshaler", m.facts.Unmarshaler, in.facts.Unmarshaler},
			{"marshaler", m.facts.Marshaler, in.facts.Marshaler},
		} {
			if method.within && !method.here {
				warn(f.Pos, "give both (gogoproto."+method.name+"), or neither",
					"message %q has no (gogoproto.%s) and embeds %q, which has: its method stands "+
						"for that of the whole", m.FullName, method.name, f.Message.FullName)
			}
		}
	}
}

// embeddedNames collects the names of fields that the struct of m has, those of embedded messages
// included.
func (g *Generator) embeddedNames(outer, m *message, seen map[string]bool, path map[*message]bool,
	fail failure) {
	if path[m] || m.facts == nil {
		return
	}
	path[m] = true
	defer delete(path, m)
	for _, f := range m.fields {
		if f.facts.Embed && f.Kind == schema.MessageKind {
			g.embeddedNames(outer, g.names.messages[f.Message], seen, path, fail)
			continue
		}
		name := golang.CamelCase(f.Name)
		if seen[name] {
			fail(outer.Pos, "rename one of the fields, or do not embed the message",
				"message %q has the field %q twice, by embedding", outer.FullName, name)
		}
		seen[name] = true
	}
}
