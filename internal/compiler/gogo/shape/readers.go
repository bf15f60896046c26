package shape

import (
	"fmt"

	"github.com/octopus-framework/octopus/compiler/report"
	"github.com/octopus-framework/octopus/internal/compiler/golang"
	"github.com/octopus-framework/octopus/internal/compiler/schema"
)

// readersOf makes the generator of the Readers that files ask for; nil when none does. It is that
// of the native shape, with the names that messages and enums have here.
func (g *Generator) readersOf(s *schema.Schema) (*golang.Generator, report.List) {
	o := golang.Options{Module: g.opts.Module, ReadersOnly: true, NoServices: true,
		GoPackage: map[string]string{}, Renames: map[string]string{}, Other: map[string]bool{},
		Std: map[string]golang.StdField{}}
	var found report.List
	wanted := false
	for _, sf := range s.Files {
		f := g.names.files[sf]
		if !f.opts.Readers {
			o.Other[sf.Path] = true
			continue
		}
		wanted = true
		found = append(found, g.unreadable(f)...)
	}
	if !wanted || found.Errors() > 0 {
		return nil, found
	}
	for _, sf := range s.Files {
		f := g.names.files[sf]
		if f.facts == nil || !sf.Generate {
			continue
		}
		o.GoPackage[sf.Path] = f.path + ";" + f.pkg
		for e := range sf.AllEnums() {
			x := g.names.enums[e]
			o.Renames[e.FullName] = x.goName.name
			for _, v := range e.Values {
				if name := g.names.valueName(x, v).name; golang.IsGoName(name) {
					o.Renames[v.FullName] = name
				}
			}
		}
		for m := range sf.AllMessages() {
			x := g.names.messages[m]
			o.Renames[m.FullName] = x.goName.name
			for _, f := range x.fields {
				if f.facts.CustomName != "" {
					o.Renames[f.FullName] = f.facts.CustomName
				}
				of := f
				if f.IsMap() {
					of = f.value
				}
				if of.class == stdtype {
					o.Std[f.FullName] = golang.StdField{Value: !of.star}
				}
			}
		}
	}
	readers, more := golang.New(s, o)
	return readers, append(found, more...)
}

// unreadable finds messages of other files that have no Readers, and would need them.
func (g *Generator) unreadable(f *file) (found report.List) {
	for use := range f.schema.Uses(false) {
		other := g.names.files[use.File]
		if other.opts.Readers || use.File.WellKnown && !use.File.Generate {
			continue
		}
		found = append(found, report.Diagnostic{File: f.schema.Path, Line: use.Pos.Line,
			Column: use.Pos.Column, Message: fmt.Sprintf(
				"%s %q uses a type of %q, which has no Readers", use.What, use.FullName,
				use.File.Path),
			Hint: "set readers: true for that file too, or for neither"})
	}
	return found
}
