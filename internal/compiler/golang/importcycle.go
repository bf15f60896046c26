package golang

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/octopus-framework/octopus/compiler/report"
	"github.com/octopus-framework/octopus/internal/compiler/schema"
)

// use is a field or a method with a type in another Go package than the file that declares it.
type use struct {
	file     *schema.File
	pos      schema.Pos
	what     string // "field \"a.B.c\""
	from, to string // import paths
}

// importCycles finds Go packages that would import each other, which Go does not allow, although
// the .proto files do not: a/x.proto may import b/y.proto, and that a/z.proto. Each package is in
// at most one of the cycles that are reported.
func (g *Generator) importCycles(s *schema.Schema) []report.Diagnostic {
	uses := map[string][]use{}
	ofPackage := map[string][]*schema.File{}
	for _, f := range s.Files {
		g.addUses(uses, f)
		ofPackage[g.names.files[f].path] = append(ofPackage[g.names.files[f].path], f)
	}
	var found []report.Diagnostic
	done := map[string]bool{}
	var path []use
	var visit func(pkg string) bool
	visit = func(pkg string) bool {
		if i := slices.IndexFunc(path, func(u use) bool { return u.from == pkg }); i >= 0 {
			if d, ok := cycleDiagnostic(path[i:]); ok {
				d.Hint = g.onePackageHint(ofPackage, circle(uses, pkg))
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
	for u := range f.Uses(g.opts.GRPC) {
		to := g.names.files[u.File].path
		if to != from && !slices.ContainsFunc(uses[from], func(u use) bool { return u.to == to }) {
			uses[from] = append(uses[from], use{f, u.Pos, fmt.Sprintf("%s %q", u.What, u.FullName),
				from, to})
		}
	}
}

// cycleDiagnostic says how packages come to import each other, if code for one of the files is
// asked for.
func cycleDiagnostic(cycle []use) (d report.Diagnostic, ok bool) {
	first := slices.IndexFunc(cycle, func(u use) bool { return u.file.Generate })
	if first < 0 {
		return d, false
	}
	cycle = append(slices.Clone(cycle[first:]), cycle[:first]...)
	at := cycle[0]
	d = report.Diagnostic{File: at.file.Path, Line: at.pos.Line, Column: at.pos.Column,
		Message: fmt.Sprintf("Go packages would import each other: %q", cycle[0].from)}
	for _, u := range cycle {
		d.Message += fmt.Sprintf(" imports %q", u.to)
		d.Notes = append(d.Notes, report.Note{File: u.file.Path, Line: u.pos.Line,
			Column:  u.pos.Column,
			Message: fmt.Sprintf("%s has a type of %q", u.what, u.to)})
	}
	return d, true
}

// circle returns the packages that a package comes back to itself by, it included, sorted: all
// those that have to be one.
func circle(uses map[string][]use, pkg string) (all []string) {
	reaches := func(next map[string][]string) map[string]bool {
		seen := map[string]bool{pkg: true}
		for todo := []string{pkg}; len(todo) > 0; todo = todo[1:] {
			for _, to := range next[todo[0]] {
				if !seen[to] {
					seen[to] = true
					todo = append(todo, to)
				}
			}
		}
		return seen
	}
	to, from := map[string][]string{}, map[string][]string{}
	for p, us := range uses {
		for _, u := range us {
			to[p] = append(to[p], u.to)
			from[u.to] = append(from[u.to], p)
		}
	}
	back := reaches(from)
	for p := range reaches(to) {
		if back[p] {
			all = append(all, p)
		}
	}
	slices.Sort(all)
	return all
}

// onePackageHint says how packages become one: the one with the shortest path takes in the others.
func (g *Generator) onePackageHint(files map[string][]*schema.File, pkgs []string) string {
	one := slices.MinFunc(pkgs, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
	})
	hint := "move what both need into a third folder, or make them one Go package"
	if g.opts.Module == "" {
		return hint + ", which takes a module to name it in: give --module PATH"
	}
	goPackage := one
	if name := g.names.packageNames[one]; name != path.Base(one) {
		goPackage += ";" + name
	}
	seen := map[string]bool{}
	if !g.opts.Parameters {
		hint += ", in gremlin.yaml:\npackages:"
	}
	for _, pkg := range pkgs {
		for _, f := range files[pkg] {
			pattern := path.Join(path.Dir(f.Path), "*.proto")
			switch {
			case pkg == one:
			case g.opts.Parameters:
				hint += fmt.Sprintf("\nM%s=%s", f.Path, goPackage)
			case !seen[pattern]:
				seen[pattern] = true
				hint += "\n  - " + packageLine(pattern, goPackage)
			}
		}
	}
	return hint
}
