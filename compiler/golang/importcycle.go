package golang

import (
	"fmt"
	"slices"

	"github.com/octopus-framework/octopus/compiler/report"
	"github.com/octopus-framework/octopus/compiler/schema"
)

// use is a field or a method with a type in another Go package than the file that declares it.
type use struct {
	file     *schema.File
	pos      schema.Pos
	what     string // "field \"a.B.c\""
	from, to string // import paths
}

// importCycles finds Go packages that would import each other, which Go does not allow, although the .proto files do not: a/x.proto
// may import b/y.proto, and that a/z.proto. Each package is in at most one of the cycles that are reported.
func (g *Generator) importCycles(s *schema.Schema) []report.Diagnostic {
	uses := map[string][]use{}
	for _, f := range s.Files {
		g.addUses(uses, f)
	}
	var found []report.Diagnostic
	done := map[string]bool{}
	var path []use
	var visit func(pkg string) bool
	visit = func(pkg string) bool {
		if i := slices.IndexFunc(path, func(u use) bool { return u.from == pkg }); i >= 0 {
			if d, ok := cycleDiagnostic(path[i:]); ok {
				found = append(found, d)
			}
			return true
		}
		if done[pkg] {
			return false
		}
		done[pkg] = true
		for _, u := range uses[pkg] {
			path = append(path, u)
			if visit(u.to) {
				return true
			}
			path = path[:len(path)-1]
		}
		return false
	}
	for _, f := range s.Files {
		path = path[:0]
		visit(g.names.files[f].path)
	}
	return found
}

// addUses records one use of each package by another.
func (g *Generator) addUses(uses map[string][]use, f *schema.File) {
	from := g.names.files[f].path
	addUse := func(pos schema.Pos, kind, name string, other *schema.File) {
		to := g.names.files[other].path
		if to != from && !slices.ContainsFunc(uses[from], func(u use) bool { return u.to == to }) {
			uses[from] = append(uses[from], use{f, pos, fmt.Sprintf("%s %q", kind, name), from, to})
		}
	}
	for field, other := range f.Uses() {
		addUse(field.Pos, "field", field.FullName, other)
	}
	if !g.opts.GRPC {
		return
	}
	for _, s := range f.Services {
		for _, m := range s.Methods {
			addUse(m.Pos, "method", s.FullName+"."+m.Name, m.Input.File)
			addUse(m.Pos, "method", s.FullName+"."+m.Name, m.Output.File)
		}
	}
}

// cycleDiagnostic says how packages come to import each other, if code for one of the files is asked for.
func cycleDiagnostic(cycle []use) (d report.Diagnostic, ok bool) {
	first := slices.IndexFunc(cycle, func(u use) bool { return u.file.Generate })
	if first < 0 {
		return d, false
	}
	cycle = append(slices.Clone(cycle[first:]), cycle[:first]...)
	at := cycle[0]
	d = report.Diagnostic{File: at.file.Path, Line: at.pos.Line, Column: at.pos.Column,
		Message: fmt.Sprintf("Go packages would import each other: %q", cycle[0].from),
		Hint:    "move what both need into a third folder"}
	for _, u := range cycle {
		d.Message += fmt.Sprintf(" imports %q", u.to)
		d.Notes = append(d.Notes, report.Note{File: u.file.Path, Line: u.pos.Line, Column: u.pos.Column,
			Message: fmt.Sprintf("%s has a type of %q", u.what, u.to)})
	}
	return d, true
}
