package gogoshape

import (
	"fmt"

	"github.com/octopus-framework/octopus/compiler/report"
	"github.com/octopus-framework/octopus/compiler/schema"
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
			if len(m.ExtensionRanges) > 0 && x.facts.ExtensionsMap &&
				f.opts.Registry == RegistryNone {
				fail(m.Pos, "set registry: gogo, or (gogoproto.goproto_extensions_map) = false",
					"message %q has extension ranges, and a map of extensions is a type of gogo's library", m.FullName)
			}
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
