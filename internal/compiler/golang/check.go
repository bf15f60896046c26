package golang

import (
	"fmt"
	"slices"
	"strings"

	"github.com/octopus-framework/octopus/compiler/report"
	"github.com/octopus-framework/octopus/internal/compiler/backend"
	"github.com/octopus-framework/octopus/internal/compiler/schema"
)

// stdFields returns the fields of files of r that are types of Go: by what r gives them, else by
// marks, which may be nil.
func stdFields(r *backend.Request, marks map[string]Mark) map[string]StdField {
	if len(r.Fields) == 0 && len(marks) == 0 {
		return nil
	}
	std := map[string]StdField{}
	for _, file := range r.Schema.Files {
		if file.WellKnown || !r.IsMine(file) {
			continue
		}
		for m := range file.AllMessages() {
			for _, f := range m.Fields {
				if s, ok := stdField(marks[f.FullName], r.OptionsOf(f.FullName)); ok {
					std[f.FullName] = s
				}
			}
		}
	}
	return std
}

// stdField tells whether a field is a type of Go. What is given counts more than its mark.
func stdField(mark Mark, given backend.Settings) (s StdField, is bool) {
	is, s.Value = mark.Std, mark.Value
	for _, name := range []string{"stdtime", "stdduration", "wktpointer"} {
		if v, ok := given[name]; ok {
			is = v.On
		}
	}
	if nullable, ok := given["nullable"]; ok {
		s.Value = !nullable.On
	}
	return s, is
}

// unmatchedHex finds patterns that match no field of type bytes.
func unmatchedHex(r *backend.Request, hex []backend.Item) (found report.List) {
	if !r.All || len(hex) == 0 {
		return nil
	}
	matched := make([]bool, len(hex))
	note := func(f *schema.Field) {
		if f.Kind != schema.Bytes && (f.MapValue == nil || f.MapValue.Kind != schema.Bytes) {
			return
		}
		for i := range hex {
			matched[i] = matched[i] || backend.Match(hex[i].Text, f.FullName)
		}
	}
	for _, file := range r.Schema.Files {
		for m := range file.AllMessages() {
			for _, f := range m.Fields {
				note(f)
			}
		}
		for x := range file.AllExtensions() {
			note(x)
		}
	}
	for i, p := range hex {
		if !matched[i] {
			found = append(found, at(r, p, len(p.Text), fmt.Sprintf(
				"no field of type bytes has a full name that matches %q", p.Text),
				`write the full name of a field: hex: ["opentelemetry.proto.*.trace_id"]`))
		}
	}
	return found
}

// at returns an error about a setting, where gremlin.yaml has it.
func at(r *backend.Request, i backend.Item, length int, message, hint string) report.Diagnostic {
	d := report.Diagnostic{Message: message, Hint: hint}
	if i.Line > 0 {
		d.File, d.Line, d.Column = r.Config, i.Line, i.Column
		d.EndLine, d.EndColumn = i.Line, i.Column+length
	}
	return d
}

// unknownNames finds Go names for what the schema does not have. A plugin may be sent other
// packages with another request: buf sends one for each folder.
func unknownNames(r *backend.Request, renames []backend.Item) (found report.List) {
	if len(renames) == 0 || !r.All && !r.Plugin {
		return nil
	}
	all := slices.Collect(Renamable(r.Schema))
	known := map[string]bool{}
	for _, name := range all {
		known[name] = true
	}
	for _, i := range renames {
		comesLater := r.Plugin && !slices.ContainsFunc(r.Schema.Files, func(f *schema.File) bool {
			return f.Generate && strings.HasPrefix(i.Name, f.Package+".")
		})
		if known[i.Name] || comesLater {
			continue
		}
		d := at(r, i, len(i.Name), fmt.Sprintf("nothing in the .proto files has the name %q", i.Name),
			`write the full name: renames: {shop.v1.Deposit_Part: DepositPart2}`)
		if r.Plugin {
			d.Message = fmt.Sprintf("parameter \"rename\": nothing has the name %q", i.Name)
			d.Hint = ""
		}
		if near := report.Nearest(i.Name, all); len(near) > 0 {
			d.Hint = fmt.Sprintf("did you mean %q?", near[0])
		}
		found = append(found, d)
	}
	return found
}

// foreignTypes finds files of r that use messages or enums of files that another backend makes: the
// two have different methods.
func foreignTypes(r *backend.Request) (found report.List) {
	for _, f := range r.Schema.Files {
		if !r.IsMine(f) || !f.Generate {
			continue
		}
		for use := range f.Uses(true) {
			if other := r.Others[use.File.Path]; other != "" {
				found = append(found, report.Diagnostic{
					File: f.Path, Line: use.Pos.Line, Column: use.Pos.Column,
					Message: fmt.Sprintf("%s %q uses a type of %q, whose code is in shape %s",
						use.What, use.FullName, use.File.Path, other),
					Hint: "give both files the same shape in gremlin.yaml",
				})
			}
		}
	}
	return found
}
