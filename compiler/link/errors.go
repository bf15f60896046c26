package link

import (
	"fmt"

	"github.com/octopus-framework/octopus/compiler/describe"
	"github.com/octopus-framework/octopus/compiler/report"
)

// wrongKind tells that a name means something else than what has to stand there.
func (r *resolving) wrongKind(n id, name, want string, element any, part describe.Part) {
	s := &r.pool.symbols[n]
	d := r.file.Tree.Diagnostic(r.file.Span(element, part),
		an(fmt.Sprintf("%q is a %s, expected %s", name, s.kind, want)))
	if s.kind != Package {
		f := r.pool.files[s.file]
		d.Notes = append(d.Notes, f.Tree.Note(f.Span(s.element, describe.Name),
			fmt.Sprintf("the %s %q is declared here", s.kind, r.pool.fullName(n))))
	}
	r.found = append(r.found, d)
}

// undefined tells that a name means nothing, unless something may be missing that declares it.
func (r *resolving) undefined(what, name string, scope id, element any, part describe.Part) {
	message, hint, notes := r.Missed(what, name)
	d := r.file.Tree.Diagnostic(r.file.Span(element, part), message)
	d.Hint, d.Notes = hint, notes
	r.found = append(r.found, d)
}

// Missed says why the name that was last looked up means nothing: what names what it should be, as
// in "type" or "option".
func (v *View) Missed(what, name string) (message, hint string, notes []report.Note) {
	return fmt.Sprintf("%s %q is not defined", what, name), "", nil
}
