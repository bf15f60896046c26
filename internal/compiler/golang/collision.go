package golang

import (
	"fmt"
	"path"
	"strings"

	"github.com/octopus-framework/octopus/compiler/report"
	"github.com/octopus-framework/octopus/internal/compiler/schema"
)

// declaration is what claims a Go name that protoc-gen-go has too.
type declaration struct {
	file     *schema.File
	pos      schema.Pos
	what     string // `message "shop.v1.Deposit"`
	fullName string // full name that a rename names to change the Go name
	goName   string // Go name of that declaration
}

// claim records a name of a declaration. It is an error when another has it: moving one of them
// without being told would break code that uses it. What a declaration that collides gives to
// others, as a message does to those in it, is not reported again.
func (r *resolver) claim(d declaration, name string) { r.claimIn(r.scope(d.file), d, name) }

// claimIn does so in a package that may be another than that of the declaration's messages.
func (r *resolver) claimIn(s *scope, d declaration, name string) {
	other, taken := s.claims[name]
	if taken && d.file.Generate && !r.isIn(d.fullName) {
		r.collided[d.fullName] = true
		at := ""
		if d.file != other.file {
			at = fmt.Sprintf(" in %q", other.file.Path)
		}
		r.diags = append(r.diags, report.Diagnostic{File: d.file.Path, Line: d.pos.Line,
			Column: d.pos.Column,
			Message: fmt.Sprintf("Go name %q of %s is that of %s%s too", name, d.what, other.what,
				at),
			Hint: r.collisionHint(d, other),
		})
	}
	if !taken {
		s.claims[name] = d
	}
	s.owner[name] = d.what
}

// isIn tells whether a declaration or what it is in has collided.
func (r *resolver) isIn(fullName string) bool {
	for fullName != "" {
		if r.collided[fullName] {
			return true
		}
		fullName = fullName[:max(strings.LastIndexByte(fullName, '.'), 0)]
	}
	return false
}

// collisionHint says what can be done about two declarations with one Go name.
func (r *resolver) collisionHint(d, other declaration) string {
	var hints []string
	from, to := d.file.Options["go_package"], other.file.Options["go_package"]
	fromPath, _, _ := strings.Cut(from, ";")
	toPath, _, _ := strings.Cut(to, ";")
	pattern, _ := path.Split(d.file.Path)
	if fromPath != toPath {
		// Each can have a package of its own, as it has with protoc-gen-go.
		name := path.Base(fromPath)
		if fromPath == "" {
			name = strings.ReplaceAll(d.file.Package, ".", "_")
		}
		if name == "" || name == "." {
			name = strings.TrimSuffix(path.Base(d.file.Path), ".proto")
		}
		to := path.Join(r.opts.Module, pattern, packageName(name))
		line := fmt.Sprintf("in gremlin.yaml: packages: [%s]", packageLine(d.file.Path, to))
		if r.opts.Parameters {
			line = fmt.Sprintf("M%s=%s", d.file.Path, to)
		}
		hints = append(hints,
			"option go_package puts the files into different Go packages; to do so, "+line)
	} else if d.file == other.file || fromPath != "" {
		hints = append(hints, "protoc-gen-go has the same collision")
	}
	s := r.scope(d.file)
	free := d.goName + "2"
	for s.owner[free] != "" {
		free += "_"
	}
	if r.opts.Parameters {
		hints = append(hints, fmt.Sprintf("another Go name: rename=%s=%s", d.fullName, free))
	} else {
		hints = append(hints, fmt.Sprintf("another Go name, in gremlin.yaml: renames: {%s: %s}",
			d.fullName, free),
			fmt.Sprintf("or all files but this one: exclude: [%q]", d.file.Path))
	}
	return strings.Join(hints, "\n")
}
