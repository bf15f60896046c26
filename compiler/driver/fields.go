package driver

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/octopus-framework/octopus/compiler/gogo"
	"github.com/octopus-framework/octopus/compiler/golang"
	"github.com/octopus-framework/octopus/compiler/report"
	"github.com/octopus-framework/octopus/compiler/schema"
)

// nativeOptions are the options of fields that code in the native shape follows.
var nativeOptions = []string{"nullable", "stdduration", "stdtime", "wktpointer"}

// stdFields returns the fields of native files that are types of Go: by the configuration, and, if
// that is wanted, by options of gogoproto in the files. Patterns of the configuration that match
// nothing, and options that native code does not follow, are errors.
func (c *Compilation) stdFields(in Input, gogoproto bool,
	other map[string]bool) map[string]golang.StdField {
	if in.Config == nil || len(in.Config.Fields) == 0 && !gogoproto {
		return nil
	}
	source := gogo.Source{Preset: func(path string) string {
		if other[path] || !gogoproto {
			return ""
		}
		return "gogo"
	}}
	facts, _ := source.Read(c.Descriptors.File) // gogo's verdicts are about its own code
	std := map[string]golang.StdField{}
	matched := make([]bool, len(in.Config.Fields))
	for _, file := range c.Schema.Files {
		if file.WellKnown {
			continue
		}
		for m := range file.AllMessages() {
			for _, f := range m.Fields {
				for i := range in.Config.Fields {
					matched[i] = matched[i] || in.Config.Fields[i].Matches(f.FullName)
				}
				if other[file.Path] {
					continue
				}
				given := in.Config.OptionsOf(f.FullName)
				c.checkNative(in, file, f, given)
				if s, ok := stdField(facts.Fields[f.FullName], given); ok {
					std[f.FullName] = s
				}
			}
		}
	}
	for i, f := range in.Config.Fields {
		if !matched[i] && c.all {
			c.Diagnostics = append(c.Diagnostics, report.Diagnostic{File: in.Config.Path,
				Line: f.Line, Column: f.Column,
				Message: fmt.Sprintf("no field in the .proto files is matched by %q", f.Pattern),
				Hint:    "full names have dots between: shop.v1.Deposit.time, or shop.v1.*.time"})
		}
	}
	return std
}

// stdField tells whether a field is a type of Go. What is given counts more than facts, which may
// be nil.
func stdField(facts *gogo.Field, given map[string]any) (s golang.StdField, is bool) {
	if facts != nil {
		is = facts.StdTime || facts.StdDuration || facts.WktPointer
		s.Value = !facts.Nullable
	}
	for _, name := range []string{"stdtime", "stdduration", "wktpointer"} {
		if on, ok := given[name].(bool); ok {
			is = on
		}
	}
	if nullable, ok := given["nullable"].(bool); ok {
		s.Value = !nullable
	}
	return s, is
}

// checkNative finds options that native code does not follow.
func (c *Compilation) checkNative(in Input, file *schema.File, f *schema.Field,
	given map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if !slices.Contains(nativeOptions, name) {
			c.Diagnostics = append(c.Diagnostics, report.Diagnostic{
				File: in.Config.Path, Message: fmt.Sprintf(
					"%s is given for field %q of %s, whose code is in the native shape", name,
					f.FullName, file.Path),
				Hint: "fields of native files have " + strings.Join(nativeOptions, ", ")})
		}
	}
}
