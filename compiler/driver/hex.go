package driver

import (
	"fmt"

	"github.com/octopus-framework/octopus/compiler/config"
	"github.com/octopus-framework/octopus/compiler/report"
	"github.com/octopus-framework/octopus/compiler/schema"
)

// hex returns what tells fields that JSON has hex digits for. A pattern that matches no field of
// type bytes is an error, unless only some of the files were asked for: it may match in another one
// then.
func (c *Compilation) hex(cfg *config.Config) func(fullName string) bool {
	if cfg == nil || len(cfg.Options.Hex) == 0 {
		return nil
	}
	matched := make([]bool, len(cfg.Options.Hex))
	note := func(f *schema.Field) {
		if f.Kind != schema.Bytes && (f.MapValue == nil || f.MapValue.Kind != schema.Bytes) {
			return
		}
		for i := range cfg.Options.Hex {
			matched[i] = matched[i] || cfg.Options.Hex[i].Matches(f.FullName)
		}
	}
	for _, file := range c.Schema.Files {
		for m := range file.AllMessages() {
			for _, f := range m.Fields {
				note(f)
			}
		}
		for x := range file.AllExtensions() {
			note(x)
		}
	}
	for i, p := range cfg.Options.Hex {
		if matched[i] || !c.all {
			continue
		}
		c.Diagnostics = append(c.Diagnostics, report.Diagnostic{
			File: cfg.Path, Line: p.Line, Column: p.Column, EndLine: p.Line,
			EndColumn: p.Column + len(p.Text),
			Message:   fmt.Sprintf("no field of type bytes has a full name that matches %q", p.Text),
			Hint:      `write the full name of a field: hex: ["opentelemetry.proto.*.trace_id"]`,
		})
	}
	return cfg.Options.IsHex
}
